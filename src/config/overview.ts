import type { Option } from './option.ts'
import { describeOrigin, type Settings } from './settings.ts'

/**
 * What is in force, one line per option: those that someone gave, with their origin, and those in `always`,
 * which an operator wants to see even at their default.
 */
export function formatOverview(settings: Settings, always: readonly Option[]): string[] {
  const given = settings.given().map(({ option }) => option)
  const shown = new Set([...always, ...given.filter((option) => option.inert === undefined)])
  return [...shown].map((option) => {
    const value = settings.get(option)
    const text =
      value === undefined || value === null ? (option.defaultText ?? 'not set') : option.kind.format(value)
    return `${option.flag}=${text} (${describeOrigin(settings.origin(option))})`
  })
}
