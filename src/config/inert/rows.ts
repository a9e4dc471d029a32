import type { Kind } from '#config/kinds.ts'
import { defineOptions, type Option, type OptionRow } from '#config/option.ts'

type InertRow = readonly [
  flag: `--${string}`,
  kind: Kind<unknown>,
  help: string,
  more?: Partial<Pick<OptionRow<unknown>, 'aliases' | 'hidden'>>,
]

/**
 * Options of the reference implementation that Cairn accepts without effect, so that the command lines,
 * environments and files of its operators keep working. Values are still checked. A row moves to the room
 * that gives it a meaning, and its `why` goes away.
 */
export function inertOptions(group: string, why: string, rows: readonly InertRow[]): Option[] {
  const table = rows.map(([flag, kind, help, more]): [string, OptionRow<unknown>] => [
    flag,
    { flag, kind, help, inert: why, ...(flag.startsWith('--X') && { hidden: true }), ...more },
  ])
  return Object.values(defineOptions(group, Object.fromEntries(table)))
}

/** The reason for a row that waits for its room. */
export const notYet = (what: string) => `${what} is not part of this version yet.`
