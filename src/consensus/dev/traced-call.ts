import type { MutableCall, TracedCall } from '#abi/render-calls.ts'
import type { CallFrame } from '#evm/call-tree.ts'
import { HALT_REASONS } from '#evm/halt-reasons.ts'

/** Frames are in the order of the calls. The outermost call shows the gas of the transaction. */
export function tracedCall(frames: readonly CallFrame[], gasUsed: bigint): TracedCall | undefined {
  const open: MutableCall[] = []
  for (const frame of frames) {
    const call = callOf(frame, frame.depth === 0 ? gasUsed : frame.gasUsed)
    open.length = frame.depth
    open.at(-1)?.calls.push(call)
    open.push(call)
  }
  return open[0]
}

function callOf({ type, from, to, value, input, output, error }: CallFrame, gasUsed: bigint): MutableCall {
  return {
    kind: type,
    from,
    to,
    value,
    gasUsed,
    input,
    output,
    error: HALT_REASONS[error],
    calls: [],
    events: [],
  }
}
