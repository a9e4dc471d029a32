import { rmSync } from 'node:fs'
import { writeFileNew } from '#platform/files/files.ts'
import { pidIn } from './node-process.ts'

/** A file that names the one process of `cairn network` that does something. Of one that was killed it is left behind. */
export class ClaimFile {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** undefined: nobody does. */
  pid(): number | undefined {
    return pidIn(this.#file, 'network')
  }

  claim(): void {
    this.release()
    writeFileNew(this.#file, String(process.pid))
  }

  release(): void {
    rmSync(this.#file, { force: true })
  }
}
