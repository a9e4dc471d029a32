import { changing, LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type {
  ChangeOrigin,
  ChangeVerdict,
  Edit,
  ListComparison,
  ListName,
  Permissions,
  TriedChange,
} from './permissions.ts'

const LONG = { maxArgBytes: LONG_ARGS_MAX_BYTES }

/** Permitted accounts and nodes. */
export const ALLOWLIST = {
  isInForce: question<[list: ListName], boolean>(),
  /**
   * The entries in file order, one per line, because one string crosses threads faster than an array. This operation and the
   * next three return undefined if the list is not in force.
   */
  entries: question<[list: ListName], string | undefined>(),
  /** Entries are valid and unique. */
  add: changing<
    [list: ListName, entries: readonly string[], origin: ChangeOrigin],
    ChangeVerdict | undefined
  >('allowlists', LONG),
  remove: changing<
    [list: ListName, entries: readonly string[], origin: ChangeOrigin],
    ChangeVerdict | undefined
  >('allowlists', LONG),
  /** The outcome that a change would have, without making it. */
  tryChange: question<[edit: Edit, list: ListName, entries: readonly string[]], TriedChange | undefined>(
    LONG,
  ),
  /** Each list in force next to its file; undefined if too many changes are waiting. */
  compare: question<[], readonly ListComparison[] | undefined>(),
  /** Reloads every list in force from its file. */
  reload: changing<[origin: ChangeOrigin], { readonly ok: boolean } | undefined>('allowlists'),
}

export type LiveAllowlist = OwnerOf<typeof ALLOWLIST>

export function createLiveAllowlist(permissions: Permissions): LiveAllowlist {
  const change =
    (edit: Edit): LiveAllowlist['add'] =>
    (name, entries, origin) => {
      const list = permissions.list(name)
      return list && permissions[edit](list, entries, origin)
    }
  return {
    isInForce: (name) => permissions.list(name) !== undefined,
    entries: (name) => permissions.list(name)?.all().join('\n'),
    add: change('add'),
    remove: change('remove'),
    tryChange: (edit, name, entries) => {
      const list = permissions.list(name)
      return list && permissions.tryChange(edit, list, entries)
    },
    compare: () => permissions.compare(),
    reload: (origin) => (permissions.isEnabled ? permissions.reload(origin) : undefined),
  }
}
