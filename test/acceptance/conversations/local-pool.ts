/**
 * A pool on the chain of a conversation, written by this thread. Its clock does not advance, so every run answers the
 * same.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import type { MayTransact } from '#pool/may-transact.ts'
import { createPoolChain } from '#pool/pool-chain.ts'
import type { PoolSettings } from '#pool/read-settings.ts'
import { TransactionPool } from '#pool/transaction-pool.ts'

export function openLocalPool(
  chain: Chain,
  view: ChainView,
  settings: PoolSettings,
  mayTransact: MayTransact,
): TransactionPool {
  const building = () => ({ minGasPriceWei: settings.minGasPriceWei, minPriorityFeeWei: 0n })
  const log = createLog({ level: 'ERROR' })
  const pool = new TransactionPool({
    clock: createFakeClock(),
    log,
    building,
    chain: createPoolChain(view),
    settings,
    mayTransact,
  })
  chain.headMoved.subscribe((change) => pool.headMoved(change))
  return pool
}
