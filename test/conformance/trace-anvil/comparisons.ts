/** The requests about a transaction for both nodes, and the rules that normalise their answers. */
import * as rules from './normalise.ts'

export interface Comparison {
  readonly name: string
  readonly method: string
  readonly options: readonly unknown[]
  /** Applied in order; each removes one explained difference. */
  readonly rules: readonly rules.Rule[]
}

const debug = (name: string, options: object, list: readonly rules.Rule[]): Comparison => ({
  name,
  method: 'debug_traceTransaction',
  options: [options],
  rules: list,
})

/** Rules for every list of flat calls. */
const FLAT = [
  rules.withoutResultOfFailed,
  rules.withReferenceWords,
  rules.withoutRevertReason,
  rules.withoutPrecompileOutput,
  rules.withoutPrecompileCalls,
  rules.withoutRefusedCalls,
  rules.withPriceOfData,
  rules.withOneCreationMethod,
  rules.withoutOwnHeirs,
]

export const COMPARISONS: readonly Comparison[] = [
  debug('call tree (callTracer)', { tracer: 'callTracer', tracerConfig: { withLog: true } }, [
    rules.withTransactionGas,
    rules.withoutUndoneLogs,
    rules.withGethWords,
    rules.withoutOwnHeirsInTree,
  ]),
  { name: 'flat calls', method: 'trace_transaction', options: [], rules: FLAT },
  debug('state before (prestateTracer)', { tracer: 'prestateTracer' }, [
    rules.withoutCodeHash,
    rules.withoutEmptyAccounts,
    rules.withoutUnpaidSlots,
  ]),
  debug('state changes (prestateTracer)', { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }, [
    rules.withoutCodeHash,
    rules.withoutEmptyBefore,
  ]),
  debug('struct logs', { enableMemory: true, enableReturnData: true }, [
    rules.withReceiptGas,
    rules.withoutStopOfNothing,
    rules.withoutEmptyMembers,
    rules.withoutIdleWrites,
    rules.withoutUnpaidWrites,
    rules.withoutLastCosts,
    rules.withoutCreationCosts,
    rules.withComparableRefunds,
    rules.withOurNames,
  ]),
]

/** Parts of trace_replayBlockTransactions that anvil cannot return for one transaction. */
export const REPLAYED = [
  { name: 'replayed calls', pick: (replay: rules.Json) => replay.trace, rules: FLAT },
  {
    name: 'stateDiff',
    pick: (replay: rules.Json) => replay.stateDiff,
    rules: [rules.withoutShortLived, rules.withPlainValues, rules.withoutDelegations],
  },
]
