/**
 * The chain of a simulation: real headers, bodies and hashes, and no state. Validators join and leave by votes in headers and,
 * at one height, by a transition, which also changes the block period.
 */
import type { HeightContext } from '#consensus/bft/events.ts'
import type { ProposedBlock } from '#consensus/bft/messages.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { applyVote, tallyOf, type VoteTally } from '#consensus/validators/vote-tally.ts'
import type { Address } from '#types/address.ts'
import {
  type BftProtocol,
  type BftVote,
  decodeBftExtraData,
  encodeBftExtraData,
  VANITY_BYTES,
} from '#types/block/bft-extra-data.ts'
import { encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import { emptyBloom } from '#types/block/bloom.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { bodyOf, hasBodyOf } from './sim-body.ts'

const ZERO_ADDRESS = `0x${'00'.repeat(20)}` as Address
/** The first vanity byte of a block whose execution fails. */
const BROKEN = 0xff
/** In the vanity: distinguishes the blocks of a validator and names their body. */
const NONCE_OFFSET = 4
/** Maximum distance of a header from the judging clock. */
const MAX_AHEAD_MS = 1_000

export interface ChainSettings {
  readonly protocol: BftProtocol
  readonly keccak: Keccak
  readonly validators: readonly Address[]
  /** The author of a seal over a digest; undefined if no one can have made it. */
  readonly authorOfSeal: (seal: Uint8Array, digest: Hash) => Address | undefined
  readonly requestTimeoutMs: number
  readonly periodSeconds: number
  readonly emptyBlockPeriodSeconds: number
  /** Takes effect from this height on; undefined if nothing changes. */
  readonly transition:
    | { readonly height: number; readonly periodSeconds: number; readonly validators: readonly Address[] }
    | undefined
  /** The hash of block 0; zero unless the chain has a real one. */
  readonly genesisHash?: Hash
}

/** A block that a validator imported, with its consequences. */
export interface DecidedBlock {
  readonly height: number
  readonly hash: Hash
  readonly coinbase: Address
  readonly timestampSeconds: number
  readonly parent: DecidedBlock | undefined
  readonly tally: VoteTally
  readonly block: ProposedBlock | undefined
  readonly seals: readonly Uint8Array[]
}

export interface NewContent {
  readonly author: Address
  readonly round: number
  readonly timestampSeconds: number
  readonly nonce: number
  readonly vote: BftVote | null
  readonly isBroken: boolean
}

export class SimChain {
  readonly settings: ChainSettings
  readonly start: DecidedBlock

  constructor(settings: ChainSettings) {
    this.settings = settings
    this.start = {
      height: 0,
      hash: settings.genesisHash ?? ZERO_HASH,
      coinbase: ZERO_ADDRESS,
      timestampSeconds: 0,
      parent: undefined,
      tally: tallyOf(settings.validators),
      block: undefined,
      seals: [],
    }
  }

  authorOfSeal(seal: Uint8Array, digest: Hash): Address | undefined {
    return this.settings.authorOfSeal(seal, digest)
  }

  contextAfter(parent: DecidedBlock): HeightContext {
    const { requestTimeoutMs, emptyBlockPeriodSeconds } = this.settings
    const { hash, timestampSeconds, coinbase } = parent
    return {
      height: parent.height + 1,
      parent: { hash, timestampSeconds, coinbase },
      validators: this.validatorsAfter(parent),
      period: { seconds: this.#periodAt(parent.height + 1) },
      emptyBlockPeriodSeconds,
      requestTimeoutMs,
    }
  }

  validatorsAfter(parent: DecidedBlock): readonly Address[] {
    const { transition } = this.settings
    if (transition?.height === parent.height + 1) return transition.validators
    return parent.tally.validators
  }

  build(parent: DecidedBlock, content: NewContent): ProposedBlock {
    const { protocol, keccak } = this.settings
    const vanity = new Uint8Array(VANITY_BYTES)
    new DataView(vanity.buffer).setUint32(NONCE_OFFSET, content.nonce)
    if (content.isBroken) vanity[0] = BROKEN
    const body = bodyOf(content.nonce, keccak)
    const header: BlockHeader = {
      ...BLANK,
      parentHash: parent.hash,
      number: BigInt(parent.height + 1),
      coinbase: content.author,
      timestamp: BigInt(content.timestampSeconds),
      transactionsRoot: body.transactionsRoot,
      extraData: encodeBftExtraData(protocol, {
        vanity,
        validators: this.validatorsAfter(parent),
        vote: content.vote,
        round: content.round,
        seals: [],
      }),
    }
    const { transactions } = body
    const encoded = encodeBlock({ header, transactions, ommers: [], withdrawals: undefined })
    return decodeProposedBlock(protocol, encoded, undefined, keccak)
  }

  /** A node's verdict on a proposal, or with seals on a decided block; returns the problem. */
  judge(
    block: ProposedBlock,
    parent: DecidedBlock,
    wallMs: number,
    _seals?: readonly Uint8Array[],
  ): string | undefined | Promise<string | undefined> {
    return this.problemOf(block, parent, wallMs)
  }

  /** The problem that header rules and execution would find, or undefined. */
  problemOf(block: ProposedBlock, parent: DecidedBlock, wallMs: number): string | undefined {
    const { header } = block
    const { vanity, validators } = decodeBftExtraData(this.settings.protocol, header.extraData)
    const expected = this.validatorsAfter(parent)
    if (header.parentHash !== parent.hash) return 'The block has another parent.'
    if (header.number !== BigInt(parent.height + 1)) return 'The block has another number.'
    if (vanity[0] === BROKEN) return 'The block cannot be executed.'
    if (!this.isWhole(block)) return 'Its body does not match its header.'
    const earliest = parent.timestampSeconds + this.#periodAt(parent.height + 1)
    if (header.timestamp < BigInt(earliest)) return 'The block is too early.'
    if (header.timestamp > BigInt(Math.floor((wallMs + MAX_AHEAD_MS) / 1_000)))
      return 'The block is ahead of time.'
    if (validators.join() !== expected.join()) return 'The block names other validators.'
    return expected.includes(header.coinbase) ? undefined : 'The block is by a stranger.'
  }

  isWhole(block: ProposedBlock): boolean {
    const { protocol, keccak } = this.settings
    const { vanity } = decodeBftExtraData(protocol, block.header.extraData)
    const nonce = new DataView(vanity.buffer, vanity.byteOffset).getUint32(NONCE_OFFSET)
    return hasBodyOf(nonce, block, keccak)
  }

  decide(block: ProposedBlock, seals: readonly Uint8Array[], parent: DecidedBlock): DecidedBlock {
    const { vote } = decodeBftExtraData(this.settings.protocol, block.header.extraData)
    const { transition } = this.settings
    const height = parent.height + 1
    const before = transition?.height === height ? tallyOf(transition.validators) : parent.tally
    return {
      height,
      hash: block.hash,
      coinbase: block.header.coinbase,
      timestampSeconds: Number(block.header.timestamp),
      parent,
      tally: vote === null ? before : applyVote(before, { ...vote, voter: block.header.coinbase }),
      block,
      seals,
    }
  }

  #periodAt(height: number): number {
    const { transition, periodSeconds } = this.settings
    return transition !== undefined && height >= transition.height ? transition.periodSeconds : periodSeconds
  }
}

const BLANK: BlockHeader = {
  parentHash: ZERO_HASH,
  ommersHash: EMPTY_OMMERS_HASH,
  coinbase: ZERO_ADDRESS,
  stateRoot: EMPTY_TRIE_ROOT,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: emptyBloom(),
  difficulty: 1n,
  number: 0n,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 0n,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  nonce: 0n,
  ...NO_OPTIONAL_FIELDS,
}
