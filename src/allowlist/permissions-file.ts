/** A permissions file on the disk. Lists that stand in the same file share one of these. */
import { EditedFile } from '#platform/files/edited-file.ts'
import { inSlices } from '#platform/next-turn.ts'
import { Fault } from '#types/fault.ts'
import type { ListKind } from './list-kind.ts'
import { PermissionsText, readEntries, textsIn, unreadable } from './permissions-text.ts'

/** 91,000 accounts, a line of 46 bytes each, or 25,000 nodes of 162. */
export const FILE_MAX_BYTES = 4 * 1024 * 1024
/**
 * Methods change no longer file: 11,000 accounts or 3,200 nodes. Some steps of a change take one turn of the main thread
 * for the complete list, and a client must not make that turn long.
 */
export const CHANGED_MAX_BYTES = 512 * 1024

export class PermissionsFile {
  readonly path: string
  readonly #file: EditedFile
  /** What was read or written last: a file that did not change is not parsed again. */
  #last: PermissionsText | undefined
  readonly #loaded = new Map<
    ListKind,
    { readonly content: PermissionsText; readonly entries: readonly string[] }
  >()

  constructor(path: string) {
    this.path = path
    this.#file = new EditedFile(path, FILE_MAX_BYTES)
  }

  async read(): Promise<PermissionsText> {
    const text = await this.#file.read()
    if (this.#last?.text !== text) this.#last = new PermissionsText(text)
    return this.#last
  }

  /**
   * Throws a Fault that says what is wrong with the file, in the words of Besu. Returns the same list again while the
   * file is the same and names no hosts.
   */
  async load(kind: ListKind): Promise<readonly string[]> {
    const content = await this.#readToLoad()
    const hasNames = await kind.prepare?.(await inSlices(textsIn(content, kind)), true)
    const last = this.#loaded.get(kind)
    if (last?.content === content && !hasNames) return last.entries
    const entries = await inSlices(readEntries(content, kind, this.path))
    this.#loaded.set(kind, { content, entries })
    return entries
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
