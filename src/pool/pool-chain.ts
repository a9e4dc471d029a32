/** What the pool asks of the chain: accounts at the head and the terms of the next block. On main, from what is stored. */
import { nextHeader } from '#chain/read/call-site.ts'
import type { ChainView, PinnedState } from '#chain/read/chain-view.ts'
import { isDelegation } from '#evm/js/delegation.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { SenderAccount } from './core/sender-queue.ts'

export interface NextBlock {
  readonly gasLimit: bigint
  /** undefined before London. */
  readonly baseFeePerGas: bigint | undefined
}

export interface PoolChain {
  /** After the head. A point read: what the pool knows already it does not ask again. */
  account(address: Address): SenderAccount
  nextBlock(): NextBlock
  /** Whether it is in a block of the chain. */
  isIncluded(hash: Hash): boolean
  /** Of a block that left the chain; empty where it is not stored. */
  transactionsOf(block: Hash): readonly Transaction[]
}

const EMPTY_CODE_HASH = formatData(keccak256(new Uint8Array(0)))
const NO_ACCOUNT: SenderAccount = { nonce: 0n, balance: 0n, hasCode: false }
/** The head may leave the chain under a reader; it does not do so many times in a row. */
const READ_ATTEMPTS = 8

export function createPoolChain(view: ChainView): PoolChain {
  return {
    account: (address) => readAccount(view, addressToBytes(address)),
    nextBlock: () => nextHeader(view.genesis, view.head().header),
    isIncluded: (hash) => view.lookup.transactionInBlock(hash) !== undefined,
    transactionsOf: (hash) => view.lookup.block(hash)?.block.transactions ?? [],
  }
}

function readAccount(view: ChainView, address: Uint8Array): SenderAccount {
  for (let attempt = 1; ; attempt++) {
    const { hash, header } = view.head()
    try {
      const state = view.stateAt(Number(header.number), hash)
      const read = accountIn(state, address)
      state.confirm()
      return read
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'STATE_UNAVAILABLE' || attempt === READ_ATTEMPTS)
        throw error
      view.catchUp()
    }
  }
}

function accountIn(state: PinnedState, address: Uint8Array): SenderAccount {
  const account = state.account(address)
  if (account === undefined) return NO_ACCOUNT
  const { nonce, balance, codeHash } = account
  if (formatData(codeHash) === EMPTY_CODE_HASH) return { nonce, balance, hasCode: false }
  const code = state.code(codeHash)
  return { nonce, balance, hasCode: code !== undefined && !isDelegation(code) }
}
