/**
 * The room `consensus` owns who may make blocks and how validators agree on one: messages and their encodings, header
 * rules, validator sets and their votes, the machine of QBFT and IBFT 2.0, and the file of what this node signed. It owns
 * neither blocks nor state (`chain` builds, validates and imports) nor sockets. `node` builds it, `chain` calls its header
 * rules through a port, `rpc` asks it.
 *
 * Here it is put together for a node: the machine is kept at the height after the head, and asked how it stands. Started
 * when the chain is open, stopped before it is closed.
 */
import type { CandidateSource } from '#chain/build/candidates.ts'
import type { HeadNews, NextMakers } from '#chain/write/head-news.ts'
import type { ChainWriter } from '#chain/writer/writer-thread.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Signal } from '#platform/signal.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { Hash } from '#types/hash.ts'
import type { Report } from './bft/events.ts'
import type { MessageCodec, SignDigest, WireGeneration } from './bft/messages.ts'
import { bftProtocolAt } from './bft/protocol-at.ts'
import type { BftRules } from './bft/rules.ts'
import { BlockTimes } from './block-times.ts'
import { type BlockWorkOptions, createBlockWork } from './block-work.ts'
import { createConsensusMetrics } from './consensus-metrics.ts'
import { BftDriver } from './driver.ts'
import type { BftNetwork, DriverParts } from './driver-ports.ts'
import { followHeads } from './follow-heads.ts'
import { heightContextOf } from './height-context.ts'
import { createIbft2Rules } from './ibft2/rules.ts'
import { createIbft2Codec } from './ibft2/wire/ibft2-codec.ts'
import { createQbftRules } from './qbft/rules.ts'
import { createQbftCodec } from './qbft/wire/qbft-codec.ts'
import { type Stall, StallWatch } from './stall-watch.ts'
import { type BftStatus, bftStatus } from './status.ts'
import { addStatusMetrics } from './status-metrics.ts'
import type { LocalVotes } from './validators/local-votes.ts'
import { openVotesFile } from './votes-file.ts'
import { watchClock } from './watch-clock.ts'

export interface ConsensusOptions {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly crypto: Crypto
  readonly config: GenesisConfig
  readonly genesis: Hash
  readonly writer: Pick<ChainWriter, 'build' | 'validate' | 'keccak' | 'importBlock' | 'makersOfNext'>
  readonly headMoved: Signal<HeadNews>
  readonly address: Address
  readonly signDigest: SignDigest
  readonly network: BftNetwork
  /** Of the file of votes. */
  readonly votesPath: string
  readonly generation: WireGeneration
  readonly maxRoundTimeoutMs: number
  readonly proposerOrder?: ProposerOrder
  readonly signsWithoutVotes: boolean
  readonly building: BlockWorkOptions['building']
  readonly fixedBaseFeeWei: bigint
  readonly votes: LocalVotes
  /** --poa-block-txs-selection-max-time, in percent of the block period. */
  readonly selectionMaxTime: number
  readonly candidates: CandidateSource
  readonly onPeerAhead: (from: Address, height: number) => void
  /** Whether blocks of others are imported, many at a time: meanwhile this node votes for nothing. */
  readonly isCatchingUp: () => boolean
  /** Why blocks of peers cannot be written; undefined: they can, as far as is known. */
  readonly importProblem: () => string | undefined
  /** Told of rounds, as the log is. */
  readonly onReport?: (report: Report) => void
}

export interface RunningConsensus {
  readonly driver: BftDriver
  /** undefined: blocks are not made here yet. */
  status(): BftStatus | undefined
  /** undefined: blocks come, or this node is no validator. */
  stall(): Stall | undefined
  /** Why this validator signs nothing yet; undefined: it does, or is none. */
  abstention(): string | undefined
  stop(): Promise<void>
}

/** Messages of future heights, however many they are. */
const MAX_FUTURE_BYTES = 32 * 1024 * 1024

export async function startConsensus(options: ConsensusOptions): Promise<RunningConsensus> {
  const { log, config, address, crypto } = options
  const codecs = {
    qbft: createQbftCodec(crypto, options.generation),
    ibft2: createIbft2Codec(crypto, options.generation),
  }
  const ruleOptions = {
    maxRoundTimeoutMs: options.maxRoundTimeoutMs,
    ...(options.proposerOrder !== undefined && { proposerOrder: options.proposerOrder }),
    keccak: crypto.keccak,
    recover: crypto.recover,
  }
  const rules = { qbft: createQbftRules(ruleOptions), ibft2: createIbft2Rules(ruleOptions) }
  const codecAt = (height: number): MessageCodec => codecs[protocolAt(config, height)]
  const rulesAt = (height: number): BftRules => rules[protocolAt(config, height)]
  const count = createConsensusMetrics(options.metrics, options.clock, address)
  let next: NextMakers | undefined
  const nextVote = () =>
    next?.votes === undefined
      ? null
      : options.votes.next(address, { validators: next.validators, votes: next.votes })
  const votes = await openVotesFile({
    path: options.votesPath,
    codecAt,
    keccak: crypto.keccak,
    address,
    genesis: options.genesis,
  })
  const parts: DriverParts = {
    ...options,
    keccak: crypto.keccak,
    blocks: createBlockWork({ ...options, nextVote }),
    votes,
    codecAt,
    rulesAt,
    limits: limitsOf(config),
    onReport: (report) => {
      logReport(log, report)
      count(report)
      options.onReport?.(report)
    },
  }
  const driver = new BftDriver(parts)
  const times = new BlockTimes(address)
  const status = () =>
    bftStatus(driver, parts, { clockAheadMs: times.clockAheadMs, importProblem: options.importProblem() })
  addStatusMetrics(options.metrics, options.clock, {
    status,
    isAbstaining: () => isAbstaining(driver),
    clockAheadMs: () => times.clockAheadMs,
  })
  const stalls = new StallWatch({
    ...options,
    snapshot: () => driver.snapshot(),
    cause: () => status()?.cause,
  })
  const heads = followHeads({
    ...options,
    suspend: () => driver.suspend(),
    enter: (found) => {
      const context = heightContextOf(config, found)
      if (context === undefined) return
      next = found
      times.note(context, options.clock.wallMs())
      driver.headMoved(context)
      stalls.note(context.height, context.validators.includes(address))
    },
  })
  const watch = watchClock(options.clock, log)
  return {
    driver,
    status,
    stall: () => stalls.stall(),
    abstention: () => (isAbstaining(driver) ? status()?.cause : undefined),
    stop: async () => {
      heads.stop()
      watch.cancel()
      stalls.stop()
      await driver.stop()
    },
  }
}

/** Its record of votes ends before the chain, or the chain before its votes, or whoever holds its key does not sign. */
function isAbstaining(driver: BftDriver): boolean {
  const snapshot = driver.snapshot()
  if (snapshot === undefined || !snapshot.isValidator) return false
  const { signsFrom, signed, context } = snapshot
  if (driver.observations.failure?.what === 'sign') return true
  return signsFrom > context.height || (signed !== undefined && signed.height > context.height)
}

function protocolAt({ consensus }: GenesisConfig, height: number): BftProtocol {
  const { protocol } = bftProtocolAt(consensus, BigInt(height))
  assert(protocol !== 'ibft', 'Nobody sends messages of legacy IBFT.')
  return protocol
}

/** As the genesis file says for the protocol that the network has, or goes to. */
function limitsOf({ consensus }: GenesisConfig): DriverParts['limits'] {
  const { config, protocol } = bftProtocolAt(consensus, BigInt(Number.MAX_SAFE_INTEGER))
  assert(protocol !== 'ibft', 'A network that stays with legacy IBFT is not run.')
  return {
    maxDistance: config.futureMessagesMaxDistance,
    maxMessages: config.futureMessagesLimit,
    maxBytes: MAX_FUTURE_BYTES,
    duplicateMessages: config.duplicateMessageLimit,
    gossipedMessages: config.gossipedHistoryLimit,
  }
}

type ReportLevel = 'error' | 'warn' | 'info' | 'debug'

const REPORT_LINES: Readonly<Record<Report['kind'], readonly [ReportLevel, string]>> = {
  roundStarted: ['debug', 'A round starts.'],
  proposalAccepted: ['debug', 'A proposal is accepted.'],
  prepared: ['debug', 'A proposal is prepared.'],
  committed: ['info', 'A block has a quorum of commits.'],
  refused: ['debug', 'A message is refused.'],
  equivocation: ['warn', 'A validator said two different things in one round.'],
  abstained: ['warn', 'This node does not vote.'],
  failed: ['error', 'Work for consensus failed.'],
  dropped: ['debug', 'Messages of future heights were dropped.'],
}

/** What the machine reports, as lines of the log. A chain that stands still must be explicable from them. */
function logReport(log: Log, report: Report): void {
  const { kind, ...fields } = report
  const [level, sentence] = REPORT_LINES[kind]
  const isRetry = report.kind === 'roundStarted' && report.round > 0
  log[isRetry ? 'info' : level](sentence, fields)
}
