import type { output, ZodType } from 'zod'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import { assert } from '#types/assert.ts'
import type { ChangeSubject, Observed } from './audit/audit-record.ts'
import type { CostClass } from './limits/cost-class.ts'
import { createParamDecoder, type DecodedParams, type ParamDecoder, type ParamTable } from './param.ts'
import { type EngineThreadResource, isOnEngineThreads, type Resources } from './resources.ts'

/** What `run` learns about the call besides its parameters. */
export interface RunContext extends Pick<CallContext, 'signal'>, Partial<CallerTraits> {
  /**
   * Index 0 other than 0: the client left or the time is up. Engines poll it, because a signal cannot fire on a
   * thread that computes. Only of methods that need 'engine'.
   */
  readonly cancel?: Int32Array
  /** What `resolve` gave. */
  readonly resolved?: unknown
}

/** Who calls, for log lines. Only of methods that do not need 'engine'. */
export type CallerTraits = Pick<CallContext, 'caller' | 'remoteAddress' | 'requestId'>

/** What `run` is handed: on an engine thread, what there is. */
type RunResources<Needs extends keyof Resources> = Pick<
  Resources,
  'engine' extends Needs ? Extract<Needs, EngineThreadResource> : Needs
>

/** Wire-ready data, or the JSON text of a long result in chunks that are sent as they come. */
export type MethodResult<Result> = Wire<Result> | Promise<Wire<Result>> | AsyncIterable<string>

/** Nobody changes a result, so presenting functions may hand out what is read-only. */
type Wire<Shape> = Shape extends readonly (infer Item)[]
  ? readonly Wire<Item>[]
  : Shape extends object
    ? { readonly [Name in keyof Shape]: Wire<Shape[Name]> }
    : Shape

export interface MethodDefinition<
  Needs extends keyof Resources,
  Params extends ParamTable,
  Result extends ZodType,
  Resolved,
> {
  /** The wire name. The API and the grants derive from it. */
  readonly name: string
  readonly summary: string
  /** Other wire names, each with grants of its own by the same rule. */
  readonly aliases?: readonly string[]
  /** Other APIs that bring it, beside that of its name. */
  readonly alsoIn?: readonly string[]
  /** Which resources `run` is handed. Nothing else decides where the work is done. */
  readonly needs: readonly Needs[]
  /** In the order of the wire. */
  readonly params: Params
  /** What a call takes of its caller's requests per minute; undefined: light. */
  readonly cost?: CostClass
  /** `exact`: another number of parameters is refused. Otherwise further ones are ignored. */
  readonly count?: 'exact'
  /**
   * Of a method that needs 'engine' and is most often little work: which requests a server tries itself before it asks an
   * engine thread, from parameters as they came. undefined: none like this one. The same text stands for requests that
   * are long together.
   */
  briefKind?(params: readonly unknown[]): string | undefined
  /**
   * Of a method that needs 'engine' and a resource that engine threads lack: asks that resource, on the server, before the method
   * runs. What it gives is sent along and is `context.resolved`: plain data.
   */
  resolve?(
    resources: Pick<Resources, Exclude<Needs, 'engine'>>,
    params: DecodedParams<Params>,
  ): Resolved | Promise<Resolved>
  /**
   * Of a method that changes how the node works: what, and how it looks at a moment. Every call is written to the audit
   * log, with what differed after it. A method without it cannot call what changes something.
   */
  readonly changes?: {
    readonly what: ChangeSubject
    observe(resources: RunResources<Needs>, params: DecodedParams<Params>): Observed | Promise<Observed>
  }
  /** The wire shape: documentation and the type of `run`; checked in tests, not in production. */
  readonly result: Result
  /** Throws `rpcFault(...)` for errors of its own, and observes the signal where it takes long. */
  run(
    resources: RunResources<Needs>,
    params: DecodedParams<Params>,
    context: RunContext & { readonly resolved: Resolved },
  ): MethodResult<output<Result>>
}

/** A method as dispatcher, registry and documentation see it. */
export interface Method {
  readonly name: string
  readonly summary: string
  readonly aliases: readonly string[]
  readonly alsoIn: readonly string[]
  readonly needs: readonly (keyof Resources)[]
  readonly cost: CostClass
  readonly params: ParamTable
  readonly hasExactCount: boolean
  readonly result: ZodType
  readonly decode: ParamDecoder
  readonly briefKind: ((params: readonly unknown[]) => string | undefined) | undefined
  readonly resolve: ((resources: Resources, values: Readonly<Record<string, unknown>>) => unknown) | undefined
  readonly changes: MethodChanges | undefined
  /** `values` are what `decode` made. */
  run(resources: Resources, values: Readonly<Record<string, unknown>>, context: RunContext): unknown
}

export interface MethodChanges {
  readonly what: ChangeSubject
  observe(resources: Resources, values: Readonly<Record<string, unknown>>): Observed | Promise<Observed>
}

const WIRE_NAME = /^[a-z][a-z0-9]*[_.][a-z][A-Za-z0-9]*$/

/** Declares one JSON-RPC method: one file, whose default export this is. */
export function defineMethod<
  const Needs extends keyof Resources,
  const Params extends ParamTable,
  Result extends ZodType,
  Resolved = undefined,
>(definition: MethodDefinition<Needs, Params, Result, Resolved>): Method {
  const { name, needs, aliases = [], count } = definition
  for (const wireName of [name, ...aliases]) {
    assert(WIRE_NAME.test(wireName), `The method name ${wireName} is an API, _ or a dot, and a name.`)
  }
  const isOnServer = needs.some((need) => need === 'connection')
  assert(
    !isOnServer || !needs.some((need) => need === 'engine'),
    `${name} needs 'connection', which is on the server, and so not 'engine'.`,
  )
  const resolves = needs.some((need) => need === 'engine') && !needs.every(isOnEngineThreads)
  assert(
    (definition.resolve !== undefined) === resolves,
    `${name} has resolve exactly if it needs 'engine' and a resource that engine threads lack.`,
  )
  assert(
    definition.changes === undefined || !needs.some((need) => need === 'engine'),
    `${name} changes something, which is on main, and so does not need 'engine'.`,
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
    resolve: definition.resolve as Method['resolve'],
    changes: definition.changes as Method['changes'],
    // The types of decoded values are proven where the method is declared; here they are erased.
    run: definition.run as Method['run'],
  }
}
