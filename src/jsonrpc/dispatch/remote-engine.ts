import type { CallContext } from '#jsonrpc/dispatcher.ts'
import type { Method } from '#jsonrpc/method.ts'
import type { MaybePromise } from '#types/maybe-promise.ts'

/** The engine stops within milliseconds after the signal is aborted. */
export type EngineCall = Pick<CallContext, 'caller' | 'remoteAddress' | 'signal'>

/** Engine threads as a server sees them: a method that needs 'engine' runs there from parameters to JSON. */
export interface RemoteEngine {
  /** Grows when the head moves that engines answer from. */
  headSequence(): number
  /** Returns JSON text, complete or in chunks. Rejects with what the method threw, or the signal's reason. */
  execute(
    method: string,
    params: readonly unknown[],
    call: EngineCall,
    resolved?: unknown,
  ): Promise<string | AsyncIterable<string>>
}

/** Runs short calls on the server, because sending them to an engine thread would cost more. */
export interface BriefEngine {
  /** Returns undefined if the call is not short. */
  run(
    method: Method,
    params: readonly unknown[],
    context: Pick<CallContext, 'signal'>,
    resolved?: unknown,
  ): MaybePromise<{ readonly result: unknown } | undefined>
}
