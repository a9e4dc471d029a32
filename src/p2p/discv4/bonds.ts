import type { Clock } from '#platform/clock.ts'

/** As the specification of discovery v4 has it. */
const PROOF_MS = 12 * 60 * 60 * 1000
const BONDS_MAX = 10_000

interface Bond {
  /** Last PONG to a PING of ours from there. */
  provedMs: number
  /** Last PING from there, which we answered: the other side believes us then. */
  pingedUsMs: number
  /** That it said in its last PING. */
  tcpPort: number
}

/**
 * Which node has proven to be at which address. Whoever has not gets no answer that is longer than the question: an
 * address in a packet can be anybody's.
 */
export class Bonds {
  readonly #clock: Clock
  /** By id and address; the one that changed last comes last. */
  readonly #bonds = new Map<string, Bond>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  proved(id: string, ip: string): void {
    this.#renew(id, ip).provedMs = this.#clock.monotonicMs()
  }

  pingedUs(id: string, ip: string, tcpPort: number): void {
    Object.assign(this.#renew(id, ip), { pingedUsMs: this.#clock.monotonicMs(), tcpPort })
  }

  /** 0: nobody knows. */
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
    this.#bonds.delete(key)
    this.#bonds.set(key, bond)
    if (this.#bonds.size > BONDS_MAX) this.#bonds.delete(this.#bonds.keys().next().value!)
    return bond
  }
}
