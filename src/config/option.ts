import type { Kind } from './kinds.ts'

/**
 * The room `config` defines what an option is, the sources of its value and how it is shown. It does not know the meaning
 * of any option: each room declares its own with `defineOptions` and reads them from `Settings`.
 */
export interface Option<T = unknown> {
  /** The canonical name: `--rpc-http-port`. Environment and TOML names derive from it. */
  readonly flag: string
  /** Other names, accepted wherever the canonical one is. */
  readonly aliases: readonly string[]
  readonly kind: Kind<NonNullable<T>>
  readonly default: T
  /** Shown as the default if it is computed: `<data path>/key`. */
  readonly defaultText: string | undefined
  readonly group: string
  /** Computed when it is shown, because it may depend on loaded plugins. */
  readonly help: string
  /** Further sentences for the CLI reference, which `--help` omits. */
  readonly details: string | undefined
  /** The name of the value in help: `<FILE>`. */
  readonly label: string
  readonly required: boolean
  /** Accepted but not listed in --help (Besu's early-access and tuning options). */
  readonly hidden: boolean
  /** If present, the option has no effect; the reason is logged when the option asks for something. */
  readonly inert: Inert | undefined
  /** If present, giving the option stops the start: starting without it would be less safe than not starting. */
  readonly refused: OptionRefusal<NonNullable<T>> | undefined
  /** The built-in profile that a value implies, below all other sources, if any. */
  brings(value: NonNullable<T>): string | undefined
}

/** Why Cairn does not implement an option. */
export interface Reason {
  /** One sentence for the operator. */
  readonly why: string
  /** The missing feature. A test fails once it exists and the row is still there. */
  readonly until?: Feature
}

/** A room of src/layers.ts, or a JSON-RPC method. */
export type Feature = `room ${string}` | `method ${string}`

export interface Inert extends Reason {
  /** The switch of the feature that the option is part of: while it is off, the option asks for nothing. */
  readonly partOf?: `--${string}`
  /** Values that ask for what Cairn does anyway, such as `false` for a feature that it does not have. */
  isMet?(value: unknown): boolean
}

export interface OptionRefusal<T> extends Reason {
  /** Returns true for values that need nothing, such as `false`. Without it every value is refused. */
  accepts?(value: T): boolean
}

export interface OptionRow<T> {
  readonly flag: `-${string}`
  readonly kind: Kind<T>
  /** A noun phrase or an imperative of at most 12 words. */
  readonly help: string | (() => string)
  readonly details?: string
  readonly aliases?: readonly `-${string}`[]
  readonly default?: T
  readonly defaultText?: string
  readonly label?: string
  readonly required?: true
  readonly hidden?: true
  readonly inert?: Inert
  readonly refused?: OptionRefusal<T>
  brings?(value: T): string | undefined
}

/** The type of a row's value. A default of another type makes the option unusable (never). */
type Defined<Row> = Row extends { kind: Kind<infer T>; default: infer Default }
  ? Default extends T
    ? Option<T>
    : never
  : Row extends { kind: Kind<infer T> }
    ? Option<Row extends { required: true } ? T : T | undefined>
    : never

export type OptionTable = Readonly<Record<string, Option>>

/** The values of a group of options by name. They are plain data, so they can cross to other threads. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer T> ? T : never
}

export function defaultsOf<Table extends OptionTable>(table: Table): ValuesOf<Table> {
  const values = Object.entries(table).map(([name, option]) => [name, option.default])
  return Object.fromEntries(values)
}

/** Declares the options of one room or command. Help lists them under `group`. */
export function defineOptions<const Rows extends Record<string, OptionRow<unknown>>>(
  group: string,
  rows: Rows,
): { readonly [Name in keyof Rows]: Defined<Rows[Name]> } {
  const table = Object.entries(rows).map(([name, row]) => [name, toOption(group, row)])
  return Object.fromEntries(table)
}

function toOption(group: string, row: OptionRow<unknown>): Option {
  return {
    flag: row.flag,
    aliases: row.aliases ?? [],
    kind: row.kind as Kind<NonNullable<unknown>>,
    default: row.default,
    defaultText: row.defaultText,
    group,
    get help() {
      return typeof row.help === 'string' ? row.help : row.help()
    },
    details: row.details,
    label: row.label ?? row.kind.label,
    required: row.required ?? false,
    hidden: row.hidden ?? false,
    inert: row.inert,
    refused: row.refused,
    brings: (value) => row.brings?.(value),
  }
}

/** False if the option is inert, or refused for every value. */
export function isUsable({ inert, refused, default: byDefault }: Option): boolean {
  const isOffByDefault = byDefault === undefined || byDefault === false
  return inert === undefined && (refused === undefined || !isOffByDefault)
}

/** `--rpc-http-port` is `rpc-http-port` in a TOML file. */
export function tomlKey(flag: string): string {
  return flag.replace(/^--?/, '')
}

/** `--rpc-http-port` is `RPC_HTTP_PORT` after the prefix; short options have no environment variable. */
export function environmentSuffix(flag: string): string | undefined {
  return flag.startsWith('--') ? tomlKey(flag).replaceAll('-', '_').toUpperCase() : undefined
}
