/** Why a call failed. An outcome does not say which instruction was invalid: to find it, the call runs again under watch. */

import type { Outcome } from '#evm/outcome.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { RecordReader } from '#evm/trace/record-reader.ts'
import { NO_WANTS, type TraceRequest } from '#evm/trace/records.ts'
import type { RunContext } from '#rpc/define-method.ts'
import type { RpcErrorKind } from '#rpc/errors.ts'
import type { Resources } from '#rpc/resources.ts'
import type { Fault } from '#types/fault.ts'
import { failureFault } from './call-fault.ts'
import { type CallRun, runCall } from './run-call.ts'

export async function explainFailure(
  resources: Pick<Resources, 'engine' | 'limits'>,
  run: CallRun,
  call: CallRequest,
  outcome: Outcome,
  context: Pick<RunContext, 'cancel'>,
): Promise<Fault<RpcErrorKind>> {
  if (outcome.error !== 'invalidOpcode') return failureFault(outcome)
  const last = new LastInstruction()
  await runCall(resources, { ...run, trace: last.request }, call, context)
  return failureFault(outcome, last.opcode)
}

/** Watches a call to find the instruction that ended it with an error. */
class LastInstruction {
  /** undefined: no instruction of the outermost frame failed. */
  opcode: number | undefined
  readonly #reader = new RecordReader({
    step: ({ op, depth, isFault }) => {
      if (isFault && depth === 0) this.opcode = op
    },
  })
  readonly request: TraceRequest = {
    wants: { ...NO_WANTS, steps: true },
    onRecords: (chunk) => this.#reader.read(chunk),
  }
}
