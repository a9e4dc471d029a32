/**
 * The room `consensus` owns the agreement of validators on blocks: messages and their encodings, header rules, validator sets
 * and their votes, the QBFT and IBFT 2.0 machine, and the signature log. It owns neither blocks nor state (`chain` builds,
 * validates and imports) nor sockets. `node` starts it, `chain` calls its header rules through an interface, and `api` asks it.
 *
 * This file assembles it for a node: the machine is kept at the height after the head and queried for its status. It starts
 * after the chain opens and stops before it closes.
 */
import type { NextValidators } from '#chain/write/head-change.ts'
import { heightContextOf } from '#consensus/bft/protocol-at.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { Hash } from '#types/hash.ts'
import type { Report } from './bft/events.ts'
import type { MessageCodec, WireGeneration } from './bft/messages.ts'
import { bftProtocolAt } from './bft/protocol-at.ts'
import type { BftRules } from './bft/rules.ts'
import { BlockTimes, watchClock } from './block-times.ts'
import { type BlockWorkOptions, createBlockWork } from './block-work.ts'
import { createConsensusMetrics } from './consensus-metrics.ts'
import { BftDriver } from './driver.ts'
import type { DriverParts } from './driver-parts.ts'
import { type FollowHeadsParts, followHeads } from './follow-heads.ts'
import { createIbft2Rules } from './ibft2/rules.ts'
import { createIbft2Codec } from './ibft2/wire/ibft2-codec.ts'
import { CONSENSUS_PROBLEMS } from './log-problems.ts'
import { createQbftRules } from './qbft/rules.ts'
import { createQbftCodec } from './qbft/wire/qbft-codec.ts'
import { openSignatureLog } from './signature-log.ts'
import { type Stall, StallWatch } from './stall-watch.ts'
import { type BftStatus, bftStatus } from './status.ts'
import { addStatusMetrics } from './status-metrics.ts'
import type { LocalVotes } from './validators/local-votes.ts'

export interface ConsensusOptions
  extends Omit<BlockWorkOptions, 'writer' | 'nextVote'>,
    Pick<FollowHeadsParts, 'headMoved' | 'isCatchingUp'>,
    Pick<DriverParts, 'clock' | 'log' | 'signDigest' | 'network' | 'signsWithoutLog' | 'onPeerAhead'> {
  readonly metrics: Metrics
  readonly crypto: Crypto
  readonly genesis: Hash
  readonly writer: BlockWorkOptions['writer'] & FollowHeadsParts['writer']
  /** The path of the signature log. */
  readonly signatureLogPath: string
  readonly generation: WireGeneration
  readonly maxRoundTimeoutMs: number
  readonly proposerOrder?: ProposerOrder
  readonly votes: LocalVotes
  /** Called at each height with the validators that this one must reach; none if it is not a validator. */
  readonly expectPeers: (validators: readonly Address[]) => void
  /** Why blocks of peers cannot be written; undefined if no failure is known. */
  readonly importProblem: () => string | undefined
  /** Called for each report, in addition to the log. */
  readonly onReport?: (report: Report) => void
}

export interface RunningConsensus {
  readonly driver: BftDriver
  /** Undefined until the chain is open. */
  status(): BftStatus | undefined
  /** Undefined if blocks arrive or this node is not a validator. */
  stall(): Stall | undefined
  /** Why this validator signs nothing yet; undefined if it signs or is not a validator. */
  abstention(): string | undefined
  stop(): Promise<void>
}

/** Maximum bytes of messages for future heights. */
const MAX_FUTURE_BYTES = 32 * 1024 * 1024

export async function startConsensus(options: ConsensusOptions): Promise<RunningConsensus> {
  const { log, config, address, crypto } = options
  const codecs = {
    qbft: createQbftCodec(crypto, options.generation),
    ibft2: createIbft2Codec(crypto, options.generation),
  }
  const rules = createRules(options)
  const codecAt = (height: number): MessageCodec => codecs[protocolAt(config, height)]
  const rulesAt = (height: number): BftRules => rules[protocolAt(config, height)]
  const count = createConsensusMetrics(options.metrics, options.clock, address)
  let next: NextValidators | undefined
  const nextVote = () =>
    next?.votes === undefined
      ? null
      : options.votes.next(address, { validators: next.validators, votes: next.votes })
  const signatureLog = await openSignatureLog({
    path: options.signatureLogPath,
    codecAt,
    keccak: crypto.keccak,
    address,
    genesis: options.genesis,
  })
  const parts: DriverParts = {
    ...options,
    keccak: crypto.keccak,
    blocks: createBlockWork({ ...options, nextVote }),
    signatureLog,
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
    coreState: () => driver.state(),
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
      const isValidator = context.validators.includes(address)
      options.expectPeers(isValidator ? context.validators : [])
      stalls.note(context.height, isValidator)
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

function createRules({ maxRoundTimeoutMs, proposerOrder, crypto: { keccak, recover } }: ConsensusOptions) {
  const options = {
    maxRoundTimeoutMs,
    ...(proposerOrder !== undefined && { proposerOrder }),
    keccak,
    recover,
  }
  return { qbft: createQbftRules(options), ibft2: createIbft2Rules(options) }
}

/** True if log or chain ends before the other, or if the key holder does not sign. */
function isAbstaining(driver: BftDriver): boolean {
  const coreState = driver.state()
  if (coreState === undefined || !coreState.isValidator) return false
  const { signsFrom, signed, context } = coreState
  if (driver.observations.failure?.what === 'sign') return true
  return signsFrom > context.height || (signed !== undefined && signed.height > context.height)
}

function protocolAt({ consensus }: GenesisConfig, height: number): BftProtocol {
  const { protocol } = bftProtocolAt(consensus, BigInt(height))
  assert(protocol !== 'ibft', 'Legacy IBFT has no messages.')
  return protocol
}

/** The limits in the genesis file, of the protocol that the network uses or migrates to. */
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

/** Logs the machine's reports, which must suffice to explain a stalled chain. */
function logReport(log: Log, report: Report): void {
  const { kind, ...fields } = report
  switch (kind) {
    case 'roundStarted':
      if (report.round > 0) log.info('Started round after a round change', fields)
      else log.debug('Started round', fields)
      return
    case 'proposalAccepted':
      log.debug('Accepted proposal', fields)
      return
    case 'prepared':
      log.debug('Prepared proposal', fields)
      return
    case 'committed':
      log.debug('Reached commit quorum', fields)
      return
    case 'refused':
      log.debug('Refused consensus message', fields)
      return
    case 'equivocation':
      log.warn(CONSENSUS_PROBLEMS.equivocation, fields)
      return
    case 'abstained':
      log.warn(CONSENSUS_PROBLEMS.abstaining, fields)
      return
    case 'failed':
      log.error(CONSENSUS_PROBLEMS.workFailed, fields)
      return
    case 'dropped':
      log.debug('Dropped messages for future heights', fields)
  }
}
