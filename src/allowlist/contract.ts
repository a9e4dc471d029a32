import { changing, LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type { ChangeOrigin, ChangeVerdict, ListName, Permissions } from './permissions.ts'

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
  /** Reloads every list in force from its file. */
  reload: changing<[origin: ChangeOrigin], { readonly ok: boolean } | undefined>('allowlists'),
}

export type LiveAllowlist = OwnerOf<typeof ALLOWLIST>

export function createLiveAllowlist(permissions: Permissions): LiveAllowlist {
  const change =
    (kind: 'add' | 'remove'): LiveAllowlist['add'] =>
    (name, entries, origin) => {
      const list = permissions.list(name)
      return list && permissions[kind](list, entries, origin)
    }
  return {
    isInForce: (name) => permissions.list(name) !== undefined,
    entries: (name) => permissions.list(name)?.all().join('\n'),
    add: change('add'),
    remove: change('remove'),
    reload: (origin) => (permissions.isEnabled ? permissions.reload(origin) : undefined),
  }
}
