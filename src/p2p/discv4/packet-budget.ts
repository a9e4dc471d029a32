import { ipBucket } from '#types/ip.ts'

const WINDOW_MS = 1_000
/** A lookup of a neighbour takes about ten. */
const PACKETS_PER_ADDRESS = 100
/** Each costs a key recovery: a tenth of a millisecond with the native engine. */
const PACKETS_IN_ALL = 1_000

/** What may be looked at in a second. Beyond it packets are dropped unread, as the network itself may drop them. */
export class PacketBudget {
  #byAddress = new Map<string, number>()
  #all = 0
  #windowMs = Number.NEGATIVE_INFINITY

  take(ip: string, nowMs: number): boolean {
    const bucket = ipBucket(ip)
    if (nowMs - this.#windowMs >= WINDOW_MS) {
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
