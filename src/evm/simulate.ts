/** One call on a state, as if it were the next transaction of a block. Nothing is kept of it. */
import { assert } from '#types/assert.ts'
import type { CallPolicy } from './call-request.ts'
import {
  type BlockEnvironment,
  type Engine,
  type EngineTransaction,
  NO_WAIVERS,
  type SessionOptions,
  type Waivers,
} from './engine.ts'
import { decodeOutcome, type Outcome } from './outcome.ts'
import type { Rules } from './rules.ts'
import { createStateLookup, LOOKUP_SCRATCH_BYTES, type StateSource } from './state-lookup.ts'
import type { TraceRequest } from './trace/records.ts'

export interface Simulation {
  readonly engine: Engine
  readonly rules: Rules
  readonly block: BlockEnvironment
  readonly state: StateSource
  readonly policy: CallPolicy
  /** Call trees, records, changes, moved precompiles, the cancel cell: whatever a session takes. */
  readonly options?: Partial<SessionOptions>
  readonly trace?: TraceRequest | undefined
}

/** Of calls that are over: to make this memory anew costs as much as a small call. As many as ran at once. */
const idleScratches: Uint8Array[] = []

/** `call` is one that prepareCall let pass. */
export async function simulateCall(simulation: Simulation, call: EngineTransaction): Promise<Outcome> {
  const { engine, rules, block, state, policy, options, trace } = simulation
  const scratch = idleScratches.pop() ?? new Uint8Array(LOOKUP_SCRATCH_BYTES)
  const session = engine.open(block, rules, createStateLookup(state, scratch), {
    callTree: false,
    ...options,
    waivers: waiversOf(policy),
  })
  const { outcomes, refusal } = await session.run([call], trace)
  session.finish()
  // Not of a session that failed, which may read on.
  idleScratches.push(scratch)
  assert(refusal === undefined, `A call that was let pass is executed: ${refusal?.sentence}`)
  return decodeOutcome(outcomes[0]!)
}

/** What prepareCall decided already, in the words of the reference, no engine decides again. */
export function waiversOf(policy: CallPolicy): Waivers {
  return {
    ...NO_WAIVERS,
    nonce: true,
    senderCode: true,
    gasLimit: true,
    baseFee: true,
    balance: policy.mayLackFunds,
  }
}
