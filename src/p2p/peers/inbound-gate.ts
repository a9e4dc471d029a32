/** Connections that have not shown who they are: each costs a socket and a key computation. */
const PENDING_MAX = 128
const PENDING_PER_ADDRESS = 32

export class InboundGate {
  readonly #byAddress = new Map<string, number>()
  #pending = 0

  /** How to leave again; undefined: there is no room, for this address or for anybody. */
  enter(ip: string): (() => void) | undefined {
    const ofAddress = this.#byAddress.get(ip) ?? 0
    if (this.#pending >= PENDING_MAX || ofAddress >= PENDING_PER_ADDRESS) return undefined
    this.#pending += 1
    this.#byAddress.set(ip, ofAddress + 1)
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      this.#pending -= 1
      const left = this.#byAddress.get(ip)! - 1
      if (left > 0) this.#byAddress.set(ip, left)
      else this.#byAddress.delete(ip)
    }
  }
}
