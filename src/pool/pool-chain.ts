/** The pool's view of the chain: accounts at the head and the terms of the next block, read from the store on main. */
import type { SelectionTerms } from '#chain/build/candidates.ts'
import { nextHeader } from '#chain/read/call-site.ts'
import type { ChainView, PinnedState } from '#chain/read/chain-view.ts'
import { isDelegation } from '#evm/js/delegation.ts'
import { rulesAt, sidecarVersionOf } from '#evm/rules.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import type { SidecarVersion } from '#types/transaction/blob-sidecar.ts'
import type { SenderAccount } from './core/sender-queue.ts'
import { submissionOf } from './prepare-submission.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

export interface NextBlock {
  readonly gasLimit: bigint
  /** Undefined before London. */
  readonly baseFeePerGas: bigint | undefined
}

export interface PoolChain {
  /** The account after the head. A point read; the pool caches the result. */
  account(address: Address): SenderAccount
  nextBlock(): NextBlock
  /** The form of blob proofs in a block. */
  sidecarVersionAt(block: Pick<SelectionTerms, 'number' | 'timestamp'>): SidecarVersion
  isIncluded(hash: Hash): boolean
  /** The blocks up to a former head that are no longer canonical, lowest first. */
  leftSince(head: Hash): readonly Hash[]
  /** The transactions of a block that left the chain; empty if the block is not stored. */
  transactionsOf(block: Hash): readonly SubmittedTransaction[]
}

const EMPTY_CODE_HASH = formatData(keccak256(new Uint8Array(0)))
const NO_ACCOUNT: SenderAccount = { nonce: 0n, balance: 0n, hasCode: false }
/** The head may be reorganised under a reader, but not this often in a row. */
const READ_ATTEMPTS = 8
/** Transactions from a longer abandoned branch are not readmitted. */
const MAX_LEFT_BLOCKS = 512

export function createPoolChain(view: ChainView): PoolChain {
  let next: { readonly head: BlockHeader; readonly block: NextBlock } | undefined
  return {
    account: (address) => readAccount(view, addressToBytes(address)),
    // Kept for each head, because thousands of transactions ask.
    nextBlock: () => {
      const { header: head } = view.head()
      if (next?.head !== head) next = { head, block: nextHeader(view.genesis, head) }
      return next.block
    },
    sidecarVersionAt: (block) => sidecarVersionOf(rulesAt(view.genesis.config, { ...block, difficulty: 0n })),
    isIncluded: (hash) => view.lookup.transactionInBlock(hash) !== undefined,
    leftSince: (head) => leftBlocks(view, head),
    transactionsOf: (hash) => readTransactions(view, hash),
  }
}

function leftBlocks({ lookup }: ChainView, head: Hash): Hash[] {
  const left: Hash[] = []
  let known = lookup.header(head)
  while (known !== undefined && left.length < MAX_LEFT_BLOCKS && !lookup.isCanonical(known.hash)) {
    left.unshift(known.hash)
    known = lookup.header(known.header.parentHash)
  }
  return left
}

function readTransactions({ lookup }: ChainView, hash: Hash): SubmittedTransaction[] {
  const transactions = lookup.block(hash)?.block.transactions ?? []
  const receipts = lookup.receipts(hash) ?? []
  return transactions.flatMap((transaction, index) => {
    const sender = receipts[index]?.sender
    if (sender === undefined) return []
    // Copied, so the pool does not keep the block's buffer alive.
    return { ...submissionOf(transaction, sender), encoded: transaction.encoded.slice() }
  })
}

function readAccount(view: ChainView, address: Uint8Array): SenderAccount {
  for (let attempt = 1; ; attempt++) {
    const { hash, header } = view.head()
    try {
      const state = view.stateAt(Number(header.number), hash)
      const read = accountIn(state, address, view)
      state.confirm()
      return read
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'STATE_UNAVAILABLE' || attempt === READ_ATTEMPTS)
        throw error
      view.catchUp()
    }
  }
}

function accountIn(
  state: PinnedState,
  address: Uint8Array,
  { isDevelopment }: Pick<ChainView, 'isDevelopment'>,
): SenderAccount {
  const account = state.account(address)
  if (account === undefined) return NO_ACCOUNT
  const { nonce, balance, codeHash } = account
  // A contract of a development network sends transactions if it is impersonated.
  if (isDevelopment || formatData(codeHash) === EMPTY_CODE_HASH) return { nonce, balance, hasCode: false }
  const code = state.code(codeHash)
  return { nonce, balance, hasCode: code !== undefined && !isDelegation(code) }
}
