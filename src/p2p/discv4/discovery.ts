/**
 * A discovery v4 node: answers other nodes and finds nodes to dial. All input is hostile: answers go only to nodes that proved
 * their endpoint, and answers count only if they were requested.
 */
import { isLoopback } from '#p2p/ip-bytes.ts'
import { P2P_PROBLEMS } from '#p2p/log-problems.ts'
import type { MayConnect, PeerAction } from '#p2p/peer-rules.ts'
import type { HandshakeParts } from '#p2p/rlpx/handshake.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { equalBytes } from '#types/bytes.ts'
import { PUBLIC_KEY_BYTES } from '#types/curve.ts'
import type { Enode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { ipBucket } from '#types/ip.ts'
import { BUCKET_NODES, BucketList, isSameEndpoint, nearestFirst } from './bucket-list.ts'
import { decodeRecord, type ForkId, type NodeRecord } from './node-record.ts'
import {
  type DiscoveryPacket,
  decodePacket,
  encodePacket,
  type FindNodePacket,
  NEIGHBORS_PER_PACKET,
  type Neighbor,
  type PingPacket,
  type ReceivedPacket,
} from './packet.ts'
import type { DatagramPort } from './udp.ts'

/** Lifetime of our packets. */
const EXPIRATION_SECONDS = 60
const ANSWER_MS = 1_000
/** Time for the other side to send its own PING, after whose PONG it trusts us. */
const PING_BACK_MS = 500
const LOOKUP_PARALLEL = 3
const LOOKUP_ROUNDS = 8
/** Maximum packets handled at once; permission checks may take a while. */
const HANDLED_MAX = 256

export interface DiscoveryParts extends Pick<HandshakeParts, 'nodeKey' | 'keccak' | 'recover' | 'random'> {
  /** 128 hex digits. */
  readonly id: string
  readonly clock: Clock
  readonly log: Log
  readonly mayConnect: MayConnect
  /** The advertised endpoint of this node. */
  readonly self: () => Neighbor
  /** The node record and its sequence number. */
  readonly record: () => { readonly encoded: Uint8Array; readonly sequence: bigint }
  /** Whether a chain with these forks can be ours. Nodes without a fork id are accepted. */
  readonly acceptsFork: (forkId: ForkId) => boolean
}

export class Discovery {
  readonly #parts: DiscoveryParts
  readonly #bucketList: BucketList
  readonly #bonds: Bonds
  readonly #pending: PendingAnswers
  readonly #budget = new PacketBudget()
  /** Running PINGs, so a node is not asked twice at once. */
  readonly #pings = new Map<string, Promise<boolean>>()
  #port: DatagramPort | undefined
  #handled = 0

  constructor(parts: DiscoveryParts) {
    this.#parts = parts
    this.#bucketList = new BucketList(parts.id, parts.keccak)
    this.#bonds = new Bonds(parts.clock)
    this.#pending = new PendingAnswers(parts.clock)
  }

  /** Sends packets to this port from now on; its owner passes received packets to `receive`. */
  attach(port: DatagramPort): void {
    this.#port = port
  }

  detach(): void {
    this.#port = undefined
    this.#pending.clear()
  }

  nodes(): readonly Neighbor[] {
    return this.#bucketList.nodes()
  }

  /** Removes nodes that are no longer permitted, so they are neither asked nor announced. */
  async recheck(): Promise<void> {
    for (const node of this.#bucketList.known()) {
      if (await this.#permits('keepInTable', node)) continue
      this.#bucketList.remove(node)
      this.#bonds.forget(node.id, node.ip)
    }
  }

  /** Never throws and never rejects. */
  async receive(bytes: Uint8Array, ip: string, udpPort: number): Promise<void> {
    const { clock, recover, keccak, log, id: self } = this.#parts
    if (this.#handled >= HANDLED_MAX || !this.#budget.take(ip, clock.monotonicMs())) return
    this.#handled += 1
    try {
      const received = decodePacket(bytes, keccak)
      const { packet } = received
      if ('expirationSeconds' in packet && packet.expirationSeconds * 1000 < clock.wallMs()) return
      const id = received.sender(recover)
      if (id !== self) await this.#handle(received, { id, ip, udpPort, tcpPort: 0 })
    } catch (err) {
      if (!(err instanceof Fault)) log.error(P2P_PROBLEMS.discoveryFailed, { task: 'answer packet', err })
    } finally {
      this.#handled -= 1
    }
  }

  async #handle({ packet, hash }: ReceivedPacket, from: Neighbor): Promise<void> {
    switch (packet.type) {
      case 'ping':
        return await this.#onPing(packet, hash, { ...from, tcpPort: packet.from.tcpPort })
      case 'findNode':
        return await this.#onFindNode(packet, from)
      case 'recordRequest': {
        if (!this.#bonds.hasProved(from.id, from.ip)) return
        const { encoded } = this.#parts.record()
        await this.#send(from, { type: 'recordResponse', requestHash: hash, record: encoded })
        return
      }
      default:
        this.#pending.answer(from.id, from.ip, packet)
    }
  }

  async #onPing({ recordSequence }: PingPacket, pingHash: Uint8Array, from: Neighbor): Promise<void> {
    if (!(await this.#permits('bondInbound', from))) return
    const { sequence } = this.#parts.record()
    await this.#send(from, {
      type: 'pong',
      to: from,
      pingHash,
      expirationSeconds: this.#expiration(),
      recordSequence: sequence,
    })
    this.#bonds.pingedUs(from.id, from.ip, from.tcpPort)
    // Not awaited: a requester must not occupy one of the handler slots. Anyone can send another node's PING from their own
    // address, so only an endpoint in the bucket list needs no new proof.
    const known = this.#bucketList.get(from.id)
    const isKnown = known !== undefined && isSameEndpoint(known, from)
    const acquaintance =
      isKnown && this.#bonds.hasProved(from.id, from.ip) ? this.#admit(from, recordSequence) : this.ping(from)
    acquaintance.catch((err) =>
      this.#parts.log.error(P2P_PROBLEMS.discoveryFailed, { task: 'ask node', id: from.id, err }),
    )
  }

  async #onFindNode({ target }: FindNodePacket, from: Neighbor): Promise<void> {
    if (!this.#bonds.hasProved(from.id, from.ip)) return
    // The packet does not contain the sender's TCP port.
    const tcpPort = this.#bucketList.get(from.id)?.tcpPort ?? this.#bonds.tcpPort(from.id, from.ip)
    if (!(await this.#permits('tellNeighbors', { ...from, tcpPort }))) return
    // Loopback addresses are useless to other machines.
    const usable = this.#bucketList
      .closest(this.#parts.keccak(target), BUCKET_NODES)
      .filter(({ ip, id }) => id !== from.id && (isLoopback(from.ip) || !isLoopback(ip)))
    const expirationSeconds = this.#expiration()
    for (let at = 0; at === 0 || at < usable.length; at += NEIGHBORS_PER_PACKET) {
      const nodes = usable.slice(at, at + NEIGHBORS_PER_PACKET)
      await this.#send(from, { type: 'neighbors', nodes, expirationSeconds })
    }
  }

  /** Returns true if the node answered from its endpoint. It is then in the bucket list unless its bucket is full. */
  ping(node: Neighbor): Promise<boolean> {
    const key = `${node.id}@${node.ip}:${node.udpPort}`
    const underWay = this.#pings.get(key)
    if (underWay !== undefined) return underWay
    const ping = this.#ping(node).finally(() => this.#pings.delete(key))
    this.#pings.set(key, ping)
    return ping
  }

  async #ping(node: Neighbor): Promise<boolean> {
    if (!(await this.#permits('bondOutbound', node))) return false
    const { sequence } = this.#parts.record()
    let recordSequence: bigint | null = null
    const hash = await this.#send(node, {
      type: 'ping',
      from: this.#parts.self(),
      to: node,
      expirationSeconds: this.#expiration(),
      recordSequence: sequence,
    })
    const isAnswered = await this.#pending.expect(node.id, node.ip, ANSWER_MS, (packet) => {
      if (packet.type !== 'pong' || !equalBytes(packet.pingHash, hash)) return 'other'
      recordSequence = packet.recordSequence
      return 'last'
    })
    if (isAnswered === false) this.#bucketList.remove(node)
    if (isAnswered !== true) return false
    this.#bonds.proved(node.id, node.ip)
    await this.#admit(node, recordSequence)
    return true
  }

  /** Adds a permitted node whose record names no foreign fork to the bucket list. */
  async #admit(node: Neighbor, recordSequence: bigint | null): Promise<void> {
    const known = this.#bucketList.get(node.id)
    if (known === undefined || !isSameEndpoint(known, node)) {
      if (!(await this.#permits('keepInTable', node))) return
      const record = recordSequence === null ? undefined : await this.#recordOf(node)
      if (record?.forkId && !this.#parts.acceptsFork(record.forkId)) return
      if (known !== undefined && !(await this.#hasMoved(known, node, record))) return
    }
    // A PONG does not repeat the TCP port.
    const tcpPort = node.tcpPort || known?.tcpPort || 0
    this.#bucketList.add({ ...node, tcpPort })
  }

  /**
   * Whether the node moved to the second endpoint. A man in the middle can relay PING and PONG and so prove its own endpoint
   * for another node: the signed record decides; without one, the node stays where it still answers.
   */
  async #hasMoved(known: Neighbor, node: Neighbor, record: NodeRecord | undefined): Promise<boolean> {
    const isNamed = ({ ip, udpPort }: Neighbor): boolean =>
      (record?.ip === ip && record.udpPort === udpPort) || (record?.ip6 === ip && record.udp6Port === udpPort)
    if (isNamed(node)) return true
    return !isNamed(known) && !(await this.ping(known))
  }

  /** Returns undefined if the node did not send a valid record. */
  async #recordOf(node: Neighbor): Promise<NodeRecord | undefined> {
    if (!this.#bonds.believesUs(node.id, node.ip)) await this.#wait(PING_BACK_MS)
    const { recover, keccak, log } = this.#parts
    let found: NodeRecord | undefined
    const hash = await this.#send(node, {
      type: 'recordRequest',
      expirationSeconds: this.#expiration(),
    })
    await this.#pending.expect(node.id, node.ip, ANSWER_MS, (packet) => {
      if (packet.type !== 'recordResponse' || !equalBytes(packet.requestHash, hash)) return 'other'
      try {
        const record = decodeRecord(packet.record, { keccak, recover })
        if (record.id === node.id) found = record
      } catch (err) {
        log.debug('Received invalid node record', { id: node.id, ip: node.ip, err })
      }
      return 'last'
    })
    return found
  }

  /** Walks towards a target and bonds with the nodes on the way. */
  async lookup(target: Uint8Array): Promise<void> {
    const place = this.#parts.keccak(target)
    const met = new Map<string, Neighbor & { readonly place: Uint8Array }>()
    for (const node of this.#bucketList.closest(place, BUCKET_NODES)) met.set(node.id, node)
    const asked = new Set<string>()
    for (let round = 0; round < LOOKUP_ROUNDS; round++) {
      const nearest = nearestFirst([...met.values()], place).slice(0, BUCKET_NODES)
      const next = nearest.filter(({ id }) => !asked.has(id)).slice(0, LOOKUP_PARALLEL)
      if (next.length === 0) return
      for (const { id } of next) asked.add(id)
      const answers = await Promise.all(next.map((node) => this.#findNode(node, target)))
      for (const node of answers.flat()) {
        if (node.id === this.#parts.id || met.has(node.id)) continue
        met.set(node.id, { ...node, place: this.#parts.keccak(parseDataLenient(node.id)) })
      }
    }
  }

  /** Looks up a random target. */
  lookupRandom(): Promise<void> {
    return this.lookup(this.#parts.random.randomBytes(PUBLIC_KEY_BYTES))
  }

  /** Pings a node that was not heard of for long. */
  async revalidate(): Promise<void> {
    const node = this.#bucketList.drawOld(this.#parts.random)
    if (node !== undefined) await this.ping(node)
  }

  async #findNode(node: Neighbor, target: Uint8Array): Promise<readonly Neighbor[]> {
    if (!this.#bonds.hasProved(node.id, node.ip) && !(await this.ping(node))) return []
    if (!this.#bonds.believesUs(node.id, node.ip)) await this.#wait(PING_BACK_MS)
    if (!(await this.#permits('askNeighbors', node))) return []
    const found: Neighbor[] = []
    await this.#send(node, { type: 'findNode', target, expirationSeconds: this.#expiration() })
    await this.#pending.expect(node.id, node.ip, ANSWER_MS, (packet) => {
      if (packet.type !== 'neighbors') return 'other'
      const usable = packet.nodes.filter(({ ip }) => isLoopback(node.ip) || !isLoopback(ip))
      found.push(...usable.slice(0, BUCKET_NODES - found.length))
      return found.length < BUCKET_NODES ? 'more' : 'last'
    })
    return found
  }

  /** Returns the hash of the packet, which answers refer to. */
  async #send(to: Neighbor, packet: DiscoveryPacket): Promise<Uint8Array> {
    const { bytes, hash } = await encodePacket(this.#parts.nodeKey, this.#parts.keccak, packet)
    this.#port?.send(bytes, to.ip, to.udpPort)
    return hash
  }

  #permits(action: PeerAction, node: Neighbor): Promise<boolean> {
    return this.#parts.mayConnect(action, enodeOf(node))
  }

  #expiration(): number {
    return Math.floor(this.#parts.clock.wallMs() / 1000) + EXPIRATION_SECONDS
  }

  #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#parts.clock.after(ms, resolve, { unref: true })
    return promise
  }
}

export function enodeOf({ id, ip, udpPort, tcpPort }: Neighbor): Enode {
  const hostKind = ip.includes(':') ? 'ipv6' : 'ipv4'
  return { id, host: ip, hostKind, tcpPort: tcpPort || null, udpPort: udpPort || null }
}

const BUDGET_WINDOW_MS = 1_000
/** The lookup of a neighbour takes about ten packets. */
const PACKETS_PER_ADDRESS = 100
/** Each packet costs a key recovery, 0.1 ms with the native engine. */
const PACKETS_IN_ALL = 1_000

/** The packet budget per second. Packets beyond it are dropped unread, as the network may drop them too. */
class PacketBudget {
  #byAddress = new Map<string, number>()
  #all = 0
  #windowMs = Number.NEGATIVE_INFINITY

  take(ip: string, nowMs: number): boolean {
    const bucket = ipBucket(ip)
    if (nowMs - this.#windowMs >= BUDGET_WINDOW_MS) {
      this.#windowMs = nowMs
      this.#byAddress = new Map()
      this.#all = 0
    }
    const count = (this.#byAddress.get(bucket) ?? 0) + 1
    if (count > PACKETS_PER_ADDRESS || this.#all >= PACKETS_IN_ALL) return false
    this.#byAddress.set(bucket, count)
    this.#all += 1
    return true
  }
}

const PENDING_MAX = 1_000

/** How a packet relates to a question: not its answer, a part of it, or the last part. */
type AnswerPart = 'other' | 'more' | 'last'

interface Question {
  readonly from: string
  readonly judge: (packet: DiscoveryPacket) => AnswerPart
  readonly settle: (isAnswered: boolean) => void
}

/** Open questions. An answer counts only from the node and address that were asked. */
class PendingAnswers {
  readonly #clock: Clock
  readonly #questions = new Set<Question>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves with true when the last part arrives, false on timeout, and undefined if too many questions are open. */
  expect(
    id: string,
    ip: string,
    timeoutMs: number,
    judge: (packet: DiscoveryPacket) => AnswerPart,
  ): Promise<boolean | undefined> {
    if (this.#questions.size >= PENDING_MAX) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = this.#clock.after(timeoutMs, () => question.settle(false), { unref: true })
    const question: Question = {
      from: `${id}@${ip}`,
      judge,
      settle: (isAnswered) => {
        timer.cancel()
        this.#questions.delete(question)
        resolve(isAnswered)
      },
    }
    this.#questions.add(question)
    return promise
  }

  /** Returns false if the packet is unsolicited. */
  answer(id: string, ip: string, packet: DiscoveryPacket): boolean {
    const from = `${id}@${ip}`
    for (const question of this.#questions) {
      if (question.from !== from) continue
      const part = question.judge(packet)
      if (part === 'other') continue
      if (part === 'last') question.settle(true)
      return true
    }
    return false
  }

  /** Fails all open questions. */
  clear(): void {
    for (const question of [...this.#questions]) question.settle(false)
  }
}

/** The lifetime that the discovery v4 specification sets. */
const PROOF_MS = 12 * 60 * 60 * 1000
const BONDS_MAX = 10_000

interface Bond {
  /** Time of the last PONG to our PING from this address. */
  provedMs: number
  /** Time of the last PING from this address. We answered it, so the other side trusts us. */
  pingedUsMs: number
  /** The TCP port in the last PING. */
  tcpPort: number
}

/** Which nodes proved their address. Others get no long answers, since the source of a packet can be forged. */
class Bonds {
  readonly #clock: Clock
  /** Bonds by id and address; the last changed comes last. */
  readonly #bonds = new BoundedMap<string, Bond>(BONDS_MAX)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  proved(id: string, ip: string): void {
    this.#renew(id, ip).provedMs = this.#clock.monotonicMs()
  }

  pingedUs(id: string, ip: string, tcpPort: number): void {
    Object.assign(this.#renew(id, ip), { pingedUsMs: this.#clock.monotonicMs(), tcpPort })
  }

  /** 0 if unknown. */
  tcpPort(id: string, ip: string): number {
    return this.#bonds.get(`${id}@${ip}`)?.tcpPort ?? 0
  }

  forget(id: string, ip: string): void {
    this.#bonds.delete(`${id}@${ip}`)
  }

  hasProved(id: string, ip: string): boolean {
    return this.#isRecent(this.#bonds.get(`${id}@${ip}`)?.provedMs)
  }

  believesUs(id: string, ip: string): boolean {
    return this.#isRecent(this.#bonds.get(`${id}@${ip}`)?.pingedUsMs)
  }

  #isRecent(atMs: number | undefined): boolean {
    return atMs !== undefined && this.#clock.monotonicMs() - atMs < PROOF_MS
  }

  #renew(id: string, ip: string): Bond {
    const key = `${id}@${ip}`
    const bond = this.#bonds.get(key) ?? {
      provedMs: Number.NEGATIVE_INFINITY,
      pingedUsMs: Number.NEGATIVE_INFINITY,
      tcpPort: 0,
    }
    this.#bonds.set(key, bond)
    return bond
  }
}
