import type { Contracts } from '#platform/contract.ts'
import type { MaybePromise } from '#types/maybe-promise.ts'
import type { ForeignFaults, RpcError } from './errors.ts'
import type { HandedResources, Method, RunContext } from './method.ts'

/** Everything that `jsonrpc` must know about the methods besides themselves; `api/served-api.ts` has the value. */
export interface ServedApi {
  /** By resource name. An operation that changes something is locked unless the method declares the change. */
  readonly contracts: Contracts
  readonly engineResources: readonly string[]
  readonly faults: ForeignFaults
  /** Errors for method names that clients probe for and this node does not serve. */
  readonly absentMethods: ReadonlyMap<string, RpcError>
  /** Methods that WebSocket serves regardless of options. */
  readonly alwaysOverWebSocket: readonly string[]
  /** Runs a method that needs 'engine' on the current thread. */
  runOnEngine(
    method: Method,
    resources: HandedResources,
    values: Readonly<Record<string, unknown>>,
    context: RunContext,
  ): MaybePromise<unknown>
}
