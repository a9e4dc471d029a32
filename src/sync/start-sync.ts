/** Assembles the room: the protocol, catching up, new blocks and transactions. */
import type { ChainView } from '#chain/read/chain-view.ts'
import type { ForkIds } from '#chain/read/fork-id.ts'
import type { CreateHeaderRules } from '#chain/rules/header-rules.ts'
import type { DamagedHistory } from '#chain/write/damaged-history.ts'
import type { ImportLine } from '#chain/writer/import-line.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { ForkId } from '#p2p/discv4/node-record.ts'
import type { PeerProtocol } from '#p2p/peers/protocol.ts'
import type { Clock } from '#platform/clock.ts'
import type { ClientsOf } from '#platform/contract.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { Intake } from '#pool/intake.ts'
import type { Address } from '#types/address.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import type { Hash } from '#types/hash.ts'
import { CatchUp, type CatchUpParts } from './catch-up/catch-up.ts'
import { FetchBranch, type FetchBranchParts } from './catch-up/fetch-branch.ts'
import { SealCheck } from './catch-up/seal-check.ts'
import { CarryTransactions } from './follow/carry-transactions.ts'
import { FollowBlocks } from './follow/follow-blocks.ts'
import { SYNC_PROBLEMS } from './log-problems.ts'
import { EthNetwork } from './peers/eth-network.ts'
import type { EthPeer } from './peers/eth-peer.ts'
import { HistoryRepair } from './repair/repair-history.ts'
import { addSyncMetrics } from './sync-metrics.ts'
import type { SharedProgress, SyncProgress } from './sync-progress.ts'
import type { SYNC_MAIN_CONTRACTS } from './threads/sync-protocol.ts'

/** Minimum time between two batches of peers' transactions for the pool. */
const INTAKE_INTERVAL_MS = 10
/** Interval of eth/69 range updates; Besu uses the same. */
const RANGE_MS = 120_000

export interface SyncParts extends Pick<FetchBranchParts, 'maxBranch'> {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly crypto: Crypto
  /** Runs the contract that names validators, if there is one. */
  readonly engine: Engine
  readonly createHeaderRules: CreateHeaderRules
  /** The thread's own reader. */
  readonly chain: ChainView
  readonly history: DamagedHistory
  readonly networkId: bigint
  readonly needsChainId: boolean
  readonly genesisHash: Hash
  readonly forkIds: ForkIds
  readonly main: ClientsOf<typeof SYNC_MAIN_CONTRACTS>
  readonly writer: ImportLine
  readonly sharedProgress: Pick<SharedProgress, 'write'>
  /** False if a consensus client brings the blocks: a peer cannot prove that a block is on the chosen branch. */
  readonly takesBlocks: boolean
  /** Aborted when the node stops. */
  readonly signal: AbortSignal
}

export interface RunningSync {
  readonly protocols: readonly PeerProtocol[]
  progress(): SyncProgress | undefined
  /** True once the node has been in sync with every peer known at start. */
  hasBeenInSync(): boolean
  /** `validators` are those of the next block, and `participants` the validators that consensus brings this one. */
  headMoved(validators?: readonly Address[], participants?: readonly Address[]): void
  peerAhead(id: string, height: number): void
  /** Fetches a block that the consensus client chose, and its missing ancestors. */
  seek(head: Hash): void
  forkId(): ForkId
  acceptsFork(forkId: ForkId): boolean
  /** Repairs damaged segments now instead of at the next look. */
  repairHistory(): Promise<void>
  stop(): void
}

export function startSync(parts: SyncParts): RunningSync {
  const { clock, log, chain, crypto, main, writer, signal } = parts
  const { consensus } = chain.genesis.config
  const hashBlock = blockHashOf(consensus, crypto.keccak)
  const peers = () => network.peers()
  const seals = new SealCheck(parts)
  const catchUp = createCatchUp(parts, { hashBlock, seals, peers })
  const blocks = new FollowBlocks({
    ...parts,
    hashBlock,
    keccak: crypto.keccak,
    seals,
    catchUp,
    peers,
    range: () => network.range(),
    tellsBlocks: votingProtocols(consensus).length > 0,
    importBlock: writer.importBlock,
  })
  const transactions = carryTransactions(parts, peers, () => !catchUp.isBehind)
  const lost = (request: string) => (err: unknown) => {
    if (!signal.aborted) log.warn(SYNC_PROBLEMS.mainUnreachable, { request, err })
  }
  const followSeals = () => void seals.follow().catch(lost('count validators'))
  const tell = (told: Promise<void>) => void told.catch(lost('report peer'))
  const network: EthNetwork = new EthNetwork({
    ...parts,
    hashBlock,
    pooled: main.pool.encoded,
    listener: {
      onReady: (peer) => {
        tell(main.node.peerJoined(peer.id))
        catchUp.wake()
        main.pool
          .waiting()
          .then((waiting) => transactions.announceAll(peer, waiting))
          .catch(lost('list pool'))
      },
      onTurnedAway: (peer, why) => tell(main.node.turnedAway(peer.id, why)),
      onLeft: (peer) => {
        tell(main.node.peerLeft(peer.id))
        catchUp.onLeft(peer)
      },
      onHeight: () => catchUp.wake(),
      onNewBlock: (peer, message) => blocks.onNewBlock(peer, message),
      onBlockHashes: (peer, announced) => blocks.onBlockHashes(peer, announced),
      onTransactions: (peer, bytes) => transactions.onTransactions(peer, bytes),
      onPooledHashes: (peer, announced) => transactions.onPooledHashes(peer, announced),
      onPooledRequested: (peer, hashes) => transactions.onRequested(peer, hashes),
    },
  })
  tellAdditions(parts, transactions).catch(lost('announce transactions'))
  const ranges = clock.every(RANGE_MS, () => blocks.tellRange(), { unref: true })
  const repair = new HistoryRepair({ ...parts, hashBlock, peers })
  followSeals()
  addSyncMetrics(parts.metrics, { progress: () => catchUp.progress(), network })
  return {
    protocols: network.protocols(),
    progress: () => catchUp.progress(),
    hasBeenInSync: () => catchUp.hasBeenInSync,
    headMoved: (validators = [], participants = []) => {
      followSeals()
      transactions.headMoved()
      blocks.onHead(validators, participants)
      catchUp.wake()
    },
    peerAhead: (id, height) => {
      const peer = peers().find((one) => one.id === id)
      if (peer === undefined || peer.height >= height) return
      peer.atLeast(height)
      catchUp.wake()
    },
    seek: createSeek(parts, { hashBlock, peers }, lost('pass on blocks')),
    forkId: () => network.forkId(),
    acceptsFork: (forkId) => network.acceptsFork(forkId),
    repairHistory: () => repair.look(),
    stop: () => {
      ranges.cancel()
      blocks.stop()
      catchUp.stop()
    },
  }
}

async function tellAdditions({ main, signal }: SyncParts, transactions: CarryTransactions): Promise<void> {
  for await (const { items } of main.pool.added(signal)) transactions.announce(items)
}

/** Without peers to ask, it is always in sync. */
function createCatchUp(
  parts: SyncParts,
  { peers, ...own }: Pick<CatchUpParts, 'hashBlock' | 'seals' | 'peers'>,
): CatchUp {
  const { importBlocks } = parts.writer
  return new CatchUp({ ...parts, ...own, importBlocks, peers: parts.takesBlocks ? peers : () => [] })
}

function createSeek(
  parts: SyncParts,
  own: Pick<FetchBranchParts, 'hashBlock' | 'peers'>,
  onError: (error: unknown) => void,
): (head: Hash) => void {
  const { crypto, main } = parts
  const branches = new FetchBranch({
    ...parts,
    ...own,
    keccak: crypto.keccak,
    offer: main.node.offerBranch,
    refuse: main.node.refuseBranch,
  })
  return (head) => void branches.seek(head).catch(onError)
}

function carryTransactions(
  { clock, log, crypto, chain, needsChainId, main }: SyncParts,
  peers: () => readonly EthPeer[],
  isInSync: () => boolean,
): CarryTransactions {
  const rules = { feeCapWei: 0n, needsChainId, convertsBlobs: false }
  const pace = { clock, intervalMs: INTAKE_INTERVAL_MS }
  const intake = new Intake({ chain, crypto, rules, admit: main.pool.admit, pace })
  const takesBlobs = crypto.blobs !== undefined
  return new CarryTransactions({ clock, log, keccak: crypto.keccak, intake, takesBlobs, peers, isInSync })
}
