/** A JSON-RPC method, independent of its resources. `api/define-method.ts` binds it to those of this node. */

import type { output, ZodType } from 'zod'
import type { ChangeSubject, Observed } from '#jsonrpc/audit/audit-entry.ts'
import type { CostClass } from '#jsonrpc/limits/cost-class.ts'
import { assert } from '#types/assert.ts'
import type { CallContext } from './dispatcher.ts'
import type { RpcErrorKind } from './errors.ts'

export interface RunContext extends Pick<CallContext, 'signal'>, Partial<CallerTraits> {
  /** Index 0 is set when the client has left or the time is up. Engines poll it; others have no cell. */
  readonly cancel?: Int32Array
  /** The value that `resolve` returned. */
  readonly resolved?: unknown
}

/** Only for methods that do not need 'engine'. */
export type CallerTraits = Pick<CallContext, 'caller' | 'remoteAddress' | 'requestId'>

/** Resources by name. The method's declaration proves their types. */
export type HandedResources = Readonly<Record<string, unknown>>

/** On an engine thread, `run` gets only the resources that engine threads have. */
type RunResources<All, OnEngine extends keyof All, Needs extends keyof All> = Pick<
  All,
  'engine' extends Needs ? Extract<Needs, OnEngine> : Needs
>

/** Wire-ready data, or JSON text of a long result in chunks. */
export type MethodResult<Result> = Wire<Result> | Promise<Wire<Result>> | AsyncIterable<string>

export function isStream(result: unknown): result is AsyncIterable<string> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

/** Results are never modified, so presenting functions may return read-only values. */
type Wire<Shape> = Shape extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : Shape extends object
    ? { readonly [Name in keyof Shape]: Wire<Shape[Name]> }
    : Shape

/** `All` are the resources that methods may need, `OnEngine` those that engine threads have. */
export interface MethodDefinition<
  All,
  OnEngine extends keyof All,
  Needs extends keyof All,
  Params extends ParamTable,
  Result extends ZodType,
  Resolved,
> {
  /** The wire name, from which the API and the grants derive. */
  readonly name: string
  readonly summary: string
  /** Other wire names, each with its own grants. */
  readonly aliases?: readonly string[]
  /** Further APIs that include this method. */
  readonly alsoIn?: readonly string[]
  /** The resources of `run`. They alone decide where the method runs. */
  readonly needs: readonly Needs[]
  readonly params: Params
  /** Default: light. */
  readonly cost?: CostClass
  /** If `exact`, another number of parameters is refused; otherwise surplus parameters are ignored. */
  readonly count?: 'exact'
  /**
   * For methods that need 'engine' and are usually short: the kind of a request that a server tries itself before it
   * asks an engine thread, from raw parameters. Undefined if the server should not try. Requests of one kind are
   * expected to be equally long.
   */
  briefKind?(params: readonly unknown[]): string | undefined
  /**
   * For methods that need 'engine' and have no parameters: the result depends on the head and the resolved value alone,
   * so a server remembers it until the head moves.
   */
  readonly isFixedPerHead?: boolean
  /** Runs on the server, for methods on engine threads that need other resources; returns plain data. */
  resolve?(
    resources: Pick<All, Exclude<Needs, 'engine'>>,
    params: DecodedParams<Params>,
  ): Resolved | Promise<Resolved>
  /** What the method changes in the node, for the audit log. Others cannot call operations that change something. */
  readonly changes?: {
    readonly what: ChangeSubject
    observe(
      resources: RunResources<All, OnEngine, Needs>,
      params: DecodedParams<Params>,
    ): Observed | Promise<Observed>
  }
  /** The wire shape: documentation and the type of `run`; checked only in tests. */
  readonly result: Result
  /** Throws `rpcFault(...)` for its own errors, and observes the signal if it takes long. */
  run(
    resources: RunResources<All, OnEngine, Needs>,
    params: DecodedParams<Params>,
    context: RunContext & { readonly resolved: Resolved },
  ): MethodResult<output<Result>>
}

export interface Method {
  readonly name: string
  readonly summary: string
  readonly aliases: readonly string[]
  readonly alsoIn: readonly string[]
  readonly needs: readonly string[]
  readonly cost: CostClass
  readonly params: ParamTable
  readonly hasExactCount: boolean
  readonly result: ZodType
  readonly decode: ParamDecoder
  readonly briefKind: ((params: readonly unknown[]) => string | undefined) | undefined
  readonly isFixedPerHead: boolean
  readonly resolve:
    | ((resources: HandedResources, values: Readonly<Record<string, unknown>>) => unknown)
    | undefined
  readonly changes: MethodChanges | undefined
  /** `values` come from `decode`. */
  run(resources: HandedResources, values: Readonly<Record<string, unknown>>, context: RunContext): unknown
}

export interface MethodChanges {
  readonly what: ChangeSubject
  observe(resources: HandedResources, values: Readonly<Record<string, unknown>>): Observed | Promise<Observed>
}

const WIRE_NAME = /^[a-z][a-z0-9]*[_.][a-z][A-Za-z0-9_]*$/

export function createMethod<
  All,
  OnEngine extends keyof All & string,
  const Needs extends keyof All & string,
  const Params extends ParamTable,
  Result extends ZodType,
  Resolved,
>(
  definition: MethodDefinition<All, OnEngine, Needs, Params, Result, Resolved>,
  engineResources: readonly OnEngine[],
): Method {
  const { name, needs, aliases = [], count, isFixedPerHead = false } = definition
  for (const wireName of [name, ...aliases]) {
    assert(WIRE_NAME.test(wireName), `The method name ${wireName} is an API, _ or a dot, and a name.`)
  }
  const asked = new Set<string>(needs)
  const needsEngine = asked.has('engine')
  assert(
    !needsEngine || !asked.has('connection'),
    `${name} needs 'connection', which is on the server, and so not 'engine'.`,
  )
  const resolves = needsEngine && !asked.isSubsetOf(new Set<string>(engineResources))
  assert(
    (definition.resolve !== undefined) === resolves,
    `${name} has resolve exactly if it needs 'engine' and a resource that engine threads lack.`,
  )
  assert(
    definition.changes === undefined || !needsEngine,
    `${name} changes something, which is on main, and so does not need 'engine'.`,
  )
  assert(
    !isFixedPerHead || (needsEngine && Object.keys(definition.params).length === 0),
    `${name} is fixed per head, so it needs 'engine' and has no parameters.`,
  )
  return {
    name,
    summary: definition.summary,
    aliases,
    alsoIn: definition.alsoIn ?? [],
    needs,
    cost: definition.cost ?? 'light',
    params: definition.params,
    hasExactCount: count === 'exact',
    result: definition.result,
    decode: createParamDecoder(definition.params, count === 'exact'),
    briefKind: definition.briefKind,
    isFixedPerHead,
    resolve: definition.resolve as Method['resolve'],
    changes: definition.changes as Method['changes'],
    // The declaration proves the types of decoded values; here they are erased.
    run: definition.run as Method['run'],
  }
}

/** How a parameter is decoded, and the error if that fails. As in Besu, `null` equals absent. */
export class Param<Value> {
  readonly schema: ZodType<Value>
  readonly error: RpcErrorKind
  readonly isRequired: boolean
  /** The value of an absent optional parameter. */
  readonly fallback: Value | undefined
  /** True if it takes all remaining parameters as a list. */
  readonly isRest: boolean
  /** True if it is decoded before the parameters in front of it: if several are wrong, Besu reports this one. */
  readonly isFirst: boolean
  /** What the value must be, for an error that names the parameter. Besu's methods have none: its texts are specified. */
  readonly expects: string | undefined
  /** Decodes the usual form faster than the schema; undefined leaves the value to the schema. */
  readonly quick: Quick<Value> | undefined

  constructor(schema: ZodType<Value>, error: RpcErrorKind, presence: Presence<Value> = { isRequired: true }) {
    this.schema = schema
    this.error = error
    this.isRequired = presence.isRequired
    this.fallback = presence.fallback
    this.isFirst = presence.isFirst ?? false
    this.isRest = presence.isRest ?? false
    this.expects = presence.expects
    this.quick = presence.quick
  }

  optional(): Param<Value | undefined> {
    const { schema, error, expects, quick } = this
    return new Param<Value | undefined>(schema, error, {
      isRequired: false,
      ...(expects && { expects }),
      ...(quick && { quick }),
    })
  }

  default(fallback: Value): Param<Value> {
    const { schema, error, quick } = this
    return new Param(schema, error, { isRequired: false, fallback, ...(quick && { quick }) })
  }

  first(): Param<Value> {
    const { schema, error, isRequired, quick } = this
    return new Param(schema, error, { isRequired, isFirst: true, ...(quick && { quick }) })
  }

  /** For methods with any number of parameters; the schema is that of the list. */
  rest(): Param<Value> {
    const { schema, error } = this
    return new Param(schema, error, { isRequired: true, isRest: true })
  }

  /** The same parameter with another error. */
  failingWith(error: RpcErrorKind): Param<Value> {
    const { schema, isRequired, fallback, quick } = this
    return new Param(schema, error, {
      isRequired,
      ...(fallback !== undefined && { fallback }),
      ...(quick && { quick }),
    })
  }
}

interface Presence<Value> {
  readonly isRequired: boolean
  readonly fallback?: Value
  readonly isFirst?: boolean
  readonly isRest?: boolean
  readonly expects?: string
  readonly quick?: Quick<Value>
}

type Quick<Value> = (wire: unknown) => Value | undefined

export type ParamTable = Readonly<Record<string, Param<unknown>>>

export type DecodedParams<Table extends ParamTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Param<infer Value> ? Value : never
}

export type Decoding =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: RpcErrorKind; readonly reason?: string }

export type ParamDecoder = (params: readonly unknown[]) => Decoding

/** Shared, because methods without parameters are the most frequent calls. */
const NOTHING: Decoding = { ok: true, values: Object.freeze({}) }

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
  readonly index: number
}

function decodeAll(entries: readonly Entry[], params: readonly unknown[]): Decoding {
  const values: Record<string, unknown> = {}
  for (const { name, param, index } of entries) {
    const wire = param.isRest ? params.slice(index) : params[index]
    if (wire === undefined || wire === null) {
      if (param.isRequired) return wrong(name, param, 'is missing')
      values[name] = param.fallback
      continue
    }
    const quick = param.quick?.(wire)
    if (quick !== undefined) {
      values[name] = quick
      continue
    }
    const decoded = param.schema.safeParse(wire)
    if (!decoded.success) return wrong(name, param, 'is wrong')
    values[name] = decoded.data
  }
  return { ok: true, values }
}

function wrong(name: string, { error, expects }: Param<unknown>, what: string): Decoding {
  return { ok: false, error, ...(expects && { reason: `parameter ${name} ${what}; it must be ${expects}` }) }
}

/** Besu reads a list that begins with null as an empty one. */
function countOf(params: readonly unknown[]): number {
  return params.length === 0 || params[0] === null ? 0 : params.length
}
