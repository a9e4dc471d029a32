/**
 * Manages connections: listens, dials, admits or refuses peers, and keeps one connection per identity. Protocols handle the
 * messages.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { DisconnectReason } from '#p2p/disconnect.ts'
import { canonicalIp } from '#p2p/ip-bytes.ts'
import { P2P_PROBLEMS } from '#p2p/log-problems.ts'
import type { MayConnect } from '#p2p/peer-rules.ts'
import { locate } from '#p2p/read-nodes.ts'
import type { HandshakeParts } from '#p2p/rlpx/handshake.ts'
import { type Hello, P2P_VERSION } from '#p2p/rlpx/wire-messages.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import { type Clock, deadlineSignal, type Timer } from '#platform/clock.ts'
import { listenFault } from '#platform/listen-fault.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { createSignal } from '#platform/signal.ts'
import type { Address } from '#types/address.ts'
import { type Enode, formatEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import { DialPlan, type FailedDial } from './dial-plan.ts'
import { ExpectedPeers } from './expected-peers.ts'
import { type ShakenHands, shakeHandsInbound, shakeHandsOutbound } from './handshake-socket.ts'
import { InboundGate } from './inbound-gate.ts'
import type { PeerIdentity, PeerProtocol, ProtocolReport } from './protocol.ts'
import { BulkTurns, type SendLimits } from './send-queue.ts'
import { PeerSession, type SessionEnd } from './session.ts'

const CONNECT_MS = 5_000
const HANDSHAKE_MS = 5_000
const TICK_MS = 1_000
/** How long a stop waits for peers to close their side. */
const LINGER_MS = 1_000
/** Maximum remembered peers that broke a protocol, as in Besu. */
const DENIED_MAX = 500
const BACKLOG = 128
const LISTEN_OPTIONS = { hostOption: '--p2p-interface', portOption: '--p2p-port' }

export interface PeerNetworkSettings {
  readonly host: string
  /** 0 for any free port. */
  readonly tcpPort: number
  readonly clientId: string
  readonly maxPeers: number
  /** Maximum inbound connections; at most `maxPeers`. */
  readonly maxInbound: number
  readonly sendLimits?: SendLimits
}

export interface PeerNetworkParts {
  readonly handshake: HandshakeParts
  readonly clock: Clock
  readonly log: Log
  readonly protocols: readonly PeerProtocol[]
  readonly mayConnect: MayConnect
  /** Checks the address of a connection before anything is read. */
  readonly mayAccept?: (ip: string) => boolean
  /** Checks a proven key before anything is answered; HELLO is not known yet. */
  readonly mayAnswer: (id: string, ip: string) => boolean
  /** Nodes that may be dialled while there is room. */
  readonly candidates: () => readonly Enode[]
  /** Resolves a host name at every dial; rejects if that fails. */
  readonly resolve: (name: string) => Promise<string>
  readonly settings: PeerNetworkSettings
}

export interface PeerReport extends PeerIdentity {
  readonly why: 'maintained' | 'discovered' | 'dialled us'
  readonly protocols: readonly ProtocolReport[]
  readonly localAddress: string
  readonly remoteAddress: string
  readonly connectedMs: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly messagesIn: number
  readonly messagesOut: number
  readonly queuedBytes: number
}

export class PeerNetwork {
  readonly #parts: PeerNetworkParts
  readonly #plan: DialPlan
  readonly #gate = new InboundGate()
  readonly #expected = new ExpectedPeers()
  readonly #bulkTurns = new BulkTurns()
  /** Admitted sessions by id. A session is removed only if it is the registered one. */
  readonly #sessions = new Map<string, PeerSession>()
  readonly #sockets = new Set<Socket>()
  readonly #denied = new BoundedMap<string, true>(DENIED_MAX)
  readonly #stopping = new AbortController()
  readonly joined
  readonly left
  #server: Server | undefined
  #timer: Timer | undefined
  #publicKey: Uint8Array = new Uint8Array(0)

  constructor(parts: PeerNetworkParts) {
    this.#parts = parts
    this.#plan = new DialPlan(parts.clock, parts.handshake.random)
    const onError = (err: unknown) =>
      parts.log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'peers', err })
    this.joined = createSignal<PeerIdentity>(onError)
    this.left = createSignal<{ readonly peer: PeerIdentity; readonly end: SessionEnd }>(onError)
  }

  /** Rejects if the port is taken. */
  async start(): Promise<void> {
    const { settings, handshake, clock } = this.#parts
    this.#publicKey = await handshake.nodeKey.publicKey()
    const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => this.#accept(socket))
    const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
    const { host, tcpPort: port } = settings
    const onRefused = (error: Error): void => reject(listenFault({ ...LISTEN_OPTIONS, host, port }, error))
    server.once('error', onRefused)
    server.listen({ host, port, backlog: BACKLOG }, resolve)
    await listening
    server.off('error', onRefused)
    server.on('error', (err) => this.#parts.log.warn(P2P_PROBLEMS.connectionNotAccepted, { err }))
    this.#server = server
    this.#timer = clock.every(TICK_MS, () => this.#dialDue(), { unref: true })
    this.#dialDue()
  }

  get tcpPort(): number {
    const address = this.#server?.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** Disconnects all peers and waits a moment for the messages to arrive. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#stopping.abort(new Error('the node stops'))
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    if (this.#server === undefined) resolve()
    else this.#server.close(() => resolve())
    for (const session of [...this.#sessions.values()]) session.close('quitting', 'This node stops.')
    const timer = this.#parts.clock.after(LINGER_MS, () => this.#destroyAll())
    await closed
    timer.cancel()
    this.#destroyAll()
  }

  /** Dials the node until it is connected, even beyond the limits. Returns false if it was maintained already. */
  maintain(enode: Enode): boolean {
    if (enode.id === formatDigits(this.#publicKey)) return false
    this.#denied.delete(enode.id)
    const isNew = this.#plan.maintain(enode)
    this.#dialDue()
    return isNew
  }

  /** Disconnects the node and stops dialling and maintaining it. Returns false if it was neither. */
  remove(id: string): boolean {
    const wasMaintained = this.#plan.forget(id)
    const session = this.#sessions.get(id)
    session?.close('requested', 'The peer was removed.')
    return wasMaintained || session !== undefined
  }

  /**
   * Nodes of these addresses connect beyond the limits; they replace the earlier ones. An earlier one stays connected if there
   * is room, because one account of a validator contract could otherwise collect connections by rotating its key.
   */
  expect(addresses: readonly Address[]): void {
    const earlier = [...this.#sessions.values()].filter(({ id }) => this.#expected.has(id))
    this.#expected.replace(addresses)
    for (const session of earlier) {
      if (this.#hasRoom(session)) continue
      session.close('tooManyPeers', 'The peer is no longer expected, and there is no room for it.')
    }
    this.#dialDue()
  }

  get peerCount(): number {
    return this.#sessions.size
  }

  failedDials(): readonly FailedDial[] {
    return this.#plan.failed()
  }

  peers(): readonly PeerReport[] {
    const nowMs = this.#parts.clock.monotonicMs()
    return [...this.#sessions.values()].map((session) => {
      const { socket, identity, isInbound, protocols, traffic } = session
      return {
        ...identity,
        why: this.#plan.isMaintained(session.id) ? 'maintained' : isInbound ? 'dialled us' : 'discovered',
        protocols,
        localAddress: addressText(socket.localAddress, socket.localPort),
        remoteAddress: addressText(socket.remoteAddress, socket.remotePort),
        connectedMs: Math.round(nowMs - session.openedMs),
        ...traffic,
      }
    })
  }

  /** Checks all connected peers again after the permissions changed. */
  async recheck(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    await Promise.all(
      sessions.map(async (session) => {
        const action = session.isInbound ? 'stayInbound' : 'stayOutbound'
        if (await this.#parts.mayConnect(action, session.identity.enode)) return
        session.close('requested', 'The peer is no longer permitted.')
      }),
    )
    this.#plan.hasten()
    this.#dialDue()
  }

  #accept(socket: Socket): void {
    this.#keep(socket)
    const ip = canonicalIp(socket.remoteAddress ?? '0.0.0.0')
    const nowMs = this.#parts.clock.monotonicMs()
    const isWelcome = this.#parts.mayAccept?.(ip) ?? true
    const leave = isWelcome ? this.#gate.enter(ip, nowMs, () => socket.destroy()) : undefined
    if (leave === undefined || this.#stopping.signal.aborted) {
      socket.destroy()
      return
    }
    const deadline = deadlineSignal(this.#parts.clock, HANDSHAKE_MS, this.#stopping.signal)
    const mayAnswer = (publicKey: Uint8Array): boolean => {
      const id = formatDigits(publicKey)
      return id !== formatDigits(this.#publicKey) && !this.#isDenied(id) && this.#parts.mayAnswer(id, ip)
    }
    shakeHandsInbound(socket, this.#parts.handshake, mayAnswer, deadline)
      .then(
        (shaken) => this.#open(socket, shaken, ip, null, leave),
        (err: unknown) => {
          leave()
          socket.destroy()
          this.#parts.log.trace('Handshake failed', { ip, err })
        },
      )
      .finally(() => deadline.clear())
  }

  #dialDue(): void {
    const { settings, candidates } = this.#parts
    if (this.#server === undefined || this.#stopping.signal.aborted) return
    const room = settings.maxPeers - this.#limited().length
    const isTaken = (id: string) => this.#sessions.has(id) || this.#isDenied(id)
    const isExpected = (id: string) => this.#expected.has(id)
    for (const enode of this.#plan.due(isTaken, candidates(), room, isExpected)) {
      this.#dial(enode).catch((error: unknown) => {
        this.#plan.ended(enode, dialSentence(enode, error), 0)
        this.#parts.log.debug('Failed to dial peer', { id: enode.id, host: enode.host, err: error })
      })
    }
  }

  async #dial(enode: Enode): Promise<void> {
    const { clock, handshake, mayConnect, resolve } = this.#parts
    const place = await locate(enode, resolve)
    const { host } = place
    if (!(await mayConnect('connectOutbound', place))) throw new Error('it is not permitted')
    const deadline = deadlineSignal(clock, CONNECT_MS + HANDSHAKE_MS, this.#stopping.signal, 'The handshake')
    const socket = connect({ host, port: enode.tcpPort!, noDelay: true })
    this.#keep(socket)
    try {
      await connected(socket, clock, this.#stopping.signal)
      const shaken = await shakeHandsOutbound(socket, handshake, parseDataLenient(enode.id), deadline)
      if (!this.#plan.isDialling(enode.id)) throw new Error('the peer was removed')
      this.#open(socket, shaken, canonicalIp(host), enode, () => {})
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      deadline.clear()
    }
  }

  #open(socket: Socket, shaken: ShakenHands, ip: string, dialled: Enode | null, leave: () => void): void {
    const { clock, log, protocols, settings } = this.#parts
    let isOpen = false
    const session = new PeerSession({
      socket,
      secrets: shaken.secrets,
      publicKey: shaken.publicKey,
      ip,
      isInbound: dialled === null,
      dialledPort: dialled?.tcpPort ?? null,
      hello: this.#hello(),
      protocols,
      clock,
      log,
      bulkTurns: this.#bulkTurns,
      ...(settings.sendLimits && { sendLimits: settings.sendLimits }),
      admit: (asking) => this.#admit(asking),
      onOpen: (opened) => {
        isOpen = true
        leave()
        if (dialled !== null) this.#plan.opened(dialled.id)
        this.joined.emit(opened.identity)
      },
      onClosed: (closed, end) => {
        leave()
        this.#onClosed(closed, end, isOpen, dialled)
      },
    })
    session.start(shaken.first, shaken.rest)
  }

  #hello(): Hello {
    const { protocols, settings } = this.#parts
    return {
      p2pVersion: P2P_VERSION,
      clientId: settings.clientId,
      capabilities: protocols.map(({ name, version }) => ({ name, version })),
      // Besu's permissions identify a peer by the port in its HELLO.
      listenPort: this.tcpPort,
      publicKey: this.#publicKey,
    }
  }

  async #admit(session: PeerSession): Promise<DisconnectReason | null> {
    const { id, isInbound } = session
    if (id === formatDigits(this.#publicKey)) return 'self'
    const action = isInbound ? 'connectInbound' : 'connectOutbound'
    if (this.#isDenied(id) || !(await this.#parts.mayConnect(action, session.identity.enode)))
      return 'unknown'
    // No await from here on, so two sessions cannot both pass, nor one that closed meanwhile.
    if (session.isClosed) return 'requested'
    // The peer may have been removed since it was dialled.
    if (!isInbound && !this.#plan.isDialling(id)) return 'requested'
    if (this.#stopping.signal.aborted) return 'quitting'
    const rival = this.#sessions.get(id)
    if (rival !== undefined && !this.#isBetter(session, rival)) return 'alreadyConnected'
    if (rival === undefined && !this.#hasRoom(session)) return 'tooManyPeers'
    this.#sessions.set(id, session)
    rival?.close('alreadyConnected', 'The peer has another connection.')
    return null
  }

  /** Two nodes that dial each other at once keep the connection of the lower id, so both keep the same one. */
  #isBetter(session: PeerSession, rival: PeerSession): boolean {
    if (session.isInbound === rival.isInbound) return false
    const weAreLower = formatDigits(this.#publicKey) < session.id
    return session.isInbound !== weAreLower
  }

  /** Whether a session has a place next to the others; it may be one of the admitted ones. */
  #hasRoom(session: PeerSession): boolean {
    const { id, isInbound } = session
    if (this.#plan.isMaintained(id) || this.#expected.has(id)) return true
    const { maxPeers, maxInbound } = this.#parts.settings
    const others = this.#limited().filter((each) => each !== session)
    if (others.length >= maxPeers) return false
    const inbound = others.filter((each) => each.isInbound).length
    return !isInbound || inbound < maxInbound
  }

  /** The sessions that take up room. */
  #limited(): readonly PeerSession[] {
    return [...this.#sessions.values()].filter(({ id }) => !this.#expected.has(id))
  }

  #isDenied(id: string): boolean {
    return this.#denied.has(id) && !this.#plan.isMaintained(id)
  }

  #onClosed(session: PeerSession, end: SessionEnd, wasOpen: boolean, dialled: Enode | null): void {
    const { clock, log } = this.#parts
    const { id } = session
    if (this.#sessions.get(id) === session) this.#sessions.delete(id)
    const isBreach = end.reason === 'breachOfProtocol' && !end.byPeer
    // Before HELLO nothing is known about a peer, and a new key costs it nothing. Besu does not remember these either.
    if (wasOpen && (isBreach || end.reason === 'incompatibleVersion')) this.#denied.set(id, true)
    const lastedMs = wasOpen ? Math.max(1, clock.monotonicMs() - session.openedMs) : 0
    if (dialled !== null) this.#plan.ended(dialled, end.sentence, lastedMs)
    log.debug('Peer disconnected', { id, reason: end.reason, byPeer: end.byPeer, sentence: end.sentence })
    if (wasOpen) this.left.emit({ peer: session.identity, end })
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    // Without a listener between handshake and session, an error would end the process.
    socket.on('error', () => {})
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

function connected(socket: Socket, clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = deadlineSignal(clock, CONNECT_MS, signal, 'The connection')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onAbort = (): void => reject(deadline.reason)
  socket.once('connect', resolve).once('error', reject)
  deadline.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    deadline.clear()
    socket.off('connect', resolve).off('error', reject)
  })
}

function addressText(ip: string | undefined, port: number | undefined): string {
  const host = canonicalIp(ip ?? '0.0.0.0')
  return `${host.includes(':') ? `[${host}]` : host}:${port ?? 0}`
}

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it hung up during the handshake',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that network',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the name could not be resolved for now',
  EMFILE: 'this node has as many files and sockets open as the system allows',
}

/** Explains a failed dial to users. */
function dialSentence(enode: Enode, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const place = formatEnode(enode).replace(/^enode:\/\/[0-9a-f]+@/, '')
  return `${place}: ${BY_CODE[code] ?? messageOf(error)}.`
}

function messageOf(error: unknown): string {
  const text =
    error instanceof Fault ? error.data.sentence : error instanceof Error ? error.message : String(error)
  return text.replace(/\.$/, '')
}
