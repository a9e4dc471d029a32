import type { RpcThreads } from '#api/threads/rpc-threads.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import type { DEV } from '#consensus/dev/contract.ts'
import type { DevNetwork } from '#consensus/dev/dev-room.ts'
import type { Clock } from '#platform/clock.ts'
import type { OwnerOf } from '#platform/contract.ts'
import type { Later } from '#platform/room.ts'
import type { Settled } from '#pool/contract.ts'

/** Longer than the time for a block (--block-txs-selection-max-time), shorter than the time of a request. */
const MAX_WAIT_MS = 10_000

interface DevChain {
  readonly dev: Later<DevNetwork>
  readonly rpc: Later<Pick<RpcThreads, 'announced'>>
  readonly chain: Pick<RunningChain, 'head'>
  readonly clock: Pick<Clock, 'after'>
}

/**
 * Delays the answer to a sender until its transaction is in a block that every server thread knows: tools for development
 * chains ask for the receipt once, directly after they sent the transaction.
 */
export function settleOnDevChain({ dev, rpc, chain, clock }: DevChain): Settled {
  const settle = async (isWaiting: () => boolean): Promise<void> => {
    const { settled } = await dev.arrived
    await settled(isWaiting)
    await rpc.now?.announced(chain.head)
  }
  return async (isWaiting) => {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(MAX_WAIT_MS, resolve)
    try {
      await Promise.race([settle(isWaiting), late])
    } finally {
      timer.cancel()
    }
  }
}

/** Implements the contract for methods. */
export function createLiveDev({ dev, rpc, chain }: Omit<DevChain, 'clock'>): OwnerOf<typeof DEV> {
  return {
    automines: () => dev.get().automines(),
    setAutomine: (isOn) => dev.get().setAutomine(isOn),
    increaseTime: (seconds) => dev.get().increaseTime(seconds),
    setNextTimestamp: (timestamp) => dev.get().setNextTimestamp(timestamp),
    snapshot: () => dev.get().snapshot(),
    mine: async (request) => {
      await dev.get().mine(request)
      await rpc.now?.announced(chain.head)
    },
    revert: async (id) => {
      const isReverted = await dev.get().revert(id)
      await rpc.now?.announced(chain.head)
      return isReverted
    },
  }
}
