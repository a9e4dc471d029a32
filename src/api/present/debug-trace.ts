/** One transaction traced for a DEBUG method, as JSON text. */

import type { TraceOptions } from '#api/schema/trace-options.ts'
import { decodeFrames } from '#evm/call-tree.ts'
import type { RefusedTransaction } from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import type { Rules } from '#evm/rules.ts'
import { callTreeTexts, collectedLogs } from '#evm/trace/call-tracer.ts'
import { flatCalls, flatOptions } from '#evm/trace/flat-calls.ts'
import { creationMethodOf, type FlatPlace, flatText } from '#evm/trace/flat-text.ts'
import { fourByteText } from '#evm/trace/four-byte-tracer.ts'
import { prestate, prestateDifference, TOUCHED_WANTS } from '#evm/trace/prestate-tracer.ts'
import { requestOf } from '#evm/trace/shape.ts'
import { type StructLogOptions, StructLogs, structLogWants } from '#evm/trace/struct-logs.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { formatData } from '#types/hex.ts'
import { keptText, runKept, type TracedRun } from './traced-text.ts'

export interface DebuggedTransaction extends TracedRun {
  readonly rules: Rules
  readonly options: TraceOptions
  /** Present if the transaction is in a block. */
  readonly place: FlatPlace | undefined
  /** True in a list of transactions: then Besu puts the instructions before the outcome. */
  readonly isListed: boolean
}

type Traced = AsyncGenerator<string, RefusedTransaction | undefined, undefined>

/** Runs it in the session, which continues after it. Yields nothing if the transaction is refused. */
export async function* debugTrace(debugged: DebuggedTransaction): Traced {
  const { session, transaction, options } = debugged
  switch (options.tracer) {
    case undefined:
      return yield* steps(debugged)
    case 'prestateTracer':
      return yield* touchedAccounts(debugged)
    case 'noopTracer': {
      const { refusal } = await session.run([transaction])
      if (refusal === undefined) yield '{}'
      return refusal
    }
    default:
      return yield* callTraces(debugged)
  }
}

async function* touchedAccounts(debugged: DebuggedTransaction): Traced {
  const { diffMode, prestate: told } = debugged.options
  const kept = await runKept(debugged, TOUCHED_WANTS)
  if (kept.result.refusal !== undefined) return kept.result.refusal
  const shape = diffMode ? prestateDifference : prestate
  yield* keptText(kept, debugged, (out) => shape((text) => out.text(text), told).visitor)
  return undefined
}

async function* steps(debugged: DebuggedTransaction): Traced {
  const { isListed, options } = debugged
  const told = structLogOptions(options, isListed ? 'written' : 'accessed')
  const kept = await runKept(debugged, structLogWants(told))
  const { outcomes, refusal } = kept.result
  if (refusal !== undefined) return refusal
  const summary = summaryText(decodeOutcome(outcomes[0]!))
  yield isListed ? '{"structLogs":' : `{${summary},"structLogs":`
  yield* keptText(kept, debugged, (out) => new StructLogs(out, told))
  yield isListed ? `,${summary}}` : '}'
  return undefined
}

async function* callTraces(debugged: DebuggedTransaction): Traced {
  const { session, rules, transaction, options, place } = debugged
  const collected = options.tracer === 'callTracer' && options.withLog ? collectedLogs() : undefined
  const { outcomes, refusal } = await session.run([transaction], collected && requestOf(collected.shape))
  if (refusal !== undefined) return refusal
  const outcome = decodeOutcome(outcomes[0]!)
  if (outcome.areFramesCut)
    throw rpcFault('LIMIT_EXCEEDED', { reason: 'the transaction makes too many calls' })
  const frames = decodeFrames(outcome.frames!)
  const flat = flatOptions(rules, transaction.transaction, frames)
  if (options.tracer === '4byteTracer') {
    yield fourByteText(frames, flat.isPrecompile)
  } else if (options.tracer === 'flatCallTracer') {
    const calls = flatCalls(frames, flat)
    const creationMethod = creationMethodOf(calls)
    yield `[${calls.map((call) => flatText(call, creationMethod, place)).join()}]`
  } else {
    const totals = { gasLimit: transaction.transaction.gasLimit, gasUsed: outcome.gasUsed }
    const { onlyTopCall } = options
    yield* callTreeTexts(frames, totals, { onlyTopCall, logs: collected?.logs })
  }
  return undefined
}

function structLogOptions({ structLogs }: TraceOptions, storage: 'written' | 'accessed'): StructLogOptions {
  return { ...structLogs, storage: structLogs.hasStorage ? storage : 'none' }
}

function summaryText({ gasUsed, isSuccess, output }: Outcome): string {
  return `"gas":${gasUsed},"failed":${!isSuccess},"returnValue":"${formatData(output)}"`
}
