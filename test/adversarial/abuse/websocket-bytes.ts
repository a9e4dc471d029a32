import { randomBytes } from 'node:crypto'

/** WebSocket frames as bytes, because libraries refuse to send what this test needs. */

export const TEXT = 0x1
export const CONTINUATION = 0x0
/** Binary messages need not be UTF-8, so invalid text gets past ws. */
export const BINARY = 0x2
export const PING = 0x9
const FINAL = 0x80
/** RSV1: the payload is compressed. */
export const COMPRESSED = 0x40

export interface FrameOptions {
  readonly opcode?: number
  readonly isFinal?: boolean
  readonly flags?: number
  /** A wrong length for the payload. */
  readonly claimedLength?: number
}

export function handshake(port: number, headers = ''): string {
  return (
    `GET / HTTP/1.1\r\nhost: localhost:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
    `sec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n${headers}\r\n`
  )
}

/** A frame as a client sends it, masked. */
export function frame(payload: Uint8Array | string, options: FrameOptions = {}): Buffer {
  const { opcode = TEXT, isFinal = true, flags = 0 } = options
  const bytes = Buffer.from(payload)
  const mask = randomBytes(4)
  const masked = bytes.map((byte, index) => byte ^ mask[index % 4]!)
  const first = opcode | flags | (isFinal ? FINAL : 0)
  return Buffer.concat([
    Buffer.from([first]),
    lengthBytes(options.claimedLength ?? bytes.length),
    mask,
    masked,
  ])
}

function lengthBytes(length: number): Buffer {
  if (length < 126) return Buffer.from([0x80 | length])
  if (length < 65_536) return Buffer.from([0x80 | 126, length >> 8, length & 0xff])
  const long = Buffer.alloc(9)
  long[0] = 0x80 | 127
  long.writeBigUInt64BE(BigInt(length), 1)
  return long
}
