/** A chain of nothing but nonces and balances, and transactions for it. */
import { BlockChanges, type HeadChange } from '#chain/write/head-change.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { SidecarVersion } from '#types/transaction/blob-sidecar.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { SenderAccount } from './core/sender-queue.ts'
import type { PoolChain } from './pool-chain.ts'
import type { PoolSettings } from './read-settings.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

export const SETTINGS: PoolSettings = {
  maxCount: 16_384,
  maxBytes: 50_000_000,
  maxGap: 200,
  maxBySender: undefined,
  priceBump: 10,
  blobPriceBump: 100,
  minGasPriceWei: 0n,
  hasLocalPriority: false,
  prioritySenders: new Set(),
  checksBalance: true,
  retentionMs: 3_600_000,
}

export function addressOf(number: number): Address {
  return `0x${number.toString(16).padStart(40, '0')}` as Address
}

function hashOf(number: number): Hash {
  return `0x${number.toString(16).padStart(64, '0')}` as Hash
}

let lastHash = 0

export interface SubmissionFields {
  readonly sender?: Address
  readonly nonce?: number
  readonly fee?: number
  readonly tip?: number
  readonly cost?: number
  readonly gasLimit?: number
  readonly bytes?: number
  /** Bytes of the encoding with blobs; undefined for a transaction without them. */
  readonly blobBytes?: number
}

/** No two calls return the same transaction. */
export function submission(fields: SubmissionFields = {}): SubmittedTransaction {
  const {
    sender = addressOf(1),
    nonce = 0,
    fee = 10,
    tip = fee,
    cost = 1,
    gasLimit = 21_000,
    bytes = 100,
    blobBytes,
  } = fields
  const plain: SubmittedTransaction = {
    hash: hashOf(++lastHash),
    encoded: new Uint8Array(bytes),
    sender,
    type: 2,
    nonce: BigInt(nonce),
    to: null,
    gasLimit: BigInt(gasLimit),
    maxFeePerGas: BigInt(fee),
    maxPriorityFeePerGas: BigInt(tip),
    maxFeePerBlobGas: 0n,
    maxCostWei: BigInt(cost),
  }
  if (blobBytes === undefined) return plain
  const blobs = { version: 1, hashes: [hashOf(++lastHash)], encoded: new Uint8Array(blobBytes) } as const
  return { ...plain, type: 3, maxFeePerBlobGas: BigInt(fee), blobs }
}

interface FakeBlock {
  readonly hash: Hash
  readonly transactions: readonly SubmittedTransaction[]
}

export class FakeChain implements PoolChain {
  readonly balances = new Map<Address, bigint>()
  baseFee = 0n
  gasLimit = 30_000_000n
  sidecarVersion: SidecarVersion = 1
  /** Number of account reads. */
  reads = 0
  readonly #blocks: FakeBlock[] = [{ hash: hashOf(++lastHash), transactions: [] }]
  readonly #nonces = new Map<Address, number>()
  readonly #included = new Set<Hash>()
  readonly #left = new Map<Hash, FakeBlock>()
  readonly #parents = new Map<Hash, Hash>()
  #sequence = 0

  get height(): number {
    return this.#blocks.length - 1
  }

  nonceOf(address: Address): bigint {
    return BigInt(this.#nonces.get(address) ?? 0)
  }

  account(address: Address): SenderAccount {
    this.reads++
    return { nonce: this.nonceOf(address), balance: this.balances.get(address) ?? 1_000n, hasCode: false }
  }

  nextBlock() {
    return { gasLimit: this.gasLimit, baseFeePerGas: this.baseFee }
  }

  sidecarVersionAt(): SidecarVersion {
    return this.sidecarVersion
  }

  isIncluded(hash: Hash): boolean {
    return this.#included.has(hash)
  }

  leftSince(head: Hash): Hash[] {
    const left: Hash[] = []
    for (
      let hash = head;
      !this.#blocks.some((block) => block.hash === hash);
      hash = this.#parents.get(hash)!
    ) {
      left.unshift(hash)
    }
    return left
  }

  transactionsOf(block: Hash): readonly SubmittedTransaction[] {
    return this.#left.get(block)?.transactions ?? []
  }

  /** Removes and adds blocks, and returns the head change. A sender's nonces must be consecutive. */
  move(removed: number, added: readonly (readonly SubmittedTransaction[])[]): HeadChange {
    const gone = removed === 0 ? [] : this.#blocks.splice(-removed)
    for (const block of gone) {
      this.#left.set(block.hash, block)
      for (const { sender, hash } of block.transactions) {
        this.#nonces.set(sender, this.#nonces.get(sender)! - 1)
        this.#included.delete(hash)
      }
    }
    const come = added.map((transactions) => {
      const block = { hash: hashOf(++lastHash), transactions }
      this.#parents.set(block.hash, this.#blocks.at(-1)!.hash)
      this.#blocks.push(block)
      for (const one of transactions) {
        this.#nonces.set(one.sender, (this.#nonces.get(one.sender) ?? 0) + 1)
        this.#included.add(one.hash)
      }
      return block
    })
    const { hash } = this.#blocks.at(-1)!
    return {
      number: this.height,
      hash,
      timestamp: 0,
      sequence: ++this.#sequence,
      removed: newsOf(gone),
      added: newsOf(come),
      next: null,
    }
  }
}

function newsOf(blocks: readonly FakeBlock[]) {
  const list = new BlockChanges()
  for (const { hash, transactions } of blocks) {
    const known = { hash, header: { number: 0n } } as Parameters<BlockChanges['add']>[0]
    const senders = transactions.map(({ sender }) => sender)
    list.add(known, () => ({ transactions: transactions as unknown as Transaction[], senders }))
  }
  return list.blocks
}
