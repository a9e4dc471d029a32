import { SimValidator } from './sim-validator.ts'

/** How often only the file of votes is damaged, and it is known to be. */
const DAMAGED = 0.3

/**
 * Comes back without its data directory, or with one that is older than what it signed last: chain and votes fit
 * together, and nothing on the disk tells. It keeps the rules all the same.
 */
export class RestoredValidator extends SimValidator {
  #wasRestored = false

  override get wasRestored(): boolean {
    return this.#wasRestored
  }

  override crash(): void {
    super.crash()
    const { random } = this.world
    if (random.chance(DAMAGED)) {
      this.disk.damage()
      this.#wasRestored = true
      return
    }
    const record = this.disk.restoreOlder()
    if (record === undefined) return
    this.#wasRestored = true
    // Backups are made at any moment: before or after the mark for the height that follows the head.
    const height = record === 'none' ? 0 : record.height - random.below(2)
    while (this.head.height > height) this.head = this.head.parent!
  }
}
