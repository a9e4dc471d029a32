/** A permissions file on the disk. Lists that stand in the same file share one of these. */
import { EditedFile } from '#platform/files/edited-file.ts'
import { Fault } from '#types/fault.ts'
import type { ListKind } from './list-kind.ts'
import { PermissionsText, readEntries, textsIn, unreadable } from './permissions-text.ts'

/** Some 89,000 accounts or 25,000 nodes; a change reads and parses it on the main thread. */
export const FILE_MAX_BYTES = 4 * 1024 * 1024

export class PermissionsFile {
  readonly path: string
  readonly #file: EditedFile
  /** What was read or written last: a file that did not change is not parsed again. */
  #last: PermissionsText | undefined

  constructor(path: string) {
    this.path = path
    this.#file = new EditedFile(path, FILE_MAX_BYTES)
  }

  async read(): Promise<PermissionsText> {
    const text = await this.#file.read()
    if (this.#last?.text !== text) this.#last = new PermissionsText(text)
    return this.#last
  }

  /** Throws a Fault that says what is wrong with the file, in the words of Besu. */
  async load(kind: ListKind): Promise<string[]> {
    const content = await this.#readToLoad()
    await kind.prepare?.(textsIn(content, kind), true)
    return readEntries(content, kind, this.path)
  }

  async replace(before: PermissionsText, after: PermissionsText): Promise<'replaced' | 'changed'> {
    const outcome = await this.#file.replace(before.text, after.text)
    if (outcome === 'replaced') this.#last = after
    return outcome
  }

  stamp(): Promise<string | undefined> {
    return this.#file.stamp()
  }

  requireWritable(): Promise<void> {
    return this.#file.requireWritable()
  }

  async #readToLoad(): Promise<PermissionsText> {
    try {
      return await this.read()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const isAway = error.kind === 'FILE_NOT_FOUND'
      const what = isAway ? `Configuration file does not exist: ${this.path}` : error.message
      throw unreadable(
        this.path,
        what.replace(/\.$/, ''),
        'The node cannot tell who is permitted without it.',
      )
    }
  }
}
