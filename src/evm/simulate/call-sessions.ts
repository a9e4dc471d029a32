/**
 * One call on a state, as if it were the next transaction of a block; nothing is kept of what it changed. What a session costs to make, and what it has read, serves the next call where nothing in
 * it belongs to one call alone: clients ask many things of one block, and the same again.
 */

import type {
  BlockEnvironment,
  Engine,
  EngineSession,
  EngineTransaction,
  SessionOptions,
} from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import type { Rules } from '#evm/rules.ts'
import {
  createStateLookup,
  LOOKUP_SCRATCH_BYTES,
  type StateLookup,
  type StateSource,
} from '#evm/state-lookup.ts'
import type { TraceRequest } from '#evm/trace/records.ts'
import { assert } from '#types/assert.ts'
import type { CallPolicy } from './call-request.ts'
import { waiversOf } from './simulate-transaction.ts'

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

/** Blocks and policies that are called in turns; the session that waited longest goes. */
const KEPT_MAX = 4
/** What a session that is kept may have read: some hundred bytes each. */
const KEPT_READS_MAX = 10_000

interface CallSession {
  readonly session: EngineSession
  readonly scratch: Uint8Array
  readonly kept: Kept | undefined
}

/** What has to be the same in the next call. */
interface Kept {
  readonly engine: Engine
  readonly block: BlockEnvironment
  readonly state: StateSource
  readonly policy: CallPolicy
  readonly reads: CountedReads
  /** The state as it was found. */
  readonly checkpoint: number
}

interface CountedReads extends StateLookup {
  count: number
}

/** Of sessions that are over: to make this memory anew costs as much as a small call. As many as were open at once. */
const idleScratches: Uint8Array[] = []
/** None that is in use. */
const keptSessions: CallSession[] = []

/** `call` is one that prepareCall let pass. */
export async function simulateCall(simulation: Simulation, call: EngineTransaction): Promise<Outcome> {
  const open = openCallSession(simulation)
  const { outcomes, refusal } = await open.session.run([call], simulation.trace)
  // Not one that failed: it is over, and may read on.
  keepCallSession(open)
  assert(refusal === undefined, `A call that was let pass is executed: ${refusal?.sentence}`)
  return decodeOutcome(outcomes[0]!)
}

function openCallSession(simulation: Simulation): CallSession {
  const { engine, rules, block, state, policy, options } = simulation
  const isPlain = state.isFixed === true && isForAnyCall(simulation)
  const index = isPlain ? keptSessions.findIndex(({ kept }) => isSame(kept!, simulation)) : -1
  if (index >= 0) return keptSessions.splice(index, 1)[0]!
  const scratch = idleScratches.pop() ?? new Uint8Array(LOOKUP_SCRATCH_BYTES)
  const reads = countReads(createStateLookup(state, scratch))
  const session = engine.open(block, rules, reads, {
    callTree: false,
    ...options,
    waivers: waiversOf(policy),
  })
  if (!isPlain) return { session, scratch, kept: undefined }
  return { session, scratch, kept: { engine, block, state, policy, reads, checkpoint: session.checkpoint() } }
}

function keepCallSession(open: CallSession): void {
  const { session, kept } = open
  if (kept === undefined || kept.reads.count > KEPT_READS_MAX) {
    finish(open)
    return
  }
  session.revert(kept.checkpoint)
  keptSessions.push(open)
  if (keptSessions.length > KEPT_MAX) finish(keptSessions.shift()!)
}

function finish({ session, scratch }: CallSession): void {
  session.finish()
  idleScratches.push(scratch)
}

function isForAnyCall({ options = {}, trace }: Simulation): boolean {
  return trace === undefined && Object.values(options).every((option) => option === undefined)
}

function isSame(kept: Kept, { engine, block, state, policy }: Simulation): boolean {
  return kept.state === state && kept.block === block && kept.policy === policy && kept.engine === engine
}

function countReads({ scratch, lookup }: StateLookup): CountedReads {
  const reads: CountedReads = {
    count: 0,
    scratch,
    lookup: (kind) => {
      reads.count++
      return lookup(kind)
    },
  }
  return reads
}
