/** Starts the pool on the chain of a node, with its options. */
import { resolve } from 'node:path'
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import { type ChainReader, openChainReader } from '#chain/read/open-chain-reader.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import { dataOptions } from '#config/data-directory.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { defineRoom } from '#platform/room.ts'
import { createLivePool, type LivePool, type Settled } from './contract.ts'
import { type Admit, Intake } from './intake.ts'
import { openPoolKeeper, type PoolKeeper } from './kept/pool-keeper.ts'
import type { MayTransact } from './may-transact.ts'
import { poolOptions } from './options.ts'
import { createPoolChain } from './pool-chain.ts'
import { addPoolMetrics } from './pool-metrics.ts'
import { readPoolSettings, readSubmissionRules } from './read-settings.ts'
import type { TransactionOrigin } from './submitted-transaction.ts'
import { type PoolParts, TransactionPool } from './transaction-pool.ts'

/** How often transactions that waited too long are looked for. */
const EXPIRY_PERIOD_MS = 60_000

/** The largest file that is restored: it grows to twice the pool in base64 before it is rewritten. */
const MAX_FILE_BASE_BYTES = 16 * 1024 * 1024
const MAX_FILE_PER_POOL = 4

interface PoolNeeds extends Pick<PoolParts, 'judgeAdmission' | 'judgeCandidates' | 'forgetsRemoved'> {
  readonly settings: Settings
  readonly chain: RunningChain
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly building: LiveBuilding
  /** If undefined, every account may transact. */
  readonly mayTransact?: MayTransact
  readonly settled: Settled | undefined
}

export interface RunningPool {
  readonly pool: TransactionPool
  /** Implements the contract for methods. */
  readonly live: LivePool
}

/** Starts after the chain and before the rooms that use the pool, so the pool processes a new head first. */
export const POOL_ROOM = defineRoom({
  name: 'pool',
  startDeadlineMs: 60_000,
  stopDeadlineMs: 10_000,
  start: async (needs: PoolNeeds, { signal, onStop }): Promise<RunningPool> => {
    const { settings, chain, clock, metrics, building, settled } = needs
    const reader = await openChainReader(chain.reader, chain.head)
    onStop(() => reader.close())
    const pool = new TransactionPool({
      ...needs,
      building: () => building.settings(),
      chain: createPoolChain(reader.view),
      settings: readPoolSettings(settings, reader.view.genesis),
    })
    addPoolMetrics(metrics, pool)
    const expiry = clock.every(EXPIRY_PERIOD_MS, () => pool.expire(), { unref: true })
    onStop(() => expiry.cancel())
    chain.writer.askForSenders((hash) => pool.get(hash)?.sender)
    onStop(
      chain.headMoved.subscribe((change) => {
        reader.announce(chain.head)
        pool.headMoved(change)
      }),
    )
    if (!settings.get(poolOptions.enableSaveRestore)) return { pool, live: createLivePool(pool, { settled }) }
    const keeper = await openKeeper(needs, reader, pool)
    onStop(() => keeper?.close())
    await keeper?.restore(signal)
    return { pool, live: createLivePool(pool, { settled, kept: async () => await keeper?.written() }) }
  },
})

async function openKeeper(
  { settings, clock, log }: PoolNeeds,
  reader: ChainReader,
  pool: TransactionPool,
): Promise<PoolKeeper | undefined> {
  const crypto = await loadCrypto()
  const rules = readSubmissionRules(settings)
  const intakeOf = (origin: TransactionOrigin): Intake => {
    const admit: Admit = async (transactions) => pool.admit(transactions, origin)
    return new Intake({ chain: reader.view, crypto, rules, admit })
  }
  return await openPoolKeeper({
    path: resolve(settings.get(dataOptions.dataPath), settings.get(poolOptions.saveFile)),
    maxFileBytes: MAX_FILE_BASE_BYTES + MAX_FILE_PER_POOL * settings.get(poolOptions.maxBytes),
    pool,
    intakes: { local: intakeOf('local'), remote: intakeOf('remote') },
    keccak: crypto.keccak,
    clock,
    log,
  })
}
