/**
 * A client for one HTTP server, with kept connections. Answers are bounded in bytes and by the caller's signal. Redirects
 * are not followed; any other failure rejects with a sentence.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { platformFault } from './faults.ts'

const MAX_HEADER_BYTES = 8 * 1024

export interface HttpClientOptions {
  /** Has no trailing slash. */
  readonly url: string
  /** A PEM certificate. If undefined, the client trusts Node's certificates. */
  readonly ca?: string | undefined
  readonly maxConnections: number
  /** Maximum requests that wait for a connection or for their answer. One more is refused at once. */
  readonly maxUnderWay: number
  readonly maxAnswerBytes: number
}

export interface HttpQuestion {
  /** Appended to the URL. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent by POST as JSON. If undefined, the request is a GET. */
  readonly body?: string | undefined
}

export interface HttpReply {
  readonly status: number
  readonly text: string
}

export class HttpClient {
  readonly #options: HttpClientOptions
  readonly #agent: Agent
  #underWay = 0

  constructor(options: HttpClientOptions) {
    this.#options = options
    const { ca, maxConnections: maxSockets } = options
    const kept = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets }
    this.#agent = this.#isTls ? new TlsAgent({ ...kept, ...(ca !== undefined && { ca }) }) : new Agent(kept)
  }

  get #isTls(): boolean {
    return this.#options.url.startsWith('https:')
  }

  /** Rejects with HTTP_FAILED if there is no answer, or with the signal's reason if it aborts first. */
  async ask(question: HttpQuestion, signal: AbortSignal): Promise<HttpReply> {
    const { maxUnderWay } = this.#options
    if (this.#underWay >= maxUnderWay) throw failed(`${maxUnderWay} questions to it are under way`)
    this.#underWay += 1
    try {
      return await this.#askAgainIfClosed(question, signal)
    } catch (cause) {
      throw signal.aborted ? signal.reason : cause
    } finally {
      this.#underWay -= 1
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  /** A server may close a kept connection just as it is used again. The request did not reach the server then. */
  async #askAgainIfClosed(question: HttpQuestion, signal: AbortSignal): Promise<HttpReply> {
    for (;;) {
      const request = this.#send(question, signal)
      try {
        return await this.#reply(request)
      } catch (cause) {
        request.destroy()
        if (!request.reusedSocket || !isReset(cause) || signal.aborted) throw cause
      }
    }
  }

  #send({ path, headers, body }: HttpQuestion, signal: AbortSignal): ClientRequest {
    const send = this.#isTls ? requestHttps : requestHttp
    const request = send(`${this.#options.url}${path}`, {
      agent: this.#agent,
      method: body === undefined ? 'GET' : 'POST',
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': `${Buffer.byteLength(body)}`,
        }),
        ...headers,
      },
    })
    request.setNoDelay(true)
    request.end(body)
    return request
  }

  #reply(request: ClientRequest): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const fail = (cause: Error): void => reject(failed(cause.message || 'the connection failed', cause))
      request.on('error', fail)
      request.on('upgrade', (_, socket) => {
        socket.destroy()
        reject(failed('it wants to speak another protocol'))
      })
      request.on('response', (response) => {
        this.#read(response).then(resolve, reject)
      })
    })
  }

  async #read(response: IncomingMessage): Promise<HttpReply> {
    const { maxAnswerBytes } = this.#options
    const chunks: Buffer[] = []
    let bytes = 0
    try {
      for await (const chunk of response) {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) break
        chunks.push(chunk)
      }
    } catch (cause) {
      throw failed('it broke off its answer', cause)
    }
    if (bytes > maxAnswerBytes) throw failed(`its answer has more than ${maxAnswerBytes} bytes`)
    return { status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }
  }
}

function isReset(cause: unknown): boolean {
  const code = (cause as { readonly cause?: { readonly code?: string } }).cause?.code
  return code === 'ECONNRESET' || code === 'EPIPE'
}

/** The sentence is a clause: the caller adds which server was asked. */
function failed(sentence: string, cause?: unknown) {
  return platformFault('HTTP_FAILED', { sentence }, { cause })
}
