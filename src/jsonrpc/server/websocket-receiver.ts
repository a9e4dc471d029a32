import type { WebSocket } from 'ws'
import { assert } from '#types/assert.ts'

/** The internals of ws's receiver that this file uses; the exact version is pinned, and tests check them. */
interface Receiver {
  readonly _opcode: number
  readonly _payloadLength: number
  /** Unpacked bytes of the arriving message so far. */
  readonly _messageLength: number
  readonly _bufferedBytes: number
  readonly writable: boolean
  _fragments: Buffer[]
  _loop: boolean
  getInfo(callback: (error?: Error) => void): void
  haveLength(callback: (error?: Error) => void): void
  dataMessage(callback: (error?: Error) => void): void
  createError(type: ErrorConstructor, text: string, prefix: boolean, closeCode: number, code: string): Error
  write(chunk: Uint8Array): boolean
}

const FRAME_HEAD_BYTES = 2
const FIRST_CONTROL_OPCODE = 0x8
const MESSAGE_TOO_BIG = 1009
export const TRY_AGAIN_LATER = 1013
const NOTHING = new Uint8Array(0)

export interface ReceiverRules {
  readonly frameMaxBytes: number
  /** True if another message may be read now. */
  mayRead(): boolean
  /** The arriving message has, or will soon have, this many bytes. Returns false if there is no room. */
  onArriving(bytes: number): boolean
}

export interface GuardedReceiver {
  /** Resumes reading. */
  goOn(): void
  /** Drops all further bytes. */
  drop(): void
}

/**
 * ws limits messages, but not frames, other connections or time. So each frame is checked before it is read, once its
 * length is known, and after it was unpacked:
 *
 * - pausing a WebSocket stops its socket, while 64 KiB already read may expand to 64 MiB;
 * - Besu's option limits frames (a message may be four times as large);
 * - only the receiver knows how much an unfinished message takes.
 */
export function guardReceiver(
  socket: WebSocket,
  { frameMaxBytes, mayRead, onArriving }: ReceiverRules,
): GuardedReceiver {
  const receiver = (socket as unknown as { _receiver: Receiver })._receiver
  const { getInfo, haveLength, dataMessage } = receiver
  assert(
    [getInfo, haveLength, dataMessage].every((each) => typeof each === 'function'),
    'ws has the receiver that was pinned',
  )
  let isHeld = false
  const refuse = (text: string, closeCode: number): Error =>
    receiver.createError(RangeError, text, false, closeCode, 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
  const refuseForRoom = (): Error => refuse('Too many large messages at once', TRY_AGAIN_LATER)

  receiver.getInfo = (callback) => {
    isHeld = receiver._bufferedBytes >= FRAME_HEAD_BYTES && !mayRead()
    if (isHeld) receiver._loop = false
    else getInfo.call(receiver, callback)
  }
  receiver.haveLength = (callback) => {
    const { _opcode, _payloadLength, _messageLength } = receiver
    if (_opcode >= FIRST_CONTROL_OPCODE) haveLength.call(receiver, callback)
    else if (_payloadLength > frameMaxBytes) callback(refuse('Max frame size exceeded', MESSAGE_TOO_BIG))
    else if (!onArriving(_messageLength + _payloadLength)) callback(refuseForRoom())
    else haveLength.call(receiver, callback)
  }
  receiver.dataMessage = (callback) => {
    if (onArriving(receiver._messageLength)) dataMessage.call(receiver, callback)
    else callback(refuseForRoom())
  }
  return {
    goOn() {
      if (!isHeld || !receiver.writable) return
      isHeld = false
      // Makes the receiver process its buffer.
      receiver.write(NOTHING)
    },
    drop() {
      receiver._fragments = []
    },
  }
}
