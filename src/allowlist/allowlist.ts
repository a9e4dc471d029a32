/** An allowlist in force. */
import type { Sliced } from '#platform/next-turn.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import type { ListKind } from './list-kind.ts'
import type { PermissionsFile } from './permissions-file.ts'

export interface ListChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export class Allowlist {
  readonly kind: ListKind
  readonly file: PermissionsFile
  /** Emitted after the list in force changed. */
  readonly changed: Signal<ListChange>
  #entries: ReadonlySet<string>
  /** The array passed to the last `replace`, to recognise an unchanged file cheaply. */
  #source: readonly string[]

  constructor(
    kind: ListKind,
    file: PermissionsFile,
    entries: readonly string[],
    onError: (error: unknown) => void,
  ) {
    this.kind = kind
    this.file = file
    this.changed = createSignal(onError)
    this.#entries = new Set(entries)
    this.#source = entries
  }

  get entries(): ReadonlySet<string> {
    return this.#entries
  }

  has(entry: string): boolean {
    return this.#entries.has(entry)
  }

  /** Entries in file order, then those added later. */
  all(): readonly string[] {
    return [...this.#entries]
  }

  /** Returns the list with all of the entries added, or a refusal if one of them is already listed. */
  with(entries: readonly string[]): readonly string[] | 'EXISTING' {
    return entries.some((entry) => this.has(entry)) ? 'EXISTING' : [...this.#entries, ...entries]
  }

  without(entries: readonly string[]): readonly string[] | 'ABSENT' {
    if (!entries.every((entry) => this.has(entry))) return 'ABSENT'
    const removed = new Set(entries)
    return this.all().filter((entry) => !removed.has(entry))
  }

  /** The change that another list would make. */
  *compare(entries: readonly string[]): Sliced<ListChange & { readonly next: ReadonlySet<string> }> {
    const next = new Set<string>()
    const added: string[] = []
    const removed: string[] = []
    for (const entry of entries) {
      yield
      next.add(entry)
      if (!this.has(entry)) added.push(entry)
    }
    for (const entry of this.#entries) {
      yield
      if (!next.has(entry)) removed.push(entry)
    }
    return { next, added, removed }
  }

  /** Puts another list in force. Returns undefined if the entries are the same. */
  *replace(entries: readonly string[]): Sliced<ListChange | undefined> {
    if (entries === this.#source) return undefined
    const { next, ...change } = yield* this.compare(entries)
    this.#entries = next
    this.#source = entries
    if (change.added.length + change.removed.length === 0) return undefined
    this.changed.emit(change)
    return change
  }
}
