/** Nodes on loopback that exchange blocks and transactions: real connections, chains in memory, no threads. */
import type { TestContext } from 'node:test'
import { silentLog } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { ForkIds } from '#chain/read/fork-id.ts'
import { type CreateHeaderRules, createPlainHeaderRules } from '#chain/rules/header-rules.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { damagedHistoryOf } from '#chain/write/damaged-history.ts'
import type { ImportLine } from '#chain/writer/import-line.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { testPeers } from '#p2p/peers/peers.fixture.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { askDirectly } from '#platform/contract.fixture.ts'
import type { OwnersOf } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import { createMetrics, type Metrics } from '#platform/metrics/metrics.ts'
import { createSignal } from '#platform/signal.ts'
import type { AdmissionVerdict, SubmittedTransaction } from '#pool/submitted-transaction.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { WaitingTransaction } from './follow/carry-transactions.ts'
import { type RunningSync, type SyncParts, startSync } from './start-sync.ts'
import { SharedProgress } from './sync-progress.ts'
import { SYNC_MAIN_CONTRACTS } from './threads/sync-protocol.ts'
import { describeTransaction } from './wire/announcements.ts'

const crypto = await loadCrypto()

export interface SyncNode {
  readonly chain: Chain
  readonly sync: RunningSync
  readonly network: Awaited<ReturnType<typeof testPeers>>['network']
  readonly enode: Awaited<ReturnType<typeof testPeers>>['enode']
  readonly metrics: Metrics
  readonly sharedProgress: SharedProgress
  /** Blocks passed to its writer one by one. */
  readonly imports: Uint8Array[]
  /** Transactions that peers brought to its pool. */
  readonly admitted: SubmittedTransaction[]
  /** The content of its pool. */
  readonly pool: PooledByTest[]
  /** Announces transactions as its pool would. */
  add(transactions: readonly PooledByTest[]): void
}

interface PooledByTest extends WaitingTransaction {
  /** The exchange encoding, if it differs. */
  readonly exchange?: Uint8Array
}

export interface SyncNodeOptions extends Pick<SyncParts, 'maxBranch'> {
  readonly networkId?: bigint
  readonly takesBlocks?: boolean
  readonly log?: Log
  readonly change?: (protocol: PeerProtocol) => PeerProtocol
  /** The factor by which its deadlines are shorter. */
  readonly pace?: number
  /** The clock of its connections. */
  readonly linkClock?: Clock
  /** The seal rules; by default every seal is valid. */
  readonly createHeaderRules?: CreateHeaderRules
  readonly wallMs?: () => number
  /** Takes the blocks of a sought branch; by default it wants none. */
  readonly offerBranch?: (head: Hash, blocks: readonly Uint8Array[]) => Promise<boolean>
  readonly refuseBranch?: (head: Hash, sentence: string) => void
  /** The verdict of its pool; by default it accepts everything. */
  readonly judge?: (submission: SubmittedTransaction) => AdmissionVerdict
}

export async function startSyncNode(
  t: TestContext,
  chain: Chain,
  genesis: Genesis,
  {
    networkId = 1337n,
    takesBlocks = true,
    log = silentLog,
    change = (protocol) => protocol,
    pace = 1,
    linkClock = systemClock,
    createHeaderRules = createPlainHeaderRules,
    // The test blocks are from 1970.
    wallMs = () => 60_000,
    judge = () => ({ ok: true }),
    offerBranch = async () => false,
    refuseBranch = ignore,
    ...limits
  }: SyncNodeOptions = {},
): Promise<SyncNode> {
  const chainView = createChainView({ store: chain.store, genesis, keccak: crypto.keccak })
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const added = createSignal<readonly WaitingTransaction[]>((error) => {
    throw error
  })
  const imports: Uint8Array[] = []
  const admitted: SubmittedTransaction[] = []
  const pool: PooledByTest[] = []
  const owners: OwnersOf<typeof SYNC_MAIN_CONTRACTS> = {
    pool: {
      admit: (submissions) => {
        admitted.push(...submissions)
        return submissions.map(judge)
      },
      encoded: (hashes) => hashes.map((hash) => exchangeOf(pool.find((one) => one.hash === hash))),
      waiting: () => pool.map(describeTransaction),
      added,
    },
    node: { peerJoined: ignore, peerLeft: ignore, turnedAway: ignore, offerBranch, refuseBranch },
  }
  const writer: ImportLine = {
    importBlocks: async ({ blocks, headers }) => {
      for (const [index, block] of blocks.entries()) {
        const known = headers[index]!
        const verdict = await chain.importBlock(chain.receive(block, known))
        if (!verdict.ok) return { ...verdict, imported: index, number: known.header.number, hash: known.hash }
      }
      sync.headMoved()
      return { ok: true, imported: blocks.length }
    },
    importBlock: async ({ block, known }) => {
      imports.push(block)
      const verdict = await chain.importBlock(chain.receive(block, known))
      if (verdict.ok) sync.headMoved()
      return verdict
    },
  }
  const metrics = createMetrics({ prefix: 'cairn_', onSourceError: () => {} })
  const sharedProgress = new SharedProgress()
  const stopped = new AbortController()
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, run, options) => systemClock.after(delayMs / pace, run, options),
    wallMs,
  }
  const sync = startSync({
    clock,
    log,
    metrics,
    crypto,
    engine: await createJsEngine(),
    createHeaderRules,
    ...{ chain: chainView, history: damagedHistoryOf(chain.store, genesis, crypto.keccak) },
    networkId,
    ...{ takesBlocks, needsChainId: false, ...limits },
    genesisHash,
    forkIds: new ForkIds(genesisHash, genesis.header.timestamp, genesis.config.forks),
    main: askDirectly(SYNC_MAIN_CONTRACTS, owners),
    writer,
    sharedProgress,
    signal: stopped.signal,
  })
  const { network, enode } = await testPeers(sync.protocols.map(change), {}, { clock: linkClock })
  t.after(async () => {
    stopped.abort()
    sync.stop()
    await network.stop()
  })
  return {
    chain,
    sync,
    network,
    enode,
    metrics,
    sharedProgress,
    imports,
    admitted,
    pool,
    add: (transactions) => {
      pool.push(...transactions)
      added.emit(transactions)
    },
  }
}

const ignore = (): void => undefined

function exchangeOf(one: PooledByTest | undefined): Uint8Array | undefined {
  return one?.exchange ?? one?.encoded
}

/** Intercepts messages of a node to its peers; `pass` sends as the node would have. */
export function intercepting(
  send: (...args: [...Parameters<PeerLink['send']>, pass: PeerLink['send']]) => boolean,
): SyncNodeOptions {
  return {
    change: (protocol: PeerProtocol) => ({
      ...protocol,
      connect: (link: PeerLink) => {
        const pass: PeerLink['send'] = (...args) => link.send(...args)
        return protocol.connect({ ...link, send: (...args) => send(...args, pass) })
      },
    }),
  }
}

/** Changes the messages of a node to its peers. */
export function sending(change: (code: number, data: Uint8Array) => Uint8Array | undefined): SyncNodeOptions {
  return intercepting((code, data, lane, pass) => {
    const sent = change(code, data)
    return sent === undefined ? true : pass(code, sent, lane)
  })
}

/** The peers that a node loses from now on, with the reasons. */
export function leftBy({ network }: SyncNode): { readonly id: string; readonly why: string }[] {
  const left: { readonly id: string; readonly why: string }[] = []
  network.left.subscribe(({ peer, end }) =>
    left.push({ id: peer.enode.id, why: `${end.reason}: ${end.sentence}` }),
  )
  return left
}
