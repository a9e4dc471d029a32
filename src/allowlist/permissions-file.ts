/** A permissions file on disk. Lists in the same file share one instance. */
import { EditedFile } from '#platform/files/edited-file.ts'
import { inSlices } from '#platform/next-turn.ts'
import { Fault } from '#types/fault.ts'
import type { ListKind } from './list-kind.ts'
import { PermissionsText, readEntries, textsIn, unreadable } from './permissions-text.ts'

/** Enough for 91,000 accounts at 46 bytes per line, or 25,000 nodes at 162 bytes. */
export const FILE_MAX_BYTES = 4 * 1024 * 1024
/**
 * Maximum file size that methods may change: 11,000 accounts or 3,200 nodes. Some steps of a change handle the complete list in
 * one turn of the main thread, and no client may make that turn long.
 */
export const CHANGED_MAX_BYTES = 512 * 1024

export class PermissionsFile {
  readonly path: string
  readonly #file: EditedFile
  /** The content read or written last. An unchanged file is not parsed again. */
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

  /** Throws a Fault with Besu's wording. Returns the same array while the file is unchanged and contains no host names. */
  async load(kind: ListKind, { resolvesAgain = true } = {}): Promise<readonly string[]> {
    const content = await this.#readToLoad()
    const hasNames = await kind.prepare?.(await inSlices(textsIn(content, kind)), resolvesAgain)
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
        'Without it the node does not know who is permitted.',
      )
    }
  }
}
