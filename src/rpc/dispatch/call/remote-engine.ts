import type { CallContext } from '#rpc/dispatch/dispatcher.ts'

/** A call, and who waits for it. */
export interface EngineCall extends Pick<CallContext, 'caller' | 'remoteAddress'> {
  /** Aborted when the client left or the time is up: the engine then stops within milliseconds. */
  readonly signal: AbortSignal
}

/** Engine threads as a server sees them: a method that needs 'engine' runs there as a whole. */
export interface RemoteEngine {
  /**
   * The JSON text of the result, whole or in chunks. `params` as they came: they are decoded where the method runs.
   * `resolved` is what the method's `resolve` gave.
   * Rejects with what the method threw, or the reason of the signal.
   */
  execute(
    method: string,
    params: readonly unknown[],
    call: EngineCall,
    resolved?: unknown,
  ): Promise<string | AsyncIterable<string>>
}
