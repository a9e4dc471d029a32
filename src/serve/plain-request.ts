import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

/** Fits a batch of some hundred requests; its memory is left to the garbage collector. */
const PLAIN_MAX_BYTES = 32 * 1024
/** Different heads that need not be parsed again; clients repeat theirs. */
const KNOWN_MAX = 256

/** A POST to `/` that arrived in one piece. */
export class PlainRequest {
  readonly method = 'POST'
  readonly url = '/'
  readonly httpVersion = '1.1'
  /** Shared by requests with the same head. */
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  readonly body: Uint8Array

  constructor(headers: IncomingHttpHeaders, socket: Socket, body: Uint8Array) {
    this.headers = headers
    this.socket = socket
    this.body = body
  }
}

export interface PlainHead {
  readonly headers: IncomingHttpHeaders
  readonly bodyBytes: number
}

const START = 'POST / HTTP/1.1'
const HEAD_END = '\r\n\r\n'
const FIRST_BYTE = 'P'.charCodeAt(0)
/** A name of token characters, and a value of printable ones. */
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*((?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?)[ \t]*$/
/** A decimal number with at most as many digits as PLAIN_MAX_BYTES. */
const LENGTH = /^(?:0|[1-9]\d{0,4})$/

/** Headers that change how a request is read or answered; node:http knows how. */
const LEFT_TO_NODE: ReadonlySet<string> = new Set([
  'content-encoding',
  'expect',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Reads the usual request: complete, alone in its piece, with an unambiguous head. */
export class PlainReader {
  readonly #known = new Map<string, PlainHead>()

  /** Undefined if node:http must read it. */
  read(chunk: Buffer, socket: Socket): PlainRequest | undefined {
    if (chunk.length >= PLAIN_MAX_BYTES || chunk[0] !== FIRST_BYTE) return undefined
    const end = chunk.indexOf(HEAD_END, 0, 'latin1')
    if (end < 0) return undefined
    const head = this.#headOf(chunk.toString('latin1', 0, end))
    const start = end + HEAD_END.length
    if (head?.bodyBytes !== chunk.length - start) return undefined
    return new PlainRequest(head.headers, socket, chunk.subarray(start))
  }

  #headOf(text: string): PlainHead | undefined {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const head = parsePlainHead(text)
    // A token is not kept for longer than its request.
    if (head === undefined || head.headers.authorization !== undefined) return head
    if (this.#known.size >= KNOWN_MAX) this.#known.clear()
    this.#known.set(text, head)
    return head
  }
}

/** The head without its last line ends. Undefined if node:http might read it in another way. */
export function parsePlainHead(text: string): PlainHead | undefined {
  const [start, ...lines] = text.split('\r\n')
  if (start !== START) return undefined
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const match = HEADER.exec(line)
    if (match === null) return undefined
    const name = match[1]!.toLowerCase()
    if (name in headers || LEFT_TO_NODE.has(name)) return undefined
    headers[name] = match[2]!
  }
  const { host, connection = 'keep-alive', 'content-length': length } = headers
  if (host === undefined || length === undefined || !LENGTH.test(length)) return undefined
  if (connection.toLowerCase() !== 'keep-alive') return undefined
  return { headers, bodyBytes: Number(length) }
}
