import type { Kind } from '#config/kinds.ts'
import { defineOptions, type Inert, type Option, type OptionRow } from '#config/option.ts'

type InertRow = readonly [
  flag: `--${string}`,
  kind: Kind<unknown>,
  help: string,
  more?: Partial<Pick<OptionRow<unknown>, 'aliases' | 'hidden'>> & Pick<Inert, 'isMet' | 'partOf'>,
]

/** For what Cairn always does: only `false` asks for something else. */
export const isTrue = (value: unknown): boolean => value === true
/** For what neither value changes, such as a part of Besu's own engine. */
export const never = (): boolean => false
const isFalse = (value: unknown): boolean => value === false

/**
 * Besu options that Cairn accepts without effect, so existing command lines, environments and files keep working. Values
 * are still checked. A row moves to the room that implements it. An option that protects something belongs in
 * `config/refused.ts` instead. A switch that is off asks for nothing, unless its row says otherwise.
 */
export function inertOptions(group: string, inert: Inert | string, rows: readonly InertRow[]): Option[] {
  const reason = typeof inert === 'string' ? { why: inert } : inert
  const table = rows.map(
    ([flag, kind, help, { isMet, partOf, ...more } = {}]): [string, OptionRow<unknown>] => [
      flag,
      {
        flag,
        kind,
        help,
        inert: { isMet: isFalse, ...reason, ...(isMet && { isMet }), ...(partOf && { partOf }) },
        ...(flag.startsWith('--X') && { hidden: true }),
        ...more,
      },
    ],
  )
  return Object.values(defineOptions(group, Object.fromEntries(table)))
}
