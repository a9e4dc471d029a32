/** The development network: logs its accounts and produces its blocks. */
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import { buildingOptions } from '#chain/options.ts'
import { openChainReader } from '#chain/read/open-chain-reader.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import type { Settings } from '#config/settings.ts'
import { isBftNetwork } from '#consensus/bft/protocol-at.ts'
import { type BlockProducer, withoutValidators } from '#consensus/consensus-room.ts'
import { consensusOptions } from '#consensus/options.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { defineRoom } from '#platform/room.ts'
import type { Signal } from '#platform/signal.ts'
import { ZERO_ADDRESS } from '#types/address.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { HASH_BYTES, type Hash, hashFromBytes } from '#types/hash.ts'
import { type DevAccount, devAccounts } from './dev-accounts.ts'
import { type RunningDevProposer, startDevProposer } from './dev-proposer.ts'
import { Impersonation } from './impersonation.ts'
import { TransactionLog } from './log-transactions.ts'
import { SendingTurns } from './sending-turns.ts'

interface DevNeeds {
  readonly settings: Settings
  readonly chain: RunningChain
  readonly clock: Clock
  readonly log: Log
  readonly building: LiveBuilding
  /** Of another network if the chain is a copy. */
  readonly genesis: Genesis
  readonly candidates: CandidateSource & {
    readonly added: Pick<Signal<unknown>, 'subscribe'>
    status(): { readonly pending: number }
  }
}

export interface DevNetwork extends BlockProducer, Omit<RunningDevProposer, 'stop'> {
  readonly impersonation: Impersonation
  readonly turns: SendingTurns
  /** Random, so tools notice a new start. */
  readonly instanceId: Hash
  setMinGasPrice(wei: bigint): void
  setLogging(isOn: boolean): void
}

export const DEV_NETWORK = defineRoom({
  name: 'development network',
  startDeadlineMs: 60_000,
  stopDeadlineMs: 10_000,
  start: async (needs: DevNeeds, { onStop }): Promise<DevNetwork> => {
    const { settings, chain, building, candidates, genesis } = needs
    const { keccak } = await loadCrypto()
    const isCopy = isBftNetwork(genesis.config.consensus)
    const [first] = devAccounts(settings.get(consensusOptions.devMnemonic))
    const coinbase = settings.get(consensusOptions.minerCoinbase) ?? (isCopy ? first!.address : ZERO_ADDRESS)
    const running = await startDevProposer({
      ...needs,
      added: candidates.added,
      hasWaiting: () => candidates.status().pending > 0,
      keccak,
      writer: chain.writer,
      headMoved: chain.headMoved,
      building: () => building.settings(),
      ...(isCopy && {
        bft: { config: genesis.config, fixedBaseFeeWei: settings.get(buildingOptions.minGasPrice) },
      }),
      coinbase,
      periodSeconds: settings.get(consensusOptions.devBlockPeriodSeconds),
      budgetMs: settings.get(buildingOptions.selectionMaxTimeMs),
    })
    onStop(() => running.stop())
    let isLogging = true
    const reader = await openChainReader(chain.reader, chain.head)
    onStop(() => reader.close())
    const transactions = new TransactionLog(
      reader.view,
      needs.log,
      settings.get(consensusOptions.devArtifacts),
    )
    onStop(
      chain.headMoved.subscribe((change) => {
        reader.announce(change)
        if (isLogging) transactions.announce(change)
      }),
    )
    const { stop: _, ...offers } = running
    const impersonation = new Impersonation()
    const startPrice = building.settings().minGasPriceWei
    return {
      ...withoutValidators(coinbase),
      ...offers,
      impersonation,
      turns: new SendingTurns(needs.clock),
      instanceId: hashFromBytes(systemRandom.randomBytes(HASH_BYTES)),
      setMinGasPrice: (minGasPriceWei) => building.change({ minGasPriceWei }),
      setLogging: (isOn) => {
        isLogging = isOn
      },
      reset: async () => {
        impersonation.clear()
        building.change({ minGasPriceWei: startPrice })
        isLogging = true
        await running.reset()
      },
    }
  },
})

interface DevEndpoints {
  readonly http: Endpoint | null
  readonly websocket: Endpoint | null
  readonly console: Endpoint | null
}

interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Called last, so the user sees these lines. The keys are public, and users need one to send a transaction. */
export function logDevAccounts(
  accounts: readonly DevAccount[],
  { config: { chainId, consensus } }: Genesis,
  endpoints: DevEndpoints | undefined,
  log: Log,
): void {
  for (const { address, privateKey, balanceWei } of accounts) {
    // The genesis block of a copied chain funds others.
    const funds = isBftNetwork(consensus) ? {} : { ether: Number(balanceWei / 10n ** 18n) }
    log.info('Development account', { address, ...funds, privateKey })
  }
  log.info('Development network is ready; the keys of its accounts are public, never use them elsewhere', {
    ...(endpoints?.http && { url: `http://${endpoints.http.host}:${endpoints.http.port}` }),
    ...(endpoints?.websocket && {
      websocket: `ws://${endpoints.websocket.host}:${endpoints.websocket.port}`,
    }),
    ...(endpoints?.console && {
      console: `http://${endpoints.console.host}:${endpoints.console.port}/`,
    }),
    chainId: Number(chainId),
  })
}
