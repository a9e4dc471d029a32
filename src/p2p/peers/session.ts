/**
 * A connection after its handshake: HELLO, keep-alive, the messages of shared protocols, and the end. The handshake proved the
 * peer's identity; HELLO must match it.
 */
import type { Socket } from 'node:net'
import { DISCONNECT_REASONS, type DisconnectReason, reasonOfError } from '#p2p/disconnect.ts'
import { p2pFault } from '#p2p/faults.ts'
import { P2P_PROBLEMS } from '#p2p/log-problems.ts'
import { FrameDecoder, type WireFrame } from '#p2p/rlpx/frame-decoder.ts'
import { FRAME_MAX_BYTES, FrameEncoder } from '#p2p/rlpx/frame-encoder.ts'
import type { FrameSecrets } from '#p2p/rlpx/handshake.ts'
import { protocolOfCode, type SharedProtocol, sharedProtocols } from '#p2p/rlpx/multiplexer.ts'
import { deflate, deflateShared, inflate } from '#p2p/rlpx/snappy.ts'
import {
  CONTROL_MAX_BYTES,
  DISCONNECT,
  decodeDisconnect,
  decodeHello,
  EMPTY_BODY,
  encodeDisconnect,
  encodeHello,
  HELLO,
  HELLO_MAX_BYTES,
  type Hello,
  PING,
  PONG,
} from '#p2p/rlpx/wire-messages.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { formatDigits } from '#types/hex.ts'
import type { Lane, PeerHandlers, PeerIdentity, PeerProtocol, ProtocolReport } from './protocol.ts'
import { ReadBudget } from './read-budget.ts'
import { type BulkTurns, type SendLimits, SendQueue } from './send-queue.ts'

/** Maximum time between handshake and HELLO. */
const HELLO_MS = 5_000
/** geth disconnects after 30 s of silence. */
const PING_AFTER_MS = 15_000
const DEAD_AFTER_MS = 30_000
const WATCH_MS = 5_000
/** Maximum time between a DISCONNECT and closing the socket. */
const LINGER_MS = 2_000
/** Maximum unhandled data; beyond it, nothing is read from the peer. */
const UNHANDLED_MAX_BYTES = 2 * 1024 * 1024
const UNHANDLED_MAX_MESSAGES = 128
/** The first version with compressed messages (EIP-706). */
const COMPRESSED_SINCE = 5

export interface PeerSessionParts {
  readonly socket: Socket
  readonly secrets: FrameSecrets
  /** The key proven by the handshake. */
  readonly publicKey: Uint8Array
  /** The remote address. */
  readonly ip: string
  readonly isInbound: boolean
  /** The port we dialled; null for an inbound peer, whose HELLO contains its port. */
  readonly dialledPort: number | null
  readonly hello: Hello
  readonly protocols: readonly PeerProtocol[]
  readonly clock: Clock
  readonly log: Log
  readonly bulkTurns: BulkTurns
  readonly sendLimits?: SendLimits
  /** Called after a valid HELLO, before protocols connect. Returns the reason to refuse the peer, or null. */
  readonly admit: (session: PeerSession) => Promise<DisconnectReason | null>
  readonly onOpen: (session: PeerSession) => void
  /** Called exactly once per session, as soon as the end is known. */
  readonly onClosed: (session: PeerSession, end: SessionEnd) => void
}

export interface SessionEnd {
  readonly reason: DisconnectReason
  readonly byPeer: boolean
  readonly sentence: string
}

interface Running {
  readonly protocol: PeerProtocol
  readonly handlers: PeerHandlers
}

export class PeerSession {
  readonly #parts: PeerSessionParts
  readonly #decoder: FrameDecoder
  readonly #encoder: FrameEncoder
  readonly #queue: SendQueue
  readonly #budget = new ReadBudget()
  readonly #running: Running[] = []
  readonly openedMs: number
  #state: 'hello' | 'admitting' | 'open' | 'closed' = 'hello'
  #isCompressed = false
  #identity: PeerIdentity | undefined
  #shared: readonly SharedProtocol<PeerProtocol>[] = []
  #heardMs: number
  #isPinged = false
  #unhandledBytes = 0
  #unhandledMessages = 0
  #isHeldBack = false
  #heldBackUntilMs = Number.NEGATIVE_INFINITY
  /** Frames that arrived before the protocols are connected. */
  #early: WireFrame[] = []
  #watch: Timer
  readonly #traffic = { bytesIn: 0, bytesOut: 0, messagesIn: 0, messagesOut: 0 }

  constructor(parts: PeerSessionParts) {
    const { secrets, socket, clock } = parts
    this.#parts = parts
    this.#decoder = new FrameDecoder(secrets, HELLO_MAX_BYTES)
    this.#encoder = new FrameEncoder(secrets)
    const sink = { write: (frame: Uint8Array) => this.#write(frame) }
    const encode = (code: number, data: Uint8Array) => this.#encode(code, data)
    this.#queue = new SendQueue(sink, encode, clock, parts.bulkTurns, parts.sendLimits)
    this.openedMs = this.#heardMs = clock.monotonicMs()
    this.#watch = clock.after(HELLO_MS, () => this.close('timeout', 'The peer sent no HELLO in time.'), {
      unref: true,
    })
    socket.on('drain', () => this.#queue.onDrain())
    socket.on('error', (error) => this.#end('tcpError', true, `The connection broke: ${error.message}.`))
    socket.on('close', () => this.#end('tcpError', true, 'The peer closed the connection without a word.'))
  }

  /** `first` is sent before HELLO in the same write; `rest` was received with the handshake. */
  start(first: Uint8Array, rest: Uint8Array): void {
    const hello = this.#encoder.encode(HELLO, encodeHello(this.#parts.hello))
    this.#write(Buffer.concat([first, hello]))
    const { socket } = this.#parts
    socket.on('data', (bytes) => this.#onBytes(bytes))
    this.#onBytes(rest)
    if (this.#state !== 'closed') socket.resume()
  }

  get identity(): PeerIdentity {
    return this.#identity!
  }

  get id(): string {
    return formatDigits(this.#parts.publicKey)
  }

  get isInbound(): boolean {
    return this.#parts.isInbound
  }

  get socket(): Socket {
    return this.#parts.socket
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  get protocols(): readonly ProtocolReport[] {
    return this.#running.map(({ protocol: { name, version }, handlers }) => {
      const facts = handlers.describe?.()
      return facts === undefined ? { name, version } : { name, version, facts }
    })
  }

  get traffic() {
    return { ...this.#traffic, queuedBytes: this.#queue.bytes }
  }

  /** Sends the reason, drops waiting messages and closes the socket. */
  close(reason: DisconnectReason, sentence: string): void {
    if (this.#state === 'closed') return
    const { socket, clock } = this.#parts
    const data = encodeDisconnect(reason)
    const frame = this.#encoder.encode(DISCONNECT, this.#isCompressed ? deflate(data) : data)
    this.#end(reason, false, sentence)
    socket.removeAllListeners('data')
    socket.resume()
    socket.end(frame)
    clock.after(LINGER_MS, () => socket.destroy(), { unref: true })
  }

  #write(frame: Uint8Array): boolean {
    this.#traffic.bytesOut += frame.length
    return this.#parts.socket.write(frame)
  }

  #encode(code: number, data: Uint8Array): Uint8Array {
    this.#traffic.messagesOut++
    return this.#encoder.encode(code, this.#isCompressed ? deflateShared(data) : data)
  }

  #onBytes(bytes: Uint8Array): void {
    this.#heardMs = this.#parts.clock.monotonicMs()
    this.#isPinged = false
    this.#traffic.bytesIn += bytes.length
    try {
      for (const frame of this.#decoder.push(bytes)) {
        if (this.#state === 'closed') return
        this.#traffic.messagesIn++
        this.#onFrame(frame)
      }
    } catch (error) {
      this.#fail(error)
    }
    this.#holdBack()
  }

  #onFrame(frame: WireFrame): void {
    if (frame.code === DISCONNECT) this.#onDisconnect(frame.data)
    else if (this.#state === 'hello') this.#onHello(frame)
    else if (this.#state === 'admitting') this.#early.push(frame)
    else this.#onMessage(frame)
  }

  #onMessage({ code, data }: WireFrame): void {
    if (code === HELLO) throw breach('The peer sent a second HELLO.')
    const found = protocolOfCode(this.#shared, code)
    const limit = found?.protocol.limitOf(found.code)
    if (found === undefined ? code !== PING && code !== PONG : limit === undefined) {
      throw breach(`The peer sent a message with the unknown code ${code}.`)
    }
    const { waitMs, isFlood } = this.#budget.take(code, limit, this.#heardMs)
    const name = found?.protocol.name ?? 'p2p'
    if (isFlood) throw breach(`The peer floods this node with messages ${found?.code ?? code} of ${name}.`)
    if (waitMs > 0) this.#pauseUntil(this.#heardMs + waitMs)
    const plain = this.#unpack(data, limit?.maxBytes ?? CONTROL_MAX_BYTES)
    if (found !== undefined) this.#deliver(found.protocol, found.code, plain)
    else if (code === PING) this.#queue.push(PONG, EMPTY_BODY, 'urgent')
  }

  #unpack(data: Uint8Array, maxBytes: number): Uint8Array {
    if (this.#isCompressed) return inflate(data, maxBytes)
    if (data.length <= maxBytes) return data
    throw breach(`A message of the peer has ${data.length} bytes, more than ${maxBytes}.`)
  }

  #onDisconnect(data: Uint8Array): void {
    let reason: DisconnectReason = 'unknown'
    try {
      reason = decodeDisconnect(this.#unpack(data, CONTROL_MAX_BYTES))
    } catch (error) {
      // Some clients send it uncompressed.
      if (!(error instanceof Fault)) throw error
      reason = decodeDisconnect(data)
    }
    const { socket } = this.#parts
    this.#end(reason, true, `The peer hung up: ${DISCONNECT_REASONS[reason].sentence}.`)
    socket.destroy()
  }

  #onHello({ code, data }: WireFrame): void {
    if (code !== HELLO) throw breach('The first message of the peer is not HELLO.')
    const hello = decodeHello(data)
    const { publicKey, protocols, dialledPort, ip, isInbound } = this.#parts
    this.#isCompressed = hello.p2pVersion >= COMPRESSED_SINCE
    this.#shared = sharedProtocols(protocols, hello.capabilities)
    if (!equalBytes(hello.publicKey, publicKey)) {
      this.close('unexpectedIdentity', 'HELLO of the peer has another id than its handshake has proven.')
      return
    }
    if (this.#shared.length === 0) {
      const offered = hello.capabilities.map(({ name, version }) => `${name}/${version}`).join(', ')
      this.close('uselessPeer', `The peer speaks none of our protocols, but ${offered || 'nothing'}.`)
      return
    }
    const tcpPort = dialledPort ?? (hello.listenPort || null)
    const hostKind = ip.includes(':') ? 'ipv6' : 'ipv4'
    // The discovery port is only known for peers that we dialled.
    const udpPort = isInbound ? null : tcpPort
    const enode = { id: formatDigits(publicKey), host: ip, hostKind, tcpPort, udpPort } as const
    const { clientId, capabilities } = hello
    this.#identity = { enode, publicKey, clientId, capabilities, isInbound }
    this.#state = 'admitting'
    this.#admit().catch((error) => this.#fail(error))
  }

  /** Pauses reading: messages after HELLO are for protocols that are not connected yet. */
  async #admit(): Promise<void> {
    this.#decoder.maxFrameBytes = FRAME_MAX_BYTES
    this.#hold()
    const refusal = await this.#parts.admit(this)
    if (this.#state !== 'admitting') return
    if (refusal !== null) {
      return this.close(refusal, `The peer was refused: ${DISCONNECT_REASONS[refusal].sentence}.`)
    }
    this.#state = 'open'
    this.#watch.cancel()
    this.#watch = this.#parts.clock.every(WATCH_MS, () => this.#keepAlive(), { unref: true })
    this.#parts.onOpen(this)
    for (const { protocol, offset } of this.#shared) {
      const handlers = protocol.connect({
        peer: this.identity,
        send: (code, data, lane) => this.#send(offset + code, data, lane),
        drained: () => this.#queue.drained(),
        holdBack: (ms) => this.#pauseUntil(this.#parts.clock.monotonicMs() + ms),
        disconnect: (reason, sentence) => this.close(reason, sentence),
      })
      // A protocol may disconnect at once.
      if (this.isClosed) return handlers.onClose?.('requested')
      this.#running.push({ protocol, handlers })
    }
    const early = this.#early
    this.#early = []
    for (const frame of early) if (!this.isClosed) this.#onFrame(frame)
    this.#release()
  }

  #send(wireCode: number, data: Uint8Array, lane: Lane): boolean {
    if (this.#state !== 'open') return false
    if (this.#queue.push(wireCode, data, lane)) return true
    if (lane === 'urgent') this.close('timeout', 'The peer does not read consensus messages.')
    return false
  }

  #deliver(protocol: PeerProtocol, code: number, data: Uint8Array): void {
    const running = this.#running.find((candidate) => candidate.protocol === protocol)
    const pending = running?.handlers.onMessage(code, data)
    if (pending === undefined) return
    this.#unhandledBytes += data.length
    this.#unhandledMessages += 1
    pending
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#unhandledBytes -= data.length
        this.#unhandledMessages -= 1
        this.#release()
      })
  }

  /** Stops reading while messages arrive faster than they are handled. */
  #holdBack(): void {
    if (this.#isSaturated()) this.#hold()
  }

  #isSaturated(): boolean {
    return this.#unhandledBytes > UNHANDLED_MAX_BYTES || this.#unhandledMessages > UNHANDLED_MAX_MESSAGES
  }

  #hold(): void {
    this.#isHeldBack = true
    this.#parts.socket.pause()
  }

  #release(): void {
    if (!this.#isHeldBack || this.#state !== 'open' || this.#isSaturated()) return
    if (this.#parts.clock.monotonicMs() < this.#heldBackUntilMs) return
    this.#isHeldBack = false
    this.#parts.socket.resume()
  }

  #pauseUntil(untilMs: number): void {
    this.#hold()
    if (untilMs <= this.#heldBackUntilMs) return
    this.#heldBackUntilMs = untilMs
    const onTime = (): void => {
      if (this.#heldBackUntilMs !== untilMs) return
      // Timers count whole milliseconds and may fire slightly early.
      this.#heldBackUntilMs = Number.NEGATIVE_INFINITY
      this.#release()
    }
    const { clock } = this.#parts
    clock.after(untilMs - clock.monotonicMs(), onTime, { unref: true })
  }

  #keepAlive(): void {
    const silentMs = this.#parts.clock.monotonicMs() - this.#heardMs
    if (this.#queue.stalledMs() >= DEAD_AFTER_MS) {
      this.close('timeout', 'The peer did not read for 30 s.')
    } else if (this.#isHeldBack) {
      // A peer we do not read from is not silent.
    } else if (silentMs >= DEAD_AFTER_MS) {
      this.close('timeout', 'Nothing was heard of the peer for 30 s.')
    } else if (silentMs >= PING_AFTER_MS && !this.#isPinged) {
      this.#isPinged = true
      this.#queue.push(PING, EMPTY_BODY, 'urgent')
    }
  }

  /** Logs our own mistakes as errors; reports the peer's mistakes to it. */
  #fail(error: unknown): void {
    if (!(error instanceof Fault)) {
      this.#parts.log.error(P2P_PROBLEMS.messageFailed, { id: this.id, err: error })
    }
    const sentence = error instanceof Fault ? error.data.sentence : 'This node failed to handle a message.'
    this.close(reasonOfError(error), sentence)
  }

  #end(reason: DisconnectReason, byPeer: boolean, sentence: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#watch.cancel()
    this.#queue.close()
    for (const { handlers } of this.#running) handlers.onClose?.(reason)
    this.#running.length = 0
    this.#parts.onClosed(this, { reason, byPeer, sentence })
  }
}

function breach(sentence: string) {
  return p2pFault('INVALID_WIRE_MESSAGE', { sentence })
}
