/** One call on a state, as if it were the next transaction of a block. Nothing is kept of it. */

import type { EngineTransaction } from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import { assert } from '#types/assert.ts'
import { keepCallSession, openCallSession, type Simulation } from './call-sessions.ts'

/** `call` is one that prepareCall let pass. */
export async function simulateCall(simulation: Simulation, call: EngineTransaction): Promise<Outcome> {
  const open = openCallSession(simulation)
  const { outcomes, refusal } = await open.session.run([call], simulation.trace)
  // Not one that failed: it is over, and may read on.
  keepCallSession(open)
  assert(refusal === undefined, `A call that was let pass is executed: ${refusal?.sentence}`)
  return decodeOutcome(outcomes[0]!)
}
