import { changing, LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type { ChangeOrigin, ChangeVerdict, ListName, Permissions } from './permissions.ts'

const LONG = { maxArgBytes: LONG_ARGS_MAX_BYTES }

/** The accounts and nodes that may take part. */
export const ALLOWLIST = {
  isInForce: question<[list: ListName], boolean>(),
  /**
   * One entry per line, in the order of the file: a text crosses threads in no time. Of this and the next three,
   * undefined: the list is not in force.
   */
  entries: question<[list: ListName], string | undefined>(),
  /** Entries are valid, and each is there once. */
  add: changing<
    [list: ListName, entries: readonly string[], origin: ChangeOrigin],
    ChangeVerdict | undefined
  >('allowlists', LONG),
  remove: changing<
    [list: ListName, entries: readonly string[], origin: ChangeOrigin],
    ChangeVerdict | undefined
  >('allowlists', LONG),
  /** Every list that is in force, from its file; undefined: there is none. */
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
