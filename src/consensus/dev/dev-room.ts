/** The development network: logs its accounts and produces its blocks. */
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import { buildingOptions } from '#chain/options.ts'
import { openChainReader } from '#chain/read/open-chain-reader.ts'
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
import type { DevAccount } from './dev-accounts.ts'
import { DEV_CHAIN_ID } from './dev-genesis.ts'
import { type RunningDevProposer, startDevProposer } from './dev-proposer.ts'
import { logTransactions } from './log-transactions.ts'
import { snapshotBlock, snapshotId } from './snapshot-id.ts'

interface DevNeeds {
  readonly settings: Settings
  readonly chain: RunningChain
  readonly clock: Clock
  readonly log: Log
  readonly building: LiveBuilding
  readonly candidates: CandidateSource & { readonly added: Pick<Signal<unknown>, 'subscribe'> }
}

export interface DevNetwork
  extends BlockProducer,
    Omit<RunningDevProposer, 'stop' | 'settledHead' | 'rewind'>,
    Snapshots {}

interface Snapshots {
  snapshot(): Promise<string>
  /** Returns false if the block of the snapshot is not on the chain. */
  revert(id: bigint): Promise<boolean>
}

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
    const reader = await openChainReader(chain.reader, chain.head)
    onStop(() => reader.close())
    onStop(
      chain.headMoved.subscribe((change) => {
        reader.announce(change)
        logTransactions(reader.view, change, needs.log)
      }),
    )
    const { stop: _, settledHead, rewind, ...offers } = running
    const hashAt = (number: number) => reader.view.lookup.header(number)?.hash
    const snapshots: Snapshots = {
      snapshot: async () => snapshotId(await settledHead()),
      revert: async (id) => {
        await settledHead()
        const block = snapshotBlock(id, hashAt)
        if (block !== undefined) await rewind(block)
        return block !== undefined
      },
    }
    return { ...withoutValidators(coinbase), ...offers, ...snapshots }
  },
})

interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Logged last, so it is what a user sees. These keys are public, and users need one to send a transaction. */
export function tellDevAccounts(
  accounts: readonly DevAccount[],
  endpoints: { readonly http: Endpoint | null; readonly websocket: Endpoint | null } | undefined,
  log: Log,
): void {
  for (const { address, privateKey, balanceWei } of accounts) {
    log.info('Development account', { address, ether: Number(balanceWei / 10n ** 18n), privateKey })
  }
  log.info('Development network is ready; the keys of its accounts are public, never use them elsewhere', {
    ...(endpoints?.http && { url: `http://${endpoints.http.host}:${endpoints.http.port}` }),
    ...(endpoints?.websocket && {
      websocket: `ws://${endpoints.websocket.host}:${endpoints.websocket.port}`,
    }),
    chainId: DEV_CHAIN_ID,
  })
}
