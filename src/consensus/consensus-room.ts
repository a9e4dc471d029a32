/** Starts consensus on the chain of a node, with its key and options. */
import { join } from 'node:path'
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import { buildingOptions } from '#chain/options.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { dataOptions } from '#config/data-directory.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { HeldKey } from '#p2p/key/held-key.ts'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { defineRoom } from '#platform/room.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import type { Report } from './bft/events.ts'
import { createLiveConsensus, type LiveConsensus } from './contract.ts'
import { consensusOptions } from './options.ts'
import type { BftPeers } from './peers/bft-peers.ts'
import { Joining } from './peers/joining.ts'
import type { Stall } from './stall-watch.ts'
import { startConsensus } from './start-consensus.ts'
import { LocalVotes } from './validators/local-votes.ts'

/** The name is part of the data directory format. */
export const SIGNATURE_LOG_FILE = 'votes'

/** What consensus needs to know about the exchange of blocks with peers. */
interface Exchange {
  readonly imports: { readonly isCatchingUp: boolean; readonly problem: string | undefined }
  hasBeenInSync(): Promise<boolean>
  peerAhead(id: string, height: number): void
}

interface ConsensusNeeds {
  readonly settings: Settings
  readonly genesis: Genesis
  readonly chain: RunningChain
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly building: LiveBuilding
  /** Provides the transactions for new blocks. */
  readonly candidates: CandidateSource
  readonly sync: Exchange
  /** The consensus protocols spoken with peers. */
  readonly peers: BftPeers
  readonly nodeKey: () => Promise<HeldKey>
  readonly onReport: (report: Report) => void
  /** Called at each height with the validators that this one must reach. */
  readonly expectPeers: (validators: readonly Address[]) => void
}

/** Block production on this node. */
export interface BlockProducer {
  /** Implements the contract for methods. */
  readonly live: LiveConsensus
  /** Undefined while blocks arrive, or if this node produces none. */
  stall(): Stall | undefined
  /**
   * Why this validator signs nothing yet. Undefined if it signs, or is not a validator. An operator who upgrades a network stops
   * the next node when this one is ready.
   */
  abstention(hasPeers: boolean): Promise<string | undefined>
  /** Why the head cannot be rewound. Undefined if this node has no votes that forbid it. */
  refusalToGoBack(): string | undefined
  /** Validators that sent messages of this height or a later one, so consensus brings them its block. */
  participants(height: number): readonly Address[]
}

/** For a node that is not a validator. `coinbase` is undefined if it makes no blocks. */
export function withoutValidators(coinbase?: Address): BlockProducer {
  const live = createLiveConsensus(new LocalVotes(), {
    status: () => undefined,
    coinbase: () => coinbase,
  })
  const nothing = () => undefined
  return {
    live,
    stall: nothing,
    abstention: async () => undefined,
    refusalToGoBack: nothing,
    participants: () => [],
  }
}

export const CONSENSUS_ROOM = defineRoom({
  name: 'consensus',
  startDeadlineMs: 60_000,
  stopDeadlineMs: 10_000,
  start: async (needs: ConsensusNeeds, { onStop }): Promise<BlockProducer> => {
    const { settings, genesis, chain, sync, peers, building, nodeKey, ...parts } = needs
    if (votingProtocols(genesis.config.consensus).length === 0) {
      parts.log.info('Not producing blocks: the genesis file configures neither QBFT nor IBFT 2.0')
      return withoutValidators()
    }
    const votes = new LocalVotes()
    const crypto = await loadCrypto()
    const { holder, privateKey } = await nodeKey()
    const key = privateKey === undefined ? holder : createLocalNodeKey(privateKey, crypto.sign)
    const running = await startConsensus({
      ...parts,
      crypto,
      config: genesis.config,
      genesis: genesisHashOf(genesis, crypto.keccak),
      writer: chain.writer,
      headMoved: chain.headMoved,
      address: addressFromPublicKey(await key.publicKey()),
      signDigest: (digest) => key.sign(digest),
      network: peers,
      isCatchingUp: () => sync.imports.isCatchingUp,
      importProblem: () => sync.imports.problem,
      signatureLogPath: join(settings.get(dataOptions.dataPath), SIGNATURE_LOG_FILE),
      generation: settings.get(consensusOptions.legacyEncoding) ? 'legacy' : 'current',
      proposerOrder: settings.get(consensusOptions.proposerOrder),
      maxRoundTimeoutMs: settings.get(consensusOptions.maxRoundTimeoutSeconds) * 1_000,
      signsWithoutLog: settings.get(consensusOptions.signWithoutVotes),
      building: () => building.settings(),
      fixedBaseFeeWei: settings.get(buildingOptions.minGasPrice),
      selectionMaxTime: settings.get(buildingOptions.poaSelectionMaxTime),
      votes,
      onPeerAhead: (from, height) => {
        const id = peers.idOf(from)
        if (id !== undefined) sync.peerAhead(id, height)
      },
    })
    onStop(() => running.stop())
    peers.attach(running.driver)
    const validator = () => {
      const status = running.status()
      return status?.isValidator ? status : undefined
    }
    const joining = new Joining()
    const isInSync = async (): Promise<boolean> =>
      (await sync.hasBeenInSync()) &&
      !sync.imports.isCatchingUp &&
      (running.status()?.height ?? 0) > chain.head.number
    return {
      live: createLiveConsensus(votes, {
        status: () => running.status(),
        coinbase: () => validator()?.self,
      }),
      stall: () => running.stall(),
      abstention: async (hasPeers) => {
        const status = validator()
        if (status === undefined) return undefined
        const waits = hasPeers ? await joining.reason(status, isInSync) : undefined
        return waits ?? running.abstention()
      },
      refusalToGoBack: () => (validator() === undefined ? undefined : BOUND_BY_VOTES),
      participants: (height) => running.driver.participants(height),
    }
  },
})

const BOUND_BY_VOTES =
  'Cannot rewind a validator: it would have to equivocate, and would never sign again. To inspect an earlier head, start the node with another key (--node-private-key-file).'
