import type { RpcThreads } from '#api/threads/rpc-threads.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import type { DevNetwork } from '#consensus/dev/dev-room.ts'
import type { Clock } from '#platform/clock.ts'
import type { Later } from '#platform/room.ts'
import type { Settled } from '#pool/contract.ts'

/** Longer than the time for a block (--block-txs-selection-max-time), shorter than the time of a request. */
const MAX_WAIT_MS = 10_000

interface Settling {
  readonly dev: Later<Pick<DevNetwork, 'settled'>>
  readonly rpc: Later<Pick<RpcThreads, 'announced'>>
  readonly chain: Pick<RunningChain, 'head'>
  readonly clock: Pick<Clock, 'after'>
}

/**
 * Delays the answer to a sender until its transaction is in a block that every server thread knows: tools for development
 * chains ask for the receipt once, directly after they sent the transaction.
 */
export function settleOnDevChain({ dev, rpc, chain, clock }: Settling): Settled {
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
