import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { assert } from '#types/assert.ts'

/** The internals of ws's sender that this file uses; the exact version is pinned, and a test checks them. */
interface Sender {
  readonly _socket: Socket
  sendFrame(frame: readonly (Buffer | string)[], onSent?: (error?: Error | null) => void): void
}

/** Longer texts are not joined with their heads, which would copy them. */
const JOINED_MAX_CHARS = 4_096

/**
 * ws hands the head and the text of a frame to the socket as two pieces, which costs more than a short answer. A short
 * text of ASCII is the same in Latin-1, so it is written together with its head, as one string.
 */
export function joinShortFrames(socket: WebSocket): void {
  const sender = (socket as unknown as { _sender: Sender })._sender
  const { sendFrame } = sender
  assert(typeof sendFrame === 'function', 'ws has the sender that was pinned')
  sender.sendFrame = (frame, onSent) => {
    const [head, text] = frame
    if (Buffer.isBuffer(head) && typeof text === 'string' && isShortAscii(text))
      sender._socket.write(head.toString('latin1') + text, 'latin1', onSent)
    else sendFrame.call(sender, frame.map(bytesOf), onSent)
  }
}

/**
 * A string that the system does not take at once takes three times its length, and as a slice it keeps the complete text
 * alive, even after the outbox has dropped it.
 */
function bytesOf(part: Buffer | string): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : part
}

function isShortAscii(text: string): boolean {
  return text.length <= JOINED_MAX_CHARS && Buffer.byteLength(text) === text.length
}
