import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileNew } from '#platform/files/files.ts'
import { pidIn } from './node-process.ts'

/** Which process restarts the nodes of a network, so that no two do. */
export class SupervisorFile {
  readonly #file: string

  constructor(directory: string) {
    this.#file = join(directory, 'supervisor.pid')
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
