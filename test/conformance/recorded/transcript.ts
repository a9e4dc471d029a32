import { gunzipSync, inflateSync } from 'node:zlib'
import type { RecordedEntry } from './entry.ts'

/** One reply: an HTTP answer, a WebSocket handshake, or a message (status 0). */
export interface Reply {
  readonly status: number
  readonly reason: string
  /** The compared headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The replies of one entry, recorded or ours. `end` describes how the connection ended, if known. */
export interface Transcript {
  readonly replies: readonly Reply[]
  readonly end: string
}

export const STILL_OPEN = 'still open'
export const CLOSED_BY_SERVER = 'closed by server'

const COMPARED =
  /^(content-type|content-encoding|allow|vary|access-control-.*|sec-websocket-protocol|sec-websocket-extensions)$/

/** The server chooses extension parameters, but must grant the extension. */
export function comparedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => COMPARED.test(name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name.endsWith('extensions') ? value.split(';')[0]! : value]),
  )
}

export function message(body: string): Reply {
  return { status: 0, reason: '', headers: {}, body }
}

export function recordedTranscript(entry: RecordedEntry): Transcript {
  switch (entry.transport) {
    case 'http':
      return { replies: [recordedReply(entry)], end: '' }
    case 'tcp':
      return {
        replies: parseReplies(Buffer.from(entry.response ?? '')),
        end: entry.end === CLOSED_BY_SERVER ? CLOSED_BY_SERVER : STILL_OPEN,
      }
    case 'ws': {
      const frames = entry.frames ?? []
      const messages = frames.flatMap((frame) => (frame.in === undefined ? [] : [message(frame.in)]))
      const code = frames.find(({ close }) => close !== undefined)?.close
      const handshake = handshakeReply(entry.status ?? 0, entry.reason, entry.responseHeaders ?? {})
      return { replies: [handshake, ...messages], end: `closed with ${code}` }
    }
    default:
      return { replies: [], end: '' }
  }
}

function recordedReply({ status = 0, reason = '', responseHeaders = {}, response }: RecordedEntry): Reply {
  const encoded = response?.startsWith('base64:')
  const body = encoded
    ? decoded(Buffer.from(response!.slice(7), 'base64'), responseHeaders['content-encoding'])
    : (response ?? '')
  return { status, reason, headers: comparedHeaders(responseHeaders), body }
}

/** The body of a refused handshake was not recorded, only its length. */
export function handshakeReply(
  status: number,
  reason: string | undefined,
  headers: Readonly<Record<string, string>>,
): Reply {
  const length = status === 101 ? {} : { 'content-length': headers['content-length'] ?? '' }
  const phrase = reason ?? 'Switching Protocols'
  return { status, reason: phrase, headers: { ...comparedHeaders(headers), ...length }, body: '' }
}

/** All HTTP messages of a connection; a last one without a length extends to the end. */
export function parseReplies(received: Buffer, isHead = false): Reply[] {
  const replies: Reply[] = []
  let rest = received
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`no end of headers in ${JSON.stringify(rest.toString('latin1'))}`)
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    )
    // The version of the status line is the server's own (RFC 9110, 6.2); the recording's server repeats the client's.
    const [, status = '', reason = ''] = /^HTTP\/\d\.\d (\d{3}) ?(.*)$/.exec(statusLine) ?? []
    rest = rest.subarray(end + 4)
    const isBodiless = isHead || status === '204' || status.startsWith('1')
    const body = isBodiless ? { bytes: Buffer.alloc(0), rest } : takeBody(rest, headers)
    rest = body.rest
    replies.push({
      status: Number(status),
      reason,
      headers: comparedHeaders(headers),
      body: decoded(body.bytes, headers['content-encoding']),
    })
  }
  return replies
}

interface TakenBody {
  readonly bytes: Buffer
  readonly rest: Buffer
}

function takeBody(from: Buffer, headers: Readonly<Record<string, string>>): TakenBody {
  if (headers['transfer-encoding'] === 'chunked') return takeChunks(from)
  const length = Number(headers['content-length'] ?? from.length)
  if (from.length < length) throw new Error('the body is not complete')
  return { bytes: from.subarray(0, length), rest: from.subarray(length) }
}

function takeChunks(from: Buffer): TakenBody {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = from.indexOf('\r\n', at)
    const length = Number.parseInt(from.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (lineEnd === -1 || from.length < start + length + 2) throw new Error('a chunk is not complete')
    if (length === 0) return { bytes: Buffer.concat(chunks), rest: from.subarray(start + 2) }
    chunks.push(from.subarray(start, start + length))
    at = start + length + 2
  }
}

function decoded(bytes: Buffer, coding: string | undefined): string {
  if (coding === 'gzip') return gunzipSync(bytes).toString()
  return (coding === 'deflate' ? inflateSync(bytes) : bytes).toString()
}
