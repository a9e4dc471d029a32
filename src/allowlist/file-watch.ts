/** Looks at files at a steady pace: news of a file system misses what mounts and links do, such as a ConfigMap's. */
import type { Clock, Timer } from '#platform/clock.ts'

export const POLL_MS = 1_000

interface StampedFile {
  /** Another text whenever it was written; undefined: it is away. */
  stamp(): Promise<string | undefined>
}

export class FileWatch {
  readonly #files: readonly StampedFile[]
  readonly #clock: Clock
  readonly #onChanged: () => Promise<void>
  #timer: Timer | undefined
  #told: string | undefined
  #seen: string | undefined
  #looking: Promise<void> | undefined

  constructor(files: readonly StampedFile[], clock: Clock, onChanged: () => Promise<void>) {
    this.#files = files
    this.#clock = clock
    this.#onChanged = onChanged
  }

  /** The first look tells of a change too: the file may have been written since it was loaded. */
  start(): void {
    this.#timer = this.#clock.every(POLL_MS, () => this.#tick(), { unref: true })
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#looking
  }

  #tick(): void {
    // A disk that does not answer is asked once.
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  /** A file that was written twice in a row may not be whole: it is looked at when it has come to rest. */
  async #look(): Promise<void> {
    const stamps = await Promise.all(this.#files.map((file) => file.stamp()))
    const now = stamps.map((stamp) => stamp ?? 'away').join(' ')
    const rests = now === this.#seen
    this.#seen = now
    if (!rests || now === this.#told) return
    this.#told = now
    await this.#onChanged()
  }
}
