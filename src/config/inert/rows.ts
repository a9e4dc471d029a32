import type { Kind } from '#config/kinds.ts'
import { defineOptions, type Option, type OptionRow, type Reason } from '#config/option.ts'

type InertRow = readonly [
  flag: `--${string}`,
  kind: Kind<unknown>,
  help: string,
  more?: Partial<Pick<OptionRow<unknown>, 'aliases' | 'hidden'>>,
]

/**
 * Options of Besu that Cairn accepts without effect, so that the command lines, environments and files of its
 * operators keep working. Values are still checked. A row moves to the room that gives it a meaning. An option that
 * protects something does not belong here but in `config/refused.ts`.
 */
export function inertOptions(group: string, inert: Reason | string, rows: readonly InertRow[]): Option[] {
  const reason = typeof inert === 'string' ? { why: inert } : inert
  const table = rows.map(([flag, kind, help, more]): [string, OptionRow<unknown>] => [
    flag,
    { flag, kind, help, inert: reason, ...(flag.startsWith('--X') && { hidden: true }), ...more },
  ])
  return Object.values(defineOptions(group, Object.fromEntries(table)))
}
