/**
 * A node of discovery v4. It answers others, and finds nodes for whoever dials. Everything that comes is hostile: an
 * answer goes only to who has proven its address, and is believed only where it was asked for.
 */
import { isLoopback } from '#p2p/ip-bytes.ts'
import type { MayConnect, PeerAction } from '#p2p/may-connect.ts'
import type { NodeKeyHolder } from '#p2p/node-key.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Random } from '#platform/random.ts'
import { equalBytes } from '#types/bytes.ts'
import { PUBLIC_KEY_BYTES } from '#types/curve.ts'
import type { Enode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { ipBucket } from '#types/ip.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Recover } from '#types/transaction/signature.ts'
import { Bonds } from './bonds.ts'
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
import { PendingAnswers } from './pending-answers.ts'
import { BUCKET_NODES, isSameEndpoint, NodeTable, nearestFirst } from './table.ts'
import type { DatagramPort } from './udp.ts'

/** How long a packet of ours is good for. */
const EXPIRATION_SECONDS = 60
const ANSWER_MS = 1_000
/** After our PING the other side sends its own, and believes us when we have answered it. */
const PING_BACK_MS = 500
const LOOKUP_PARALLEL = 3
const LOOKUP_ROUNDS = 8
/** Packets that are being answered at one time; permissions may take a while. */
const HANDLED_MAX = 256

export interface DiscoveryParts {
  readonly nodeKey: NodeKeyHolder
  /** 128 hex digits. */
  readonly id: string
  readonly keccak: Keccak
  readonly recover: Recover
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly mayConnect: MayConnect
  /** Where this node says that it is. */
  readonly self: () => Neighbor
  /** The node record of this node, and its sequence number. */
  readonly record: () => { readonly encoded: Uint8Array; readonly sequence: bigint }
  /** Whether a chain with these forks can be ours. A node that says nothing about forks is not judged. */
  readonly acceptsFork: (forkId: ForkId) => boolean
}

export class Discovery {
  readonly #parts: DiscoveryParts
  readonly #table: NodeTable
  readonly #bonds: Bonds
  readonly #pending: PendingAnswers
  readonly #budget = new PacketBudget()
  /** PINGs under way, so that nobody is asked twice at once. */
  readonly #pings = new Map<string, Promise<boolean>>()
  #port: DatagramPort | undefined
  #handled = 0

  constructor(parts: DiscoveryParts) {
    this.#parts = parts
    this.#table = new NodeTable(parts.id, parts.keccak)
    this.#bonds = new Bonds(parts.clock)
    this.#pending = new PendingAnswers(parts.clock)
  }

  /** Packets go out here from now on; whoever opened the port hands in what comes by `receive`. */
  attach(port: DatagramPort): void {
    this.#port = port
  }

  detach(): void {
    this.#port = undefined
    this.#pending.clear()
  }

  nodes(): readonly Neighbor[] {
    return this.#table.nodes()
  }

  /** Who may be here has changed: those that may not are forgotten, so that they are not asked, nor told of. */
  async recheck(): Promise<void> {
    for (const node of this.#table.known()) {
      if (await this.#permits('keepInTable', node)) continue
      this.#table.remove(node)
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
      if (!(err instanceof Fault)) log.error('A packet of discovery could not be answered.', { err })
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
    // Nobody waits for it here: whoever asks must not hold a place among those that are answered. Anyone can send the PING of
    // another node from an address of its own: only an endpoint that is in the table already needs no new proof.
    const known = this.#table.get(from.id)
    const isKnown = known !== undefined && isSameEndpoint(known, from)
    const acquaintance =
      isKnown && this.#bonds.hasProved(from.id, from.ip) ? this.#admit(from, recordSequence) : this.ping(from)
    acquaintance.catch((err) => this.#parts.log.error('A node could not be asked.', { id: from.id, err }))
  }

  async #onFindNode({ target }: FindNodePacket, from: Neighbor): Promise<void> {
    if (!this.#bonds.hasProved(from.id, from.ip)) return
    // The packet does not say where its sender takes connections.
    const tcpPort = this.#table.get(from.id)?.tcpPort ?? this.#bonds.tcpPort(from.id, from.ip)
    if (!(await this.#permits('tellNeighbors', { ...from, tcpPort }))) return
    // Nobody elsewhere can use an address that is this machine's own.
    const usable = this.#table
      .closest(this.#parts.keccak(target), BUCKET_NODES)
      .filter(({ ip, id }) => id !== from.id && (isLoopback(from.ip) || !isLoopback(ip)))
    const expirationSeconds = this.#expiration()
    for (let at = 0; at === 0 || at < usable.length; at += NEIGHBORS_PER_PACKET) {
      const nodes = usable.slice(at, at + NEIGHBORS_PER_PACKET)
      await this.#send(from, { type: 'neighbors', nodes, expirationSeconds })
    }
  }

  /** Whether the node answered from where it is said to be. It is in the table then, unless its bucket is full. */
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
    if (isAnswered === false) this.#table.remove(node)
    if (isAnswered !== true) return false
    this.#bonds.proved(node.id, node.ip)
    await this.#admit(node, recordSequence)
    return true
  }

  /** Into the table: permitted, and of a chain that can be ours as far as its record says. */
  async #admit(node: Neighbor, recordSequence: bigint | null): Promise<void> {
    const known = this.#table.get(node.id)
    if (known === undefined || !isSameEndpoint(known, node)) {
      if (!(await this.#permits('keepInTable', node))) return
      const record = recordSequence === null ? undefined : await this.#recordOf(node)
      if (record?.forkId && !this.#parts.acceptsFork(record.forkId)) return
      if (known !== undefined && !(await this.#hasMoved(known, node, record))) return
    }
    // Who answers a PING does not say its TCP port again.
    const tcpPort = node.tcpPort || known?.tcpPort || 0
    this.#table.add({ ...node, tcpPort })
  }

  /**
   * Whether the node is at the second endpoint now. An attacker in between can pass on PING and PONG, and so prove an endpoint
   * of its own for another node: the signed record decides, or else the node stays where it still answers.
   */
  async #hasMoved(known: Neighbor, node: Neighbor, record: NodeRecord | undefined): Promise<boolean> {
    const isNamed = ({ ip, udpPort }: Neighbor): boolean =>
      (record?.ip === ip && record.udpPort === udpPort) || (record?.ip6 === ip && record.udp6Port === udpPort)
    if (isNamed(node)) return true
    return !isNamed(known) && !(await this.ping(known))
  }

  /** If undefined, it did not send a valid one. */
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
        log.debug('A node record is not valid.', { id: node.id, ip: node.ip, err })
      }
      return 'last'
    })
    return found
  }

  /** Walks towards a place and makes acquaintance with whoever is met. */
  async lookup(target: Uint8Array): Promise<void> {
    const place = this.#parts.keccak(target)
    const met = new Map<string, Neighbor & { readonly place: Uint8Array }>()
    for (const node of this.#table.closest(place, BUCKET_NODES)) met.set(node.id, node)
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

  /** Of a place drawn by lot. */
  lookupRandom(): Promise<void> {
    return this.lookup(this.#parts.random.randomBytes(PUBLIC_KEY_BYTES))
  }

  /** Asks one that was not heard of for long whether it is still there. */
  async revalidate(): Promise<void> {
    const node = this.#table.drawOld(this.#parts.random)
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

  /** The hash of the packet, by which the answer refers to it. */
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
/** A lookup of a neighbour takes about ten. */
const PACKETS_PER_ADDRESS = 100
/** Each costs a key recovery: a tenth of a millisecond with the native engine. */
const PACKETS_IN_ALL = 1_000

/** What may be looked at in a second. Beyond it packets are dropped unread, as the network itself may drop them. */
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
