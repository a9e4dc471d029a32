/** The RLPx handshake on a socket: reassembles packets within a deadline. On any failure the caller destroys the socket. */
import type { Socket } from 'node:net'
import { invalidHandshake } from '#p2p/rlpx/ecies.ts'
import { type FrameSecrets, type HandshakeParts, openHandshake, readHandshake } from '#p2p/rlpx/handshake.ts'
import { HandshakeInbox, type PacketForm, type PacketName } from '#p2p/rlpx/handshake-packet.ts'

export interface ShakenHands {
  readonly publicKey: Uint8Array
  readonly secrets: FrameSecrets
  /** Must be sent before the first frame. */
  readonly first: Uint8Array
  /** Bytes received after the packet. */
  readonly rest: Uint8Array
}

const NOTHING = new Uint8Array(0)

export async function shakeHandsOutbound(
  socket: Socket,
  parts: HandshakeParts,
  publicKey: Uint8Array,
  signal: AbortSignal,
): Promise<ShakenHands> {
  const opened = await openHandshake(parts, publicKey)
  // A single write, because Besu rejects a packet that arrives in two pieces.
  socket.write(opened.auth)
  const { result, rest } = await readPacket(socket, 'ack', opened.finish, signal)
  return { publicKey, secrets: result, first: NOTHING, rest }
}

/** `mayAnswer` sees the peer's key before anything is sent. */
export async function shakeHandsInbound(
  socket: Socket,
  parts: HandshakeParts,
  mayAnswer: (publicKey: Uint8Array) => boolean,
  signal: AbortSignal,
): Promise<ShakenHands> {
  const read = (packet: Uint8Array, form: PacketForm) => readHandshake(parts, packet, form)
  const { result: asked, rest } = await readPacket(socket, 'auth', read, signal)
  if (!mayAnswer(asked.publicKey)) throw invalidHandshake()
  const { ack, secrets } = asked.answer()
  return { publicKey: asked.publicKey, secrets, first: ack, rest }
}

/** Reads one piece at a time, so nothing accumulates while a key is computed. Leaves the socket paused. */
function readPacket<Result>(
  socket: Socket,
  name: PacketName,
  decode: (packet: Uint8Array, form: PacketForm) => Promise<Result>,
  signal: AbortSignal,
): Promise<{ readonly result: Result; readonly rest: Uint8Array }> {
  const inbox = new HandshakeInbox(name)
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly result: Result
    readonly rest: Uint8Array
  }>()
  const onData = (piece: Uint8Array): void => {
    socket.pause()
    inbox.push(piece, decode).then((found) => {
      if (found === undefined) socket.resume()
      else resolve(found)
    }, reject)
  }
  const onAbort = (): void => reject(signal.reason)
  const onEnd = (): void => reject(new Error('the peer closed the connection during the handshake'))
  const onError = (error: Error): void => reject(error)
  socket.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', onError)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  else socket.resume()
  return promise.finally(() => {
    socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError)
    signal.removeEventListener('abort', onAbort)
    socket.pause()
  })
}
