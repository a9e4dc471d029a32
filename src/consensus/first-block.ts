import { type Clock, pause } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import type { BftNetwork } from './driver-parts.ts'

const LOOK_MS = 200
/** A connected validator may still be opening its signature log, so one look is not enough. */
const LOOKS = 2
const MAX_WAIT_MS = 2_000

export interface FirstBlockParts {
  readonly clock: Clock
  readonly network: Pick<BftNetwork, 'connected'>
  readonly address: Address
}

/**
 * The validators of a new network start within seconds of each other. A validator that misses block 1 cannot distinguish
 * the new network from one in which it lost its signature log. It abstains for some blocks, and its turn costs a round
 * change. The proposer of block 1 therefore waits until all of them are connected, but less than a round: one may be down.
 */
export async function untilAllConnected(
  { clock, network, address }: FirstBlockParts,
  validators: readonly Address[],
  roundTimeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const others = validators.filter((each) => each !== address)
  if (others.length === 0) return
  const endMs = clock.monotonicMs() + Math.min(MAX_WAIT_MS, roundTimeoutMs / 2)
  for (let looks = 0; clock.monotonicMs() < endMs && !signal.aborted; ) {
    const connected = network.connected()
    looks = others.every((each) => connected.includes(each)) ? looks + 1 : 0
    if (looks === LOOKS) return
    await pause(clock, LOOK_MS)
  }
}
