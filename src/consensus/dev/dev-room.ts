/** The development network: logs its accounts and produces its blocks. */
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import { buildingOptions } from '#chain/options.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import type { Settings } from '#config/settings.ts'
import { type BlockProducer, withoutValidators } from '#consensus/consensus-room.ts'
import { consensusOptions } from '#consensus/options.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { defineRoom } from '#platform/room.ts'
import type { Signal } from '#platform/signal.ts'
import { ZERO_ADDRESS } from '#types/address.ts'
import { DEV_ACCOUNTS, DEV_CHAIN_ID } from './dev-genesis.ts'
import { type RunningDevProposer, startDevProposer } from './dev-proposer.ts'

interface DevNeeds {
  readonly settings: Settings
  readonly chain: RunningChain
  readonly clock: Clock
  readonly log: Log
  readonly building: LiveBuilding
  readonly candidates: CandidateSource & { readonly added: Pick<Signal<unknown>, 'subscribe'> }
}

export interface DevNetwork extends BlockProducer, Pick<RunningDevProposer, 'settled'> {}

export const DEV_NETWORK = defineRoom({
  name: 'development network',
  startDeadlineMs: 60_000,
  stopDeadlineMs: 10_000,
  start: async (needs: DevNeeds, { onStop }): Promise<DevNetwork> => {
    const { settings, chain, building, candidates } = needs
    const { keccak } = await loadCrypto()
    const coinbase = settings.get(consensusOptions.minerCoinbase) ?? ZERO_ADDRESS
    const running = await startDevProposer({
      ...needs,
      added: candidates.added,
      keccak,
      writer: chain.writer,
      headMoved: chain.headMoved,
      building: () => building.settings(),
      coinbase,
      periodSeconds: settings.get(consensusOptions.devBlockPeriodSeconds),
      budgetMs: settings.get(buildingOptions.selectionMaxTimeMs),
    })
    onStop(() => running.stop())
    return { ...withoutValidators(coinbase), settled: running.settled }
  },
})

/** These keys are public, and users need one to send a transaction. */
export function tellDevAccounts(log: Log): void {
  log.info('Started development network; the keys of its accounts are public', { chainId: DEV_CHAIN_ID })
  for (const { address, privateKey, balanceWei } of DEV_ACCOUNTS) {
    log.info('Development account', { address, ether: Number(balanceWei / 10n ** 18n), privateKey })
  }
}
