/**
 * Objects in an S3-compatible store: reads of ranges, complete writes, and lists. Every request has a deadline and every
 * answer a bound. Redirects are not followed, because they would carry signed headers to another server. Failures name the
 * status and the store's error code, and never a header.
 */
import { Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import { Fault } from '#types/fault.ts'
import { readCredentials } from './s3-credentials.ts'
import { EMPTY_BODY_HASH, encodeKey, encodeQuery, signRequest } from './sign-request.ts'

/** Plain data, so it crosses to other threads. */
export interface S3Place {
  /** Server, bucket and prefix: `https://s3.example.org/bucket/prefix`, without a trailing slash. */
  readonly url: string
  readonly region: string
  /** Read before every request, so new credentials need no restart. If undefined, requests are not signed. */
  readonly credentialsFile: string | undefined
}

export interface ObjectBody {
  readonly bytes: number
  /** As hex. The store refuses a body with another hash. */
  readonly sha256: string
  open(): AsyncIterable<Uint8Array>
}

export interface ListedObject {
  /** Without the prefix of the place. */
  readonly key: string
  readonly bytes: number
}

/** An answer to a short question takes no longer. */
const ANSWER_MS = 15_000
/** A transfer may be this slow. */
const SLOWEST_BYTES_PER_MS = 64
const MAX_HEADER_BYTES = 16 * 1024
const MAX_ERROR_BYTES = 64 * 1024
const MAX_LIST_BYTES = 4 * 1024 * 1024
const CONNECTIONS = 8
/** 1000 objects each. */
const MAX_LIST_PAGES = 1_000
const NOT_FOUND = 404
const RANGE_NOT_SATISFIABLE = 416

interface Question {
  readonly method: 'GET' | 'HEAD' | 'PUT'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: ObjectBody
}

export class S3Store {
  readonly #place: S3Place
  readonly #clock: Clock
  readonly #url: URL
  readonly #agent: Agent

  constructor(place: S3Place, clock: Clock) {
    this.#place = place
    this.#clock = clock
    this.#url = new URL(place.url)
    const kept = { keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS }
    this.#agent = this.#isTls ? new TlsAgent(kept) : new Agent(kept)
  }

  /** The length of an object; undefined if there is none. */
  async length(key: string, signal?: AbortSignal): Promise<number | undefined> {
    using deadline = deadlineSignal(this.#clock, ANSWER_MS, signal, 'The archive')
    const answer = await this.#ask({ method: 'HEAD', key }, deadline)
    answer.resume()
    if (answer.statusCode === NOT_FOUND) return undefined
    await requireStatus(answer, 200)
    return lengthOf(answer)
  }

  /** Rejects unless the answer has exactly this range. */
  async read(key: string, offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    const deadlineMs = ANSWER_MS + length / SLOWEST_BYTES_PER_MS
    using deadline = deadlineSignal(this.#clock, deadlineMs, signal, 'The archive')
    const end = offset + length - 1
    const headers = { range: `bytes=${offset}-${end}` }
    const answer = await this.#ask({ method: 'GET', key, headers }, deadline)
    await requireStatus(answer, 206)
    const range = answer.headers['content-range']
    if (range?.startsWith(`bytes ${offset}-${end}/`) !== true) {
      answer.destroy()
      throw failed('it returned another range than the requested one', undefined, { isAboutObject: true })
    }
    const bytes = await readBody(answer, length, deadline)
    if (bytes.length !== length) throw failed(`it returned ${bytes.length} bytes instead of ${length}`)
    return bytes
  }

  /** Yields a complete object of a known length. */
  async *readAll(
    key: string,
    length: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const deadlineMs = ANSWER_MS + length / SLOWEST_BYTES_PER_MS
    using deadline = deadlineSignal(this.#clock, deadlineMs, signal, 'The archive')
    const answer = await this.#ask({ method: 'GET', key }, deadline)
    await requireStatus(answer, 200)
    let left = length
    for await (const chunk of chunksOf(answer, deadline)) {
      left -= chunk.length
      if (left < 0) break
      yield chunk
    }
    if (left !== 0) throw failed(`it did not return ${length} bytes`)
  }

  /** Resolves when the store has confirmed all bytes. Until then the object does not exist. */
  async write(key: string, body: ObjectBody, signal?: AbortSignal): Promise<void> {
    const deadlineMs = ANSWER_MS + body.bytes / SLOWEST_BYTES_PER_MS
    using deadline = deadlineSignal(this.#clock, deadlineMs, signal, 'The archive')
    const stopped = new AbortController()
    try {
      const answer = await this.#ask(
        { method: 'PUT', key, body },
        AbortSignal.any([deadline, stopped.signal]),
      )
      await requireStatus(answer, 200)
      answer.resume()
    } catch (error) {
      // A store that refused early may never read the rest of the body.
      stopped.abort()
      throw error
    }
  }

  /** Objects whose key begins with `prefix`, in ascending order. */
  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<ListedObject, void, undefined> {
    const [, bucket = '', ...folders] = this.#url.pathname.split('/')
    const start = folders.map((name) => `${decodeURIComponent(name)}/`).join('')
    let token: string | undefined
    for (let page = 0; page < MAX_LIST_PAGES; page++) {
      const query = {
        'list-type': '2',
        prefix: `${start}${prefix}`,
        ...(token !== undefined && { 'continuation-token': token }),
      }
      using deadline = deadlineSignal(this.#clock, ANSWER_MS, signal, 'The archive')
      const answer = await this.#send('GET', `/${bucket}`, query, {}, undefined, deadline)
      await requireStatus(answer, 200)
      const text = Buffer.from(await readBody(answer, MAX_LIST_BYTES, deadline)).toString('utf8')
      for (const { key, bytes } of readList(text)) {
        if (key.startsWith(start)) yield { key: key.slice(start.length), bytes }
      }
      token = elementOf(text, 'NextContinuationToken')
      if (elementOf(text, 'IsTruncated') !== 'true' || token === undefined) return
    }
    throw failed(`it has more than ${MAX_LIST_PAGES * 1_000} objects with this prefix`)
  }

  close(): void {
    this.#agent.destroy()
  }

  get #isTls(): boolean {
    return this.#url.protocol === 'https:'
  }

  #ask({ method, key, query = {}, headers = {}, body }: Question, signal: AbortSignal) {
    const path = `${this.#url.pathname.replace(/\/$/, '')}/${encodeKey(key)}`
    return this.#send(method, path, query, headers, body, signal)
  }

  async #send(
    method: Question['method'],
    path: string,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>>,
    body: ObjectBody | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { region, credentialsFile } = this.#place
    const all = { host: this.#url.host, ...headers }
    const bodyHash = body?.sha256 ?? EMPTY_BODY_HASH
    const request = { method, path, query, headers: all, bodyHash }
    const signed =
      credentialsFile === undefined
        ? all
        : signRequest(request, readCredentials(credentialsFile), region, this.#clock.wallMs())
    const text = encodeQuery(query)
    const target = text === '' ? path : `${path}?${text}`
    for (let left = CONNECTIONS; ; left--) {
      try {
        return await this.#connect(target, method, signed, body, signal)
      } catch (cause) {
        if (signal.aborted) throw signal.reason
        // The store closed a kept connection just as it was used again, so it did not get the request.
        if (left === 0 || body !== undefined || !(cause instanceof Fault && cause.data.isStale)) throw cause
      }
    }
  }

  #connect(
    path: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: ObjectBody | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const { hostname, port } = this.#url
    const send = this.#isTls ? requestHttps : requestHttp
    const request = send({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? undefined : port,
      path,
      method,
      agent: this.#agent,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      headers: { ...headers, ...(body !== undefined && { 'content-length': `${body.bytes}` }) },
    })
    request.on('error', (cause: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')
      reject(failed(describe(cause), cause, { isStale }))
    })
    request.on('upgrade', (_, socket) => {
      socket.destroy()
      reject(failed('it switched to another protocol'))
    })
    request.on('response', resolve)
    if (body === undefined) request.end()
    // The store may answer with an error before it has read everything.
    else pipeline(body.open(), request).catch((cause: Error) => reject(failed(describe(cause), cause)))
    return promise
  }
}

/** Whether a failure says something about one object and nothing about the store. */
export function isAboutObject(error: unknown): boolean {
  return error instanceof Fault && error.data.isAboutObject === true
}

/** A missing object, a range beyond its end, and an object in cold storage. */
function concernsObject(status: number | undefined, code: string | undefined): boolean {
  if (status === NOT_FOUND) return code !== 'NoSuchBucket'
  return status === RANGE_NOT_SATISFIABLE || code === 'InvalidObjectState'
}

async function requireStatus(answer: IncomingMessage, wanted: number): Promise<void> {
  if (answer.statusCode === wanted) return
  const text = await readBody(answer, MAX_ERROR_BYTES).catch(() => new Uint8Array())
  const code = /^\w{1,64}$/.exec(elementOf(Buffer.from(text).toString('utf8'), 'Code') ?? '')?.[0]
  const { statusCode: status } = answer
  const sentence = `it answered with status ${status}${code === undefined ? '' : ` (${code})`}`
  throw failed(sentence, undefined, { isAboutObject: concernsObject(status, code) })
}

function lengthOf(answer: IncomingMessage): number {
  const length = Number(answer.headers['content-length'])
  if (!Number.isSafeInteger(length) || length < 0) throw failed('it did not say the length of an object')
  return length
}

async function readBody(
  answer: IncomingMessage,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunksOf(answer, signal)) {
    bytes += chunk.length
    if (bytes > maxBytes) throw failed(`its answer has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function* chunksOf(answer: IncomingMessage, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* answer
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason
    throw failed('it broke off its answer', cause)
  }
}

function* readList(text: string): Generator<ListedObject> {
  // Split, because a lazy expression takes time with the square of a hostile page.
  for (const entry of text.split('<Contents>').slice(1)) {
    const key = elementOf(entry, 'Key')
    const bytes = Number(elementOf(entry, 'Size'))
    if (key !== undefined && Number.isSafeInteger(bytes)) yield { key, bytes }
  }
}

/** The text of the first such element. Keys that need escaping are not ours. */
function elementOf(text: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1]
}

/** Node's message for several failed addresses is empty. */
function describe(cause: NodeJS.ErrnoException): string {
  return cause.message || cause.code || 'the connection failed'
}

/** The sentence is a clause: the caller adds its subject. */
function failed(
  sentence: string,
  cause?: unknown,
  details: { readonly isStale?: boolean; readonly isAboutObject?: boolean } = {},
) {
  return platformFault('HTTP_FAILED', { sentence, ...details }, { cause })
}
