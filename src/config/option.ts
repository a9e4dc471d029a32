import type { Kind } from './kinds.ts'

/**
 * The room `config` owns what an option is, where its value comes from and how it is shown. It does not know
 * what any option means: each room declares its own rows with `defineOptions` and reads them from `Settings`.
 */
export interface Option<T = unknown> {
  /** The canonical spelling: `--rpc-http-port`. Environment and TOML names derive from it. */
  readonly flag: string
  /** Other spellings, accepted wherever the canonical one is. */
  readonly aliases: readonly string[]
  readonly kind: Kind<NonNullable<T>>
  readonly default: T
  /** Shown as the default where it is computed: `<data path>/key`. */
  readonly defaultText: string | undefined
  readonly group: string
  /** Read when it is shown: it may follow from what was loaded. */
  readonly help: string
  /** Name of the value in help: `<FILE>`. */
  readonly label: string
  readonly required: boolean
  /** Accepted but not listed in --help (Besu's early-access and tuning options). */
  readonly hidden: boolean
  /** Accepted without effect; the reason is logged when the option is given. */
  readonly inert: Reason | undefined
  /** Stops the start when it is given: starting without what it asks for would be less safe than not starting. */
  readonly refused: OptionRefusal<NonNullable<T>> | undefined
  /** The built-in profile that a value brings along, beneath everything else that was given; undefined: none. */
  brings(value: NonNullable<T>): string | undefined
}

/** Why Cairn does not do what an option asks for. */
export interface Reason {
  /** One sentence for the operator. */
  readonly why: string
  /** What the option waits for. A test fails when it exists and the row still stands. */
  readonly until?: Feature
}

/** A room of src/layers.ts, or a JSON-RPC method. */
export type Feature = `room ${string}` | `method ${string}`

export interface OptionRefusal<T> extends Reason {
  /** Values that ask for nothing that is missing, such as `false`. Without it every value is refused. */
  accepts?(value: T): boolean
}

export interface OptionRow<T> {
  readonly flag: `-${string}`
  readonly kind: Kind<T>
  readonly help: string | (() => string)
  readonly aliases?: readonly `-${string}`[]
  readonly default?: T
  readonly defaultText?: string
  readonly label?: string
  readonly required?: true
  readonly hidden?: true
  readonly inert?: Reason
  readonly refused?: OptionRefusal<T>
  brings?(value: T): string | undefined
}

/** The type of a row's value; a default that is not of its kind makes the option unusable (never). */
type Defined<Row> = Row extends { kind: Kind<infer T>; default: infer Default }
  ? Default extends T
    ? Option<T>
    : never
  : Row extends { kind: Kind<infer T> }
    ? Option<Row extends { required: true } ? T : T | undefined>
    : never

export type OptionTable = Readonly<Record<string, Option>>

/** Declares the options of one room or command: one row each, grouped in help by `group`. */
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
    label: row.label ?? row.kind.label,
    required: row.required ?? false,
    hidden: row.hidden ?? false,
    inert: row.inert,
    refused: row.refused,
    brings: (value) => row.brings?.(value),
  }
}

/** Whether giving the option can do anything: it is neither inert nor refused whatever its value. */
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
