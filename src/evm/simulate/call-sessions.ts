/**
 * Runs one call on a state as the next transaction of a block, and keeps none of its changes. A session and its reads
 * serve the next call if nothing in it belongs to one call alone: clients ask many things of one block, and
 * repeatedly.
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
import type { TraceRequest } from '#evm/trace/events.ts'
import { assert } from '#types/assert.ts'
import { type MaybePromise, whenReady } from '#types/maybe-promise.ts'
import type { CallPolicy } from './call-request.ts'
import { waiversOf } from './simulate-transaction.ts'

export interface Simulation {
  readonly engine: Engine
  readonly rules: Rules
  readonly block: BlockEnvironment
  readonly state: StateSource
  readonly policy: CallPolicy
  /** Call trees, events, changes, moved precompiles, the cancel cell: any session option. */
  readonly options?: Partial<SessionOptions> | undefined
  readonly trace?: TraceRequest | undefined
}

/** Kept sessions for alternating blocks and policies; the oldest is closed first. */
const KEPT_MAX = 4
/** Maximum reads of a kept session, some hundred bytes each. */
const KEPT_READS_MAX = 10_000

interface CallSession {
  readonly session: EngineSession
  readonly scratch: Uint8Array
  readonly kept: Kept | undefined
}

/** Values that must be the same in the next call. */
interface Kept {
  readonly engine: Engine
  readonly block: BlockEnvironment
  readonly state: StateSource
  readonly policy: CallPolicy
  readonly reads: CountedReads
  /** The unmodified state. */
  readonly checkpoint: number
}

interface CountedReads extends StateLookup {
  count: number
}

/**
 * Scratch buffers of finished sessions, because allocating one costs as much as a small call. As many as were open at
 * once.
 */
const idleScratches: Uint8Array[] = []
/** Sessions that are not in use. */
const keptSessions: CallSession[] = []

/** `call` was accepted by prepareCall. */
export function simulateCall(simulation: Simulation, call: EngineTransaction): MaybePromise<Outcome> {
  const open = openCallSession(simulation)
  return whenReady(open.session.run([call], simulation.trace), ({ outcomes, refusal }) => {
    // A failed session is over and is not kept.
    keepCallSession(open)
    assert(refusal === undefined, `A call that was let pass is executed: ${refusal?.sentence}`)
    return decodeOutcome(outcomes[0]!)
  })
}

function openCallSession(simulation: Simulation): CallSession {
  const { engine, rules, block, state, policy, options } = simulation
  const isPlain = state.isFixed === true && isForAnyCall(simulation)
  const index = isPlain ? keptSessions.findIndex(({ kept }) => isSame(kept!, simulation)) : -1
  // Mostly the last one, whose removal moves nothing.
  if (index >= 0)
    return index === keptSessions.length - 1 ? keptSessions.pop()! : keptSessions.splice(index, 1)[0]!
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

function isForAnyCall({ options, trace }: Simulation): boolean {
  if (trace !== undefined) return false
  return options === undefined || Object.values(options).every((option) => option === undefined)
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
