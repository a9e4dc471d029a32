import type { ZodType } from 'zod'
import type { RpcErrorKind } from './errors.ts'

/**
 * One parameter: how its wire form is decoded, and the error answered when that fails. `null` is the same as
 * absent, as in Besu, so schemas see neither.
 */
export class Param<Value> {
  readonly schema: ZodType<Value>
  readonly error: RpcErrorKind
  readonly isRequired: boolean
  /** Stands in for an absent parameter that is not required. */
  readonly fallback: Value | undefined
  /** Stands for itself and all that come behind it, as a list. */
  readonly isRest: boolean
  /** Decoded before those that stand in front of it: where several are wrong, Besu complains of it. */
  readonly isFirst: boolean

  constructor(schema: ZodType<Value>, error: RpcErrorKind, presence: Presence<Value> = { isRequired: true }) {
    this.schema = schema
    this.error = error
    this.isRequired = presence.isRequired
    this.fallback = presence.fallback
    this.isFirst = presence.isFirst ?? false
    this.isRest = presence.isRest ?? false
  }

  optional(): Param<Value | undefined> {
    return new Param<Value | undefined>(this.schema, this.error, { isRequired: false })
  }

  default(fallback: Value): Param<Value> {
    return new Param(this.schema, this.error, { isRequired: false, fallback })
  }

  first(): Param<Value> {
    const { schema, error, isRequired } = this
    return new Param(schema, error, { isRequired, isFirst: true })
  }

  /** Of a method that takes any number of parameters; the schema is that of a list. */
  rest(): Param<Value> {
    const { schema, error } = this
    return new Param(schema, error, { isRequired: true, isRest: true })
  }

  /** The same parameter where Besu answers another error. */
  failingWith(error: RpcErrorKind): Param<Value> {
    const { isRequired, fallback } = this
    return new Param(this.schema, error, fallback === undefined ? { isRequired } : { isRequired, fallback })
  }
}

interface Presence<Value> {
  readonly isRequired: boolean
  readonly fallback?: Value
  readonly isFirst?: boolean
  readonly isRest?: boolean
}

export type ParamTable = Readonly<Record<string, Param<unknown>>>

export type DecodedParams<Table extends ParamTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Param<infer Value> ? Value : never
}

export type Decoding =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: RpcErrorKind }

export type ParamDecoder = (params: readonly unknown[]) => Decoding

/** Methods without parameters are the most frequent calls: they share one answer and no schema is touched. */
const NOTHING: Decoding = { ok: true, values: Object.freeze({}) }

/** `isExact`: the number of parameters has to match; otherwise further ones are ignored. */
export function createParamDecoder(table: ParamTable, isExact: boolean): ParamDecoder {
  const entries = Object.entries(table)
    .map(([name, param], index): Entry => ({ name, param, index }))
    .sort((a, b) => Number(b.param.isFirst) - Number(a.param.isFirst))
  const decode: ParamDecoder = entries.length === 0 ? () => NOTHING : (params) => decodeAll(entries, params)
  if (!isExact) return decode
  return (params) =>
    countOf(params) === entries.length ? decode(params) : { ok: false, error: 'INVALID_PARAM_COUNT' }
}

interface Entry {
  readonly name: string
  readonly param: Param<unknown>
  /** Its place on the wire. */
  readonly index: number
}

function decodeAll(entries: readonly Entry[], params: readonly unknown[]): Decoding {
  const values: Record<string, unknown> = {}
  for (const { name, param, index } of entries) {
    const wire = param.isRest ? params.slice(index) : params[index]
    if (wire === undefined || wire === null) {
      if (param.isRequired) return { ok: false, error: param.error }
      values[name] = param.fallback
      continue
    }
    const decoded = param.schema.safeParse(wire)
    if (!decoded.success) return { ok: false, error: param.error }
    values[name] = decoded.data
  }
  return { ok: true, values }
}

/** Besu takes a list that begins with null for an empty one. */
function countOf(params: readonly unknown[]): number {
  return params.length === 0 || params[0] === null ? 0 : params.length
}
