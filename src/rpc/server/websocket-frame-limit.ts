import type { WebSocket } from 'ws'
import { assert } from '#types/assert.ts'

/** The part of ws's receiver that this file relies on; the exact version is pinned and a test watches. */
interface Receiver {
  readonly _opcode: number
  readonly _payloadLength: number
  haveLength(callback: (error?: Error) => void): void
  createError(type: ErrorConstructor, text: string, prefix: boolean, closeCode: number, code: string): Error
}

const FIRST_CONTROL_OPCODE = 0x8
const MESSAGE_TOO_BIG = 1009

/**
 * ws limits messages, not frames, and the option of the reference is a limit for frames (a message may have
 * four times as much). So this looks at each frame's length as soon as ws has read it, before its payload.
 */
export function limitFrameSize(socket: WebSocket, maxBytes: number): void {
  const receiver = (socket as unknown as { _receiver: Receiver })._receiver
  assert(typeof receiver?.haveLength === 'function', 'ws has the receiver that was pinned')
  const { haveLength } = receiver
  receiver.haveLength = (callback) => {
    if (receiver._opcode >= FIRST_CONTROL_OPCODE || receiver._payloadLength <= maxBytes) {
      haveLength.call(receiver, callback)
      return
    }
    const code = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
    callback(receiver.createError(RangeError, 'Max frame size exceeded', false, MESSAGE_TOO_BIG, code))
  }
}
