/** The development network as a service of the node: its accounts are told, and its blocks are made here. */
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import { buildingOptions } from '#chain/options.ts'
import type { Settings } from '#config/settings.ts'
import { DEV_ACCOUNTS, DEV_CHAIN_ID } from '#consensus/dev/dev-genesis.ts'
import { type RunningDevMaker, startDevMaker } from '#consensus/dev/dev-maker.ts'
import { consensusOptions } from '#consensus/options.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Signal } from '#platform/signal.ts'
import { type Address, ZERO_ADDRESS } from '#types/address.ts'
import type { LiveChain } from './live-chain.ts'

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 10_000

export interface DevParts {
  readonly clock: Clock
  readonly log: Log
  readonly building: LiveBuilding
  /** Asked when the service starts, as is `added`. */
  readonly candidates: () => CandidateSource
  readonly added: () => Pick<Signal<unknown>, 'subscribe'>
}

export function createDevService(settings: Settings, chain: LiveChain, parts: DevParts): Service {
  // Before anybody can ask: who waits for the node to answer finds them in the log.
  tellAccounts(parts.log)
  let running: RunningDevMaker | undefined
  return {
    name: 'development network',
    startDeadlineMs: START_DEADLINE_MS,
    stopDeadlineMs: STOP_DEADLINE_MS,
    start: async () => {
      const { keccak } = await loadCrypto()
      running = await startDevMaker({
        ...parts,
        candidates: parts.candidates(),
        added: parts.added(),
        keccak,
        writer: chain.writer,
        headMoved: chain.writer.headMoved,
        building: () => parts.building.settings(),
        coinbase: devCoinbase(settings),
        periodSeconds: settings.get(consensusOptions.devBlockPeriodSeconds),
        budgetMs: settings.get(buildingOptions.selectionMaxTimeMs),
      })
    },
    stop: () => running?.stop(),
  }
}

/** Who is named in its blocks. */
export function devCoinbase(settings: Settings): Address {
  return settings.get(consensusOptions.minerCoinbase) ?? ZERO_ADDRESS
}

/** These keys are no secret, and nobody can send a transaction without one. */
function tellAccounts(log: Log): void {
  log.info(`Development network, chain id ${DEV_CHAIN_ID}. Everybody knows the keys of its accounts:`)
  for (const { address, privateKey, balanceWei } of DEV_ACCOUNTS) {
    log.info(`Account ${address} (${balanceWei / 10n ** 18n} ether at the start), private key ${privateKey}`)
  }
}
