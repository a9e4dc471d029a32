/** Consensus as a service of the node: with the key of the node, on the chain of the node. */
import { join } from 'node:path'
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import type { CandidateSource } from '#chain/build/candidates.ts'
import { buildingOptions } from '#chain/options.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { Settings } from '#config/settings.ts'
import type { Report } from '#consensus/bft/events.ts'
import { consensusOptions } from '#consensus/options.ts'
import { BftPeers } from '#consensus/peers/bft-peers.ts'
import { Joining } from '#consensus/peers/joining.ts'
import type { Stall } from '#consensus/stall-watch.ts'
import { type RunningConsensus, startConsensus } from '#consensus/start-consensus.ts'
import type { BftStatus } from '#consensus/status.ts'
import { LocalVotes } from '#consensus/validators/local-votes.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { HeldKey } from '#node/key/held-key.ts'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import type { Clock } from '#platform/clock.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import type { LiveChain } from './live-chain.ts'
import { nodeOptions } from './options.ts'
import type { NodeSync } from './sync-service.ts'

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 10_000
export const VOTES_FILE = 'votes'

interface ConsensusParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly building: LiveBuilding
  /** What blocks are filled with; asked when consensus starts. */
  readonly candidates: () => CandidateSource
  readonly sync: Pick<NodeSync, 'hasCaughtUp' | 'importProblem' | 'isCatchingUp' | 'met' | 'peerAhead'>
  readonly nodeKey: () => Promise<HeldKey>
  readonly onReport: (report: Report) => void
}

export class NodeConsensus {
  /** What this node wants changed about validators. */
  readonly votes = new LocalVotes()
  /** What peers speak about blocks that are being made. */
  readonly peers: BftPeers
  readonly #settings: Settings
  readonly #genesis: Genesis
  readonly #chain: LiveChain
  readonly #parts: ConsensusParts
  #running: RunningConsensus | undefined
  readonly #joining = new Joining()

  constructor(settings: Settings, genesis: Genesis, chain: LiveChain, parts: ConsensusParts) {
    this.#settings = settings
    this.#genesis = genesis
    this.#chain = chain
    this.#parts = parts
    this.peers = new BftPeers(votingProtocols(genesis.config.consensus), parts.sync.met)
  }

  /** undefined: this node takes no part in making blocks. */
  status(): BftStatus | undefined {
    return this.#running?.status()
  }

  /** Who is named in the blocks of this node: a validator itself. undefined: it makes none. */
  coinbase(): Address | undefined {
    const status = this.#running?.status()
    return status?.isValidator ? status.self : undefined
  }

  /** undefined: blocks come, or this node makes none. */
  stall(): Stall | undefined {
    return this.#running?.stall()
  }

  /**
   * Why this validator signs nothing yet; undefined: it does, or is none. Whoever upgrades a network stops the next node when this
   * one is ready.
   */
  async abstention(hasPeers: boolean): Promise<string | undefined> {
    const running = this.#running
    const status = running?.status()
    if (!status?.isValidator) return undefined
    const waits = hasPeers ? await this.#joining.reason(status, () => this.#isInStep()) : undefined
    return waits ?? running?.abstention()
  }

  async #isInStep(): Promise<boolean> {
    const { sync } = this.#parts
    if (!(await sync.hasCaughtUp()) || sync.isCatchingUp) return false
    return (this.status()?.height ?? 0) > this.#chain.head.number
  }

  /** Why the head cannot be set back; undefined: this node has no votes that stand against it. */
  refusalToGoBack(): string | undefined {
    if (!this.#running?.status()?.isValidator) return undefined
    return 'This node is a validator and has voted for the blocks of its chain: set back, it would have to sign against its votes, and make no block again. Start it with another key (--node-private-key-file) to look at an earlier head.'
  }

  /** None where blocks are not made by validators. */
  services(): readonly Service[] {
    if (votingProtocols(this.#genesis.config.consensus).length === 0) {
      this.#parts.log.info('This node makes no blocks: its network has no QBFT or IBFT 2.0.')
      return []
    }
    return [
      {
        name: 'consensus',
        startDeadlineMs: START_DEADLINE_MS,
        stopDeadlineMs: STOP_DEADLINE_MS,
        start: () => this.#start(),
        stop: () => this.#running?.stop(),
      },
    ]
  }

  async #start(): Promise<void> {
    const settings = this.#settings
    const genesis = this.#genesis
    const chain = this.#chain
    const crypto = await loadCrypto()
    const { candidates, sync: _, nodeKey, ...parts } = this.#parts
    const { port, privateKey } = await nodeKey()
    const key = privateKey === undefined ? port : createLocalNodeKey(privateKey, crypto.sign)
    this.#running = await startConsensus({
      ...parts,
      crypto,
      config: genesis.config,
      genesis: genesisHashOf(genesis, crypto.keccak),
      writer: chain.writer,
      headMoved: chain.writer.headMoved,
      address: addressFromPublicKey(await key.publicKey()),
      signDigest: (digest) => key.sign(digest),
      network: this.peers,
      isCatchingUp: () => this.#parts.sync.isCatchingUp,
      importProblem: () => this.#parts.sync.importProblem,
      votesPath: join(settings.get(nodeOptions.dataPath), VOTES_FILE),
      generation: settings.get(consensusOptions.legacyEncoding) ? 'legacy' : 'current',
      proposerOrder: settings.get(consensusOptions.proposerOrder),
      maxRoundTimeoutMs: settings.get(consensusOptions.maxRoundTimeoutSeconds) * 1_000,
      signsWithoutVotes: settings.get(consensusOptions.signWithoutVotes),
      building: () => this.#parts.building.settings(),
      fixedBaseFeeWei: settings.get(buildingOptions.minGasPrice),
      selectionMaxTime: settings.get(buildingOptions.poaSelectionMaxTime),
      votes: this.votes,
      candidates: candidates(),
      onPeerAhead: (from, height) => {
        const id = this.peers.idOf(from)
        if (id !== undefined) this.#parts.sync.peerAhead(id, height)
      },
    })
    this.peers.attach(this.#running.driver)
  }
}
