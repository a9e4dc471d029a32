import { ipBucket } from '#types/ip.ts'

/** Maximum connections without a proven identity; each costs a socket and a key computation. */
const PENDING_MAX = 128
const PENDING_PER_ADDRESS = 32
/** An honest peer needs far less time. After it, a connection gives way to a new one. */
const SLOW_MS = 1_000

interface Pending {
  readonly bucket: string
  readonly sinceMs: number
  readonly giveWay: () => void
}

/**
 * Limits handshakes per address. If it is full, a new connection replaces the oldest one from the address with the most
 * connections, so silent connections do not lock others out.
 */
export class InboundGate {
  /** Handshakes per address, in order of arrival. */
  readonly #byBucket = new Map<string, Set<Pending>>()
  #pending = 0

  /** Returns the function to leave, or undefined if there is no room. `giveWay` is called when another takes the place. */
  enter(ip: string, nowMs: number, giveWay: () => void): (() => void) | undefined {
    const bucket = ipBucket(ip)
    const own = this.#byBucket.get(bucket)?.size ?? 0
    if (own >= PENDING_PER_ADDRESS) return undefined
    if (this.#pending >= PENDING_MAX && !this.#makeRoom(own, nowMs)) return undefined
    const entered = { bucket, sinceMs: nowMs, giveWay }
    const others = this.#byBucket.get(bucket) ?? new Set()
    this.#byBucket.set(bucket, others.add(entered))
    this.#pending += 1
    return () => this.#leave(entered)
  }

  #makeRoom(own: number, nowMs: number): boolean {
    let [first] = this.#byBucket.values()
    for (const each of this.#byBucket.values()) if (each.size > first!.size) first = each
    const [oldest] = first!
    if (first!.size <= own + 1 && nowMs - oldest!.sinceMs < SLOW_MS) return false
    this.#leave(oldest!)
    oldest!.giveWay()
    return true
  }

  #leave(pending: Pending): void {
    const others = this.#byBucket.get(pending.bucket)
    if (others?.delete(pending) !== true) return
    this.#pending -= 1
    if (others.size === 0) this.#byBucket.delete(pending.bucket)
  }
}
