/** The consensus status as plain data, for `bft_status` and the log. */
import type { Clock } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import { toleratedFaults } from '#types/block/bft-quorum.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import { blockDelayMs } from './bft/core/block-time.ts'
import type { RoundStage, ValidatorState } from './bft/core/core-state.ts'
import type { Now } from './bft/events.ts'
import type { WireGeneration } from './bft/messages.ts'
import type { BftDriver } from './driver.ts'
import type { DriverParts } from './driver-parts.ts'
import { type Evidence, explain } from './explain.ts'

export interface BftStatus {
  readonly protocol: 'qbft' | 'ibft2'
  /** The height of the block being built. */
  readonly height: number
  /** Undefined if the block is not due yet. */
  readonly round: number | undefined
  readonly stage: RoundStage
  readonly self: Address
  readonly isValidator: boolean
  readonly proposer: Address
  /** The order in which validators take turns at this height. */
  readonly proposerOrder: ProposerOrder
  /** Time until this node asks for the next round and until the block is due; undefined if it waits for neither. */
  readonly roundLeftMs: number | undefined
  readonly blockLeftMs: number | undefined
  readonly quorum: QuorumStatus
  readonly validators: readonly ValidatorStatus[]
  /** The clock of this node, as Unix time. */
  readonly wallMs: number
  /** Milliseconds until the last signature log entry was durable. */
  readonly lastPersistMs: number
  /** Why the chain does not move, or that nothing is wrong, in one sentence. */
  readonly cause: string
}

export interface QuorumStatus {
  readonly validators: number
  readonly needed: number
  /** Maximum silent validators while blocks continue. */
  readonly tolerated: number
  readonly prepares: number
  readonly preparesNeeded: number
  readonly commits: number
  /** Validators heard at this height, including this node. */
  readonly heard: number
}

export interface ValidatorStatus extends Omit<ValidatorState, 'lastHeard'> {
  readonly isConnected: boolean
  /** Unix time of its last message for this or an earlier height; undefined if there was none since the start. */
  readonly lastHeardMs: number | undefined
  readonly generation: WireGeneration | undefined
}

/** Undefined until the chain is open. */
export function bftStatus(
  driver: Pick<BftDriver, 'state' | 'observations'>,
  parts: Pick<DriverParts, 'clock' | 'network' | 'address' | 'codecAt' | 'rulesAt'>,
  seen: Pick<Evidence, 'clockAheadMs' | 'importProblem'>,
): BftStatus | undefined {
  const coreState = driver.state()
  if (coreState === undefined) return undefined
  const { clock, network, address, codecAt, rulesAt } = parts
  const { height } = coreState.context
  const connected = new Set(network.connected())
  const leftMs = (name: string) => {
    const timer = coreState.timers.find(({ timer }) => timer === name)
    return timer && Math.max(0, Math.round(timer.dueMonotonicMs - clock.monotonicMs()))
  }
  const blockLeftMs = leftMs('block')
  const untilDueMs = blockDelayMs(coreState.context, nowOf(clock), 'fired')
  const validators = coreState.validators.map(({ lastHeard, ...validator }) => ({
    ...validator,
    isConnected: validator.isSelf || connected.has(validator.address),
    lastHeardMs: lastHeard?.wallMs,
    generation: lastHeard?.generation,
  }))
  const isHeard = (index: number) => coreState.validators[index]?.lastHeard?.height === height
  const codec = codecAt(height)
  const { proposerOrder } = rulesAt(height)
  return {
    protocol: codec.protocol,
    height,
    round: coreState.round < 0 ? undefined : coreState.round,
    stage: coreState.stage,
    self: address,
    isValidator: coreState.isValidator,
    proposer: coreState.proposer,
    proposerOrder,
    roundLeftMs: leftMs('round'),
    // The timer checks the clock again before the block is due.
    blockLeftMs: blockLeftMs && Math.max(blockLeftMs, untilDueMs),
    quorum: {
      validators: validators.length,
      needed: coreState.quorum,
      tolerated: toleratedFaults(validators.length),
      prepares: validators.filter(({ hasPrepared }) => hasPrepared).length,
      preparesNeeded: coreState.preparesNeeded,
      commits: validators.filter(({ hasCommitted }) => hasCommitted).length,
      heard: validators.filter(({ isSelf }, index) => isSelf || isHeard(index)).length,
    },
    validators,
    wallMs: clock.wallMs(),
    lastPersistMs: Math.round(driver.observations.lastPersistMs),
    cause: explain({
      coreState,
      connected,
      exchanging: new Set(network.exchanging()),
      turnedAway: network.turnedAway(),
      generation: codec.generation,
      proposerOrder,
      wallMs: clock.wallMs(),
      ...seen,
      ...driver.observations,
    }),
  }
}

function nowOf(clock: Clock): Now {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
}
