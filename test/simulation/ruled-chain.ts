/**
 * A simulated chain whose blocks the real rules judge: validators by light validation of a proposal, followers by full
 * validation of a sealed block. Honest blocks are empty, so no state changes and nothing is executed. `problemOf` states the
 * same rules again for the monitor: honest headers have one possible value in every field that no proposer may choose.
 */

import { KnownHeaders } from '#chain/block/known-headers.ts'
import { draftHeader } from '#chain/build/build-block.ts'
import type { HeaderRules } from '#chain/rules/header-rules.ts'
import { type ValidationTools, validateBlock } from '#chain/rules/validate-block.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import type { HeightContext } from '#consensus/bft/events.ts'
import type { ProposedBlock } from '#consensus/bft/messages.ts'
import { decodeProposedBlock, sealedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import type { Crypto } from '#evm/crypto.ts'
import { decodeBftExtraData, encodeBftExtraData, VANITY_BYTES } from '#types/block/bft-extra-data.ts'
import { type Block, bodyBytesIn, decodeBlock, encodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { transactionsRoot } from '#types/block/block-roots.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { includesFork } from '#types/genesis/fork-schedule.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { genesisBlock } from '#types/genesis/genesis-block.ts'
import { genesisStateRoot } from '#types/genesis/genesis-state-root.ts'
import type { Hash } from '#types/hash.ts'
import type { BlockNetwork } from '../adversarial/block-mutator/networks.ts'
import { type ChainSettings, type DecidedBlock, type NewContent, SimChain } from './sim-chain.ts'

const NONCE_OFFSET = 4
const MAX_AHEAD_MS = 1_000
const GAS_LIMIT_DIVISOR = 1_024n
/** How far one of four may lower the gas limit before the others propose. */
const GAS_LIMIT_STEPS = 4n
const BASE_FEE_DIVISOR = 8n
/** The sha256 hash of nothing: no requests. */
const NO_REQUESTS = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' as Hash
const CHOSEN: readonly string[] = ['coinbase', 'timestamp', 'gasLimit', 'extraData', 'transactionsRoot']

const EXECUTED = ['stateRoot', 'receiptsRoot', 'logsBloom', 'gasUsed', 'blobGasUsed', 'requestsHash'] as const

export class RuledChain extends SimChain {
  readonly network: BlockNetwork
  readonly genesisHeader: BlockHeader
  readonly crypto: Crypto
  /** The mutations of blocks, by hash. */
  readonly names = new Map<Hash, string>()
  readonly #tools: ValidationTools
  readonly #headers = new KnownHeaders({ numberOf: () => undefined, read: () => undefined })
  /** The clock of the judging node. */
  #wallMs = 0

  /** `crypto` recovers the simulated seals. */
  constructor(settings: ChainSettings, network: BlockNetwork, crypto: Crypto) {
    const { genesis } = network
    const { keccak } = crypto
    const header = genesisBlock(genesis, genesisStateRoot(genesis.alloc, keccak)).header
    const hashBlock = blockHashOf(genesis.config.consensus, keccak)
    super({ ...settings, genesisHash: hashBlock(header) })
    this.network = network
    this.crypto = crypto
    this.genesisHeader = header
    this.#headers.add({ hash: hashBlock(header), header })
    this.#tools = {
      genesis,
      hashBlock,
      keccak,
      headerRules: this.#rulesOf(genesis),
      headers: this.#headers,
      store: { read: () => undefined },
    }
  }

  override contextAfter(parent: DecidedBlock): HeightContext {
    const context = super.contextAfter(parent)
    return this.network.periodSeconds > 0 ? context : { ...context, period: { milliseconds: 500 } }
  }

  headerOf({ block }: DecidedBlock): BlockHeader {
    return block?.header ?? this.genesisHeader
  }

  override build(parent: DecidedBlock, content: NewContent): ProposedBlock {
    const { protocol, keccak } = this.settings
    const vanity = new Uint8Array(VANITY_BYTES)
    new DataView(vanity.buffer).setUint32(NONCE_OFFSET, content.nonce)
    const { vote, round } = content
    const validators = this.validatorsAfter(parent)
    const proposal = {
      parent: parent.hash,
      coinbase: content.author,
      timestamp: BigInt(content.timestampSeconds),
      extraData: encodeBftExtraData(protocol, { vanity, validators, vote, round, seals: [] }),
    }
    const { gasLimit } = draftHeader(this.network.genesis, bftTemplate(proposal), this.headerOf(parent))
    const { coinbase, timestamp, extraData } = proposal
    const header = { ...this.#only(parent), coinbase, timestamp, extraData, gasLimit }
    const withdrawals = header.withdrawalsRoot && []
    const encoded = encodeBlock({ header, transactions: [], ommers: [], withdrawals })
    return decodeProposedBlock(protocol, encoded, undefined, keccak)
  }

  /** Light validation without seals, full with them. Returns the problem. */
  override async judge(
    block: ProposedBlock,
    parent: DecidedBlock,
    wallMs: number,
    seals?: readonly Uint8Array[],
  ): Promise<string | undefined> {
    this.#wallMs = wallMs
    const { protocol } = this.settings
    const encoded = seals === undefined ? block.encoded : sealedBlock(protocol, block, seals)
    const known = { hash: parent.hash, header: this.headerOf(parent) }
    this.#headers.add(known)
    try {
      const decoded = decodeBlock(encoded, this.#tools.keccak)
      const hash = this.#tools.hashBlock(decoded.header)
      const received = { stage: 'received', hash, block: decoded, bodyBytes: bodyBytesIn(encoded) } as const
      const validation = seals === undefined ? 'light' : 'full'
      const verdict = await validateBlock(this.#tools, received, known, validation, undefined)
      return verdict.ok ? this.#executionProblem(decoded.header, parent) : verdict.sentence
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return String(error.data.sentence)
    }
  }

  /** Nothing is executed: transactions count as valid and change nothing. */
  #executionProblem(header: BlockHeader, parent: DecidedBlock): string | undefined {
    const only = this.#only(parent)
    const wrong = EXECUTED.find((name) => !isSame(header[name], only[name]))
    return wrong && `Execution gives another ${wrong}.`
  }

  override problemOf(block: ProposedBlock, parent: DecidedBlock, wallMs: number): string | undefined {
    const problem = this.#problemOf(block, parent, wallMs)
    return problem && `${problem} (${this.names.get(block.hash) ?? 'honest'})`
  }

  #problemOf(block: ProposedBlock, parent: DecidedBlock, wallMs: number): string | undefined {
    const { header } = block
    const only = {
      ...this.#only(parent),
      ...(this.network.fees === 'fixed' && { baseFeePerGas: header.baseFeePerGas }),
    }
    for (const name of Object.keys(only) as (keyof BlockHeader)[]) {
      if (CHOSEN.includes(name) || isSame(header[name], only[name])) continue
      return `${name} is ${String(header[name]).slice(0, 80)}, and only ${String(only[name]).slice(0, 80)} is valid.`
    }
    return (
      this.#chosenProblem(header, parent, wallMs) ??
      this.#extraProblem(header, parent) ??
      this.#bodyProblem(block)
    )
  }

  /** A proposer may lower the gas limit by a step, and the others raise it again. */
  driftProblem({ gasLimit }: BlockHeader): string | undefined {
    const first = this.genesisHeader.gasLimit
    const lowest = first - (GAS_LIMIT_STEPS * first) / GAS_LIMIT_DIVISOR
    return gasLimit < lowest ? `gasLimit went from ${first} to ${gasLimit}.` : undefined
  }

  override isWhole(block: ProposedBlock): boolean {
    return this.#bodyProblem(block) === undefined
  }

  #rulesOf(genesis: Genesis): HeaderRules {
    return createHeaderRules({
      genesis,
      crypto: this.crypto,
      engine: undefined as never,
      clock: { wallMs: () => this.#wallMs },
      findHeader: (hash) => this.#headers.find(hash),
    })
  }

  /** The header after `parent`, with the parent's values in the fields that a proposer may choose. */
  #only(parent: DecidedBlock): BlockHeader {
    const before = this.headerOf(parent)
    const { fork, fees } = this.network
    const has = (name: 'london' | 'shanghai' | 'cancun' | 'prague') => includesFork(fork, name)
    const hasBlobs = has('cancun') && fees !== 'fixed'
    return {
      ...before,
      parentHash: parent.hash,
      number: BigInt(parent.height + 1),
      nonce: 0n,
      transactionsRoot: EMPTY_TRIE_ROOT,
      baseFeePerGas: has('london') ? this.#baseFeeAfter(before) : undefined,
      withdrawalsRoot: has('shanghai') ? EMPTY_TRIE_ROOT : undefined,
      blobGasUsed: hasBlobs ? 0n : undefined,
      excessBlobGas: hasBlobs ? 0n : undefined,
      parentBeaconBlockRoot: hasBlobs ? (`0x${'00'.repeat(32)}` as Hash) : undefined,
      requestsHash: hasBlobs && has('prague') ? NO_REQUESTS : undefined,
    }
  }

  /** No block uses gas, so the fee falls by an eighth each time. */
  #baseFeeAfter({ baseFeePerGas = 0n }: BlockHeader): bigint {
    const { fees } = this.network
    if (fees === 'fixed') return baseFeePerGas
    return fees === 'zero' ? 0n : baseFeePerGas - baseFeePerGas / BASE_FEE_DIVISOR
  }

  #chosenProblem(header: BlockHeader, parent: DecidedBlock, wallMs: number): string | undefined {
    const { timestamp, gasLimit, coinbase } = header
    const before = this.headerOf(parent)
    const { periodSeconds } = this.network
    const apart = BigInt(periodSeconds > 0 ? periodSeconds : -1)
    if (
      timestamp < before.timestamp + apart ||
      timestamp > BigInt(Math.floor((wallMs + MAX_AHEAD_MS) / 1_000))
    ) {
      return `timestamp is ${timestamp} after ${before.timestamp}.`
    }
    const difference = gasLimit > before.gasLimit ? gasLimit - before.gasLimit : before.gasLimit - gasLimit
    if (difference > 0n && difference >= before.gasLimit / GAS_LIMIT_DIVISOR)
      return `gasLimit is ${gasLimit}.`
    return this.validatorsAfter(parent).includes(coinbase) ? undefined : `coinbase is ${coinbase}.`
  }

  #extraProblem({ extraData }: BlockHeader, parent: DecidedBlock): string | undefined {
    const { protocol } = this.settings
    const content = decodeBftExtraData(protocol, extraData)
    const validators = this.validatorsAfter(parent)
    if (content.vanity.length !== VANITY_BYTES)
      return `extraData has ${content.vanity.length} bytes of vanity.`
    if (equalBytes(encodeBftExtraData(protocol, { ...content, validators, seals: [] }), extraData))
      return undefined
    return `extraData of ${extraData.length} bytes is not canonical, or lists other validators.`
  }

  #bodyProblem({ encoded, header }: ProposedBlock): string | undefined {
    const { keccak } = this.settings
    const block = decodedOrNothing(encoded, keccak)
    if (block === undefined) return 'the body cannot be decoded.'
    if (block.ommers.length > 0) return `the body has ${block.ommers.length} ommers.`
    if ((block.withdrawals ?? []).length > 0) return `the body has ${block.withdrawals!.length} withdrawals.`
    if ((block.withdrawals === undefined) !== (header.withdrawalsRoot === undefined)) {
      return 'the list of withdrawals does not fit the header.'
    }
    const isNamed = transactionsRoot(block.transactions, keccak) === header.transactionsRoot
    return isNamed ? undefined : 'the transactions are not those that the header names.'
  }
}

type Field = BlockHeader[keyof BlockHeader]

function isSame(one: Field, other: Field): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return equalBytes(one, other)
  return one === other
}

function decodedOrNothing(encoded: Uint8Array, keccak: Crypto['keccak']): Block | undefined {
  try {
    return decodeBlock(encoded, keccak)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
