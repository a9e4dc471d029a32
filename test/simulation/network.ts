/** The network between validators, which may lose, delay, repeat and reorder messages, and split. */
import type { Random } from '../support/random.ts'
import type { Timeline } from './timeline.ts'
import type { Links } from './topology.ts'

export interface NetworkFaults {
  /** The probability for each message. */
  readonly loss: number
  /** The loss of commits: blocks are prepared but not decided, which tests certificates. */
  readonly commitLoss: number
  /** The loss of prepares: some validators are prepared and others not. */
  readonly prepareLoss: number
  readonly duplication: number
  /** Messages take minMs to maxMs each, so later ones may overtake. */
  readonly minMs: number
  readonly maxMs: number
  /** The probability that a message takes up to this long instead. */
  readonly straggling: number
  readonly stragglerMs: number
}

export const CALM: NetworkFaults = {
  loss: 0,
  commitLoss: 0,
  prepareLoss: 0,
  duplication: 0,
  minMs: 5,
  maxMs: 50,
  straggling: 0,
  stragglerMs: 0,
}

const FAVOURED_MAX_MS = 5

export type FaultKind = 'lost' | 'duplicated' | 'straggling' | 'parted'

export class Network {
  faults: NetworkFaults = CALM
  readonly injected: Record<FaultKind, number> = { lost: 0, duplicated: 0, straggling: 0, parted: 0 }
  messages = 0
  /** Attackers are always connected and faster than the others, so network faults help them. */
  readonly favoured = new Set<number>()
  /** Undefined if all validators are connected with each other. */
  links: Links | undefined
  readonly #timeline: Timeline
  readonly #random: Random
  readonly #size: number
  /** Whether messages of the row fail to reach the column; a partition may be one-way. */
  #isCut: boolean[]

  constructor(timeline: Timeline, random: Random, size: number) {
    this.#timeline = timeline
    this.#random = random
    this.#size = size
    this.#isCut = new Array(size * size).fill(false)
  }

  send(from: number, to: number, deliver: () => void, kind?: 'prepare' | 'commit'): void {
    if (!this.isLinked(from, to)) return
    this.messages++
    if (this.favoured.has(from) || this.favoured.has(to)) {
      this.#timeline.after(this.#random.below(FAVOURED_MAX_MS), deliver)
      return
    }
    if (this.isCut(from, to)) {
      this.injected.parted++
      return
    }
    const { loss, commitLoss, prepareLoss } = this.faults
    const ofKind = kind === 'commit' ? commitLoss : kind === 'prepare' ? prepareLoss : 0
    if (this.#random.chance(Math.max(loss, ofKind))) {
      this.injected.lost++
      return
    }
    this.#plan(from, to, deliver)
    if (!this.#random.chance(this.faults.duplication)) return
    this.injected.duplicated++
    this.#plan(from, to, deliver)
  }

  isLinked(from: number, to: number): boolean {
    return this.links?.has(from, to) ?? true
  }

  isCut(from: number, to: number): boolean {
    return this.#isCut[from * this.#size + to]!
  }

  /** Messages of the other side no longer reach this side; unless one-way, nor the reverse. */
  part(side: ReadonlySet<number>, isOneWay: boolean): void {
    for (let from = 0; from < this.#size; from++) {
      for (let to = 0; to < this.#size; to++) {
        const crossesIn = !side.has(from) && side.has(to)
        const crossesOut = side.has(from) && !side.has(to)
        this.#isCut[from * this.#size + to] = crossesIn || (crossesOut && !isOneWay)
      }
    }
  }

  heal(): void {
    this.faults = CALM
    this.#isCut = new Array(this.#size * this.#size).fill(false)
  }

  #plan(from: number, to: number, deliver: () => void): void {
    const { minMs, maxMs, straggling, stragglerMs } = this.faults
    let delayMs = minMs + this.#random.below(maxMs - minMs + 1)
    if (this.#random.chance(straggling)) {
      this.injected.straggling++
      delayMs = this.#random.below(stragglerMs)
    }
    this.#timeline.after(delayMs, () => {
      // Messages in transit are lost when the network splits.
      if (this.isCut(from, to) || !this.isLinked(from, to)) this.injected.parted++
      else deliver()
    })
  }
}
