import { linkSync, rmSync } from 'node:fs'
import { kindOfPath, writeFileNew } from '#platform/files/files.ts'
import {
  identityText,
  isAlive,
  type ProcessIdentity,
  readIdentity,
} from '#platform/process/process-identity.ts'
import { systemRandom } from '#platform/random.ts'
import { refusal } from './plan-network.ts'

const NAME_BYTES = 6

/**
 * A file that names the one `cairn network` process that may do something. A killed process leaves its file behind. A
 * claim is a hard link to a complete file, so exactly one of several processes gets it.
 */
export class ClaimFile {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** The process that holds the claim, if any. */
  pid(): number | undefined {
    const holder = readIdentity(this.#file)
    return holder !== undefined && isClaimant(holder) ? holder.pid : undefined
  }

  /** False if another process holds the claim. */
  claim(): boolean {
    const name = Buffer.from(systemRandom.randomBytes(NAME_BYTES)).toString('hex')
    const own = `${this.#file}.${name}.tmp`
    writeFileNew(own, identityText(process.pid))
    try {
      if (tryLink(own, this.#file)) return true
      return this.pid() === undefined && this.#replaceAbandoned(own)
    } finally {
      rmSync(own, { force: true })
    }
  }

  /** Leaves another process' claim alone. */
  release(): void {
    if (readIdentity(this.#file)?.pid === process.pid) rmSync(this.#file, { force: true })
  }

  /** Only one process at a time removes an abandoned claim: a second one could remove the claim that replaced it. */
  #replaceAbandoned(own: string): boolean {
    const guard = `${this.#file}.replaced`
    if (!tryLink(own, guard)) {
      const holder = readIdentity(guard)
      if (kindOfPath(guard) === undefined || (holder !== undefined && isClaimant(holder))) return false
      throw refusal(`${guard} was left by a command that was killed; remove it, and try again.`)
    }
    try {
      if (this.pid() !== undefined) return false
      rmSync(this.#file, { force: true })
      return tryLink(own, this.#file)
    } finally {
      rmSync(guard, { force: true })
    }
  }
}

function isClaimant(holder: ProcessIdentity): boolean {
  return isAlive(holder, (words) => words.includes('network') && words.some((word) => /\bcairn$/.test(word)))
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
