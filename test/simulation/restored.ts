import { SimValidator } from './sim-validator.ts'

/** How often only the signature log is damaged, detectably. */
const DAMAGED = 0.3

/**
 * Restarts without its data directory, or with one older than its last signature: chain and log match, and nothing on the disk
 * tells. It follows the rules.
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
    const entry = this.disk.restoreOlder()
    if (entry === undefined) return
    this.#wasRestored = true
    // Backups are made at any moment, before or after the entry for the height after the head.
    const height = entry === 'none' ? 0 : entry.height - random.below(2)
    while (this.head.height > height) this.head = this.head.parent!
  }
}
