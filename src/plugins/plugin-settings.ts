/** Options that plugins declare. They get a flag, environment name, TOML key, help and validation like any other. */
import { boolean, integer, type Kind, listOf, secretText, text } from '#config/kinds.ts'
import { defineOptions, type Option, type OptionRow } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { Secret } from '#platform/secret.ts'
import type { Declaration } from './declaration.ts'
import type { OptionTypes } from './define-plugin.ts'
import type { SentOptions } from './plugin-protocol.ts'

/** The prefix of all plugin options. */
const PLUGIN_FLAG_PREFIX = '--plugin-'

/** True if a name that the node does not know may be a plugin's option. */
export function isPluginOption(name: string): boolean {
  return name.startsWith(PLUGIN_FLAG_PREFIX)
}

const KINDS: { readonly [Type in keyof OptionTypes]: Kind<OptionTypes[Type]> } = {
  text,
  integer: integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  boolean,
  list: listOf(text),
  secret: secretText,
}

/** Keyed by the names in the declaration. */
export type PluginOptionRows = Readonly<Record<string, Option>>

export function optionRowsOf({ name: plugin, options }: Declaration): PluginOptionRows {
  const rows = options.map(({ name, type, help, default: byDefault }): [string, OptionRow<unknown>] => [
    name,
    {
      flag: `${PLUGIN_FLAG_PREFIX}${plugin}-${name}`,
      kind: KINDS[type] as Kind<unknown>,
      help,
      ...(byDefault !== undefined && { default: byDefault }),
    },
  ])
  return defineOptions(`Plugin ${plugin}`, Object.fromEntries(rows)) as PluginOptionRows
}

/** Values by name; a secret's value is a `Secret`. */
export type HeldOptions = Readonly<Record<string, unknown>>

export function valuesOf(rows: PluginOptionRows, settings: Settings): HeldOptions {
  return Object.fromEntries(Object.entries(rows).map(([name, option]) => [name, settings.get(option)]))
}

/** For the plugin's thread, which hides secrets again, because a `Secret` cannot cross to another thread. */
export function revealed(options: HeldOptions): SentOptions {
  const values = Object.entries(options).map(([name, value]) => [
    name,
    value instanceof Secret ? value.reveal() : value,
  ])
  return Object.fromEntries(values)
}
