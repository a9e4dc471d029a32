/** The disk under a signature log: writes become durable in order, later, and a crash loses the rest. */
import type { SignatureEntry } from '#consensus/bft/events.ts'
import type { Random } from '../support/random.ts'
import type { Timeline } from './timeline.ts'

interface PendingWrite {
  readonly entry: SignatureEntry
  readonly isDone: () => void
}

export interface DiskSpeed {
  readonly minMs: number
  readonly maxMs: number
}

/** Entries that a backup may restore. */
const MAX_BACKUPS = 64

/** An entry older by no more than this cannot be distinguished from the lost one. */
const UNSEEN_HEIGHTS = 1

export class SimDisk {
  speed: DiskSpeed = { minMs: 0, maxMs: 5 }
  /** The mistake of a driver that answers before the disk does. */
  answersEarly = false
  readonly #timeline: Timeline
  readonly #random: Random
  #durable: SignatureEntry | undefined
  #isDamaged = false
  #pending: PendingWrite[] = []
  #backups: (SignatureEntry | undefined)[] = [undefined]
  #freeAtMs = 0
  #life = 0

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline
    this.#random = random
  }

  load(): SignatureEntry | 'lost' | undefined {
    return this.#isDamaged ? 'lost' : this.#durable
  }

  /** Lasts until the file is written again. */
  damage(): void {
    this.#isDamaged = true
  }

  write(entry: SignatureEntry, isDone: () => void): void {
    const { minMs, maxMs } = this.speed
    this.#freeAtMs =
      Math.max(this.#freeAtMs, this.#timeline.nowMs) + minMs + this.#random.below(maxMs - minMs + 1)
    this.#pending.push({ entry, isDone: this.answersEarly ? () => undefined : isDone })
    const life = this.#life
    this.#timeline.after(this.#freeAtMs - this.#timeline.nowMs, () => {
      if (life === this.#life) this.#complete()
    })
    if (this.answersEarly) this.#timeline.after(0, isDone)
  }

  flush(): void {
    for (const { entry } of this.#pending) this.#keep(entry)
    this.#pending = []
  }

  /** Any prefix of the pending writes may have become durable; a torn entry counts as never written. */
  crash(): void {
    const kept = this.#random.below(this.#pending.length + 1)
    for (const { entry } of this.#pending.slice(0, kept)) this.#keep(entry)
    this.#pending = []
    this.#freeAtMs = 0
    this.#life++
  }

  /** An operator restores an old copy, or starts without one. */
  restoreBackup(): void {
    this.#durable = this.#random.pick(this.#backups)
  }

  /** A copy older than the log itself can show, or none; undefined if there is no such copy yet. */
  restoreOlder(): SignatureEntry | 'none' | undefined {
    const newest = (this.#durable?.height ?? 0) - UNSEEN_HEIGHTS
    if (newest < 0) return undefined
    const older = this.#backups.filter((entry) => (entry?.height ?? 0) < newest)
    this.#durable = this.#random.pick([undefined, ...older])
    this.#isDamaged = false
    return this.#durable ?? 'none'
  }

  #keep(entry: SignatureEntry): void {
    this.#durable = entry
    this.#isDamaged = false
  }

  #complete(): void {
    const write = this.#pending.shift()
    if (write === undefined) return
    this.#keep(write.entry)
    this.#backups.push(write.entry)
    if (this.#backups.length > MAX_BACKUPS) this.#backups.shift()
    write.isDone()
  }
}
