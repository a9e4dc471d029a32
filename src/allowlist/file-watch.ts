/** Polls files, because file system events miss changes made by mounts and links, such as those of a ConfigMap. */
import type { Clock, Timer } from '#platform/clock.ts'

export const POLL_MS = 1_000

interface StampedFile {
  /** A text that changes with every write, or undefined if the file is missing. */
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

  /** The first poll also reports a change, since the file may have been written after it was loaded. */
  start(): void {
    this.#timer = this.#clock.every(POLL_MS, () => this.#tick(), { unref: true })
  }

  /** Resolves when no poll is running. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#looking
  }

  #tick(): void {
    // While a disk hangs, no second poll starts.
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
  }

  /** Waits until two polls see the same stamps: a file that is still being written may be incomplete. */
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
