/** The result of tracing one transaction with any of trace, vmTrace and stateDiff, as JSON text. */

import type { TraceType } from '#api/schema/trace.ts'
import { type CallFrame, decodeFrames } from '#evm/call-tree.ts'
import type { RefusedTransaction } from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import type { Rules } from '#evm/rules.ts'
import { type FlatCall, flatCalls, flatOptions } from '#evm/trace/flat-calls.ts'
import { creationMethodOf, flatText } from '#evm/trace/flat-text.ts'
import { requestOf } from '#evm/trace/shape.ts'
import { stateDiff } from '#evm/trace/state-diff.ts'
import { framesThatRanOff, VM_TRACE_WANTS, VmTrace } from '#evm/trace/vm-trace.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { formatData } from '#types/hex.ts'
import { type KeptRun, keptText, runKept, type TracedRun } from './traced-text.ts'

export interface TracedTransaction extends TracedRun {
  readonly rules: Rules
  readonly types: readonly TraceType[]
}

export interface ResultForm {
  /** For a transaction in a block: includes its hash, the revert reason, and how contracts were created. */
  readonly transactionHash?: string
  /** The sender, if the method reports it. */
  readonly from?: string
}

/**
 * Runs it in the session, which continues after it. Yields nothing if the transaction is refused. With stateDiff and
 * vmTrace it runs twice: the text has the changes before the instructions, the events after them.
 */
export async function* traceResult(
  traced: TracedTransaction,
  form: ResultForm,
): AsyncGenerator<string, RefusedTransaction | undefined, undefined> {
  const { session, transaction, types } = traced
  const checkpoint = session.checkpoint()
  const ran = await firstRun(traced)
  if (!ran.ok) return ran.refusal
  const { outcome, frames, difference } = ran
  const options = flatOptions(traced.rules, transaction.transaction, frames)
  yield `{${headText(outcome, form)},"stateDiff":${difference ?? 'null'},"trace":[`
  if (types.includes('trace')) yield* flatTexts(flatCalls(frames, options), form)
  const hash = form.transactionHash
  yield `],${hash === undefined ? '' : `"transactionHash":"${hash}",`}"vmTrace":`
  if (types.includes('vmTrace')) {
    let { kept } = ran
    if (kept === undefined) {
      session.revert(checkpoint)
      kept = await runKept(traced, VM_TRACE_WANTS)
    }
    const ranOff = await ranOffOf(traced, frames, checkpoint)
    const known = { frames, ranOff, isPrecompile: options.isPrecompile }
    yield* keptText(kept, traced, (out) => new VmTrace(out, known))
  } else yield 'null'
  yield '}'
  return undefined
}

function* flatTexts(calls: readonly FlatCall[], { transactionHash }: ResultForm): Generator<string> {
  const creationMethod = transactionHash === undefined ? undefined : creationMethodOf(calls)
  for (const [index, call] of calls.entries())
    yield `${index === 0 ? '' : ','}${flatText(call, creationMethod)}`
}

type FirstRun =
  | { readonly ok: false; readonly refusal: RefusedTransaction }
  | {
      readonly ok: true
      readonly outcome: Outcome
      readonly frames: readonly CallFrame[]
      /** stateDiff; undefined if not requested. */
      readonly difference: string | undefined
      /** The vmTrace events, if the run made them. */
      readonly kept: KeptRun | undefined
    }

async function firstRun(traced: TracedTransaction): Promise<FirstRun> {
  const { session, transaction, types } = traced
  let difference = ''
  const diff = stateDiff((text) => {
    difference += text
  })
  const wantsDiff = types.includes('stateDiff')
  const isKept = types.includes('vmTrace') && !wantsDiff
  const kept = isKept ? await runKept(traced, VM_TRACE_WANTS) : undefined
  const { outcomes, refusal } =
    kept?.result ?? (await session.run([transaction], wantsDiff ? requestOf(diff) : undefined))
  if (refusal !== undefined) return { ok: false, refusal }
  const outcome = decodeOutcome(outcomes[0]!)
  if (outcome.areFramesCut)
    throw rpcFault('LIMIT_EXCEEDED', { reason: 'the transaction makes too many calls' })
  const frames = decodeFrames(outcome.frames!)
  return { ok: true, outcome, frames, difference: wantsDiff ? difference : undefined, kept }
}

/** Runs it again from before if it may matter: few calls succeed without returning anything. */
async function ranOffOf(
  { session, transaction }: TracedTransaction,
  frames: readonly CallFrame[],
  checkpoint: number,
): Promise<ReadonlySet<number>> {
  const { shape, ranOff } = framesThatRanOff()
  const mayHave = ({ depth, error, output, gasUsed }: CallFrame): boolean =>
    depth > 0 && error === 'none' && output.length === 0 && gasUsed > 0n
  if (!frames.some(mayHave)) return ranOff
  session.revert(checkpoint)
  await session.run([transaction], requestOf(shape))
  return ranOff
}

function headText({ output, error }: Outcome, { transactionHash, from }: ResultForm): string {
  const sender = from === undefined ? '' : `"from":"${from}",`
  if (transactionHash === undefined || error !== 'reverted')
    return `${sender}"output":"${formatData(output)}"`
  return `"output":"0x","revertReason":"${formatData(output)}"`
}
