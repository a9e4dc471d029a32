/** Methods that name a block by hash, and their twins that name it by number or tag: one definition for both. */

import { boolean, literal, number, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentOmmer, presentTransactionAt } from '#api/present/block.ts'
import { blockText } from '#api/present/block-text.ts'
import { blockOf } from '#api/resolve-block.ts'
import { BlockResult, TransactionResult } from '#api/schema/results.ts'
import {
  BlockHash,
  BlockNumber,
  OmmerIndex,
  type PlaceSelector,
  QuantityText,
  TransactionIndex,
} from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { SizedBlock } from '#chain/read/lookup.ts'
import { type Method, Param } from '#jsonrpc/method.ts'
import type { Hash } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'

interface Twin {
  readonly by: 'Hash' | 'Number'
  /** For the summary. */
  readonly words: string
  readonly block: Param<Hash | PlaceSelector>
  /** Besu has different errors if a transaction is requested by block hash. */
  readonly ofTransaction: { readonly block: Param<Hash | PlaceSelector>; readonly index: Param<number> }
}

const BY_NUMBER = BlockNumber.failingWith('INVALID_BLOCK_PARAMS')

const TWINS: readonly Twin[] = [
  {
    by: 'Hash',
    words: 'hash',
    block: BlockHash,
    ofTransaction: {
      block: BlockHash.failingWith('INVALID_TRANSACTION_HASH_PARAMS'),
      index: TransactionIndex.failingWith('INVALID_TRANSACTION_ID_PARAMS'),
    },
  },
  {
    by: 'Number',
    words: 'number or a tag',
    block: BY_NUMBER,
    ofTransaction: { block: BY_NUMBER, index: TransactionIndex },
  },
]

const forBoth = (define: (twin: Twin) => Method) => TWINS.map(define) as [Method, Method]

function find(chain: ChainView, named: Hash | PlaceSelector): SizedBlock | undefined {
  return typeof named === 'string' ? chain.lookup.block(named) : blockOf(chain, named)
}

const counting = (prefix: string, noun: 'transactions' | 'ommers') =>
  forBoth(({ by, words, block }) =>
    defineMethod({
      name: `${prefix}${by}`,
      summary: `The number of ${noun} of a block, by block ${words}; null if there is no such block.`,
      needs: ['chain'],
      params: { block },
      result: QuantityText.nullable(),
      run: ({ chain }, { block }) => {
        const known = find(chain, block)
        return known === undefined ? null : formatQuantity(known.block[noun].length)
      },
    }),
  )

export const [eth_getBlockTransactionCountByHash, eth_getBlockTransactionCountByNumber] = counting(
  'eth_getBlockTransactionCountBy',
  'transactions',
)

export const [eth_getUncleCountByBlockHash, eth_getUncleCountByBlockNumber] = counting(
  'eth_getUncleCountByBlock',
  'ommers',
)

export const [eth_getTransactionByBlockHashAndIndex, eth_getTransactionByBlockNumberAndIndex] = forBoth(
  ({ by, words, ofTransaction }) =>
    defineMethod({
      name: `eth_getTransactionByBlock${by}AndIndex`,
      summary: `A transaction by block ${words} and index; null if there is none.`,
      needs: ['chain'],
      params: ofTransaction,
      result: TransactionResult.nullable(),
      run: ({ chain }, { block, index }) => {
        const known = find(chain, block)
        return (known && presentTransactionAt(chain, known, index)) ?? null
      },
    }),
)

export const [eth_getUncleByBlockHashAndIndex, eth_getUncleByBlockNumberAndIndex] = forBoth(
  ({ by, words, block }) =>
    defineMethod({
      name: `eth_getUncleByBlock${by}AndIndex`,
      summary: `An ommer by block ${words} and index, without transactions; null if there is none.`,
      needs: ['chain'],
      params: { block, index: OmmerIndex },
      result: BlockResult.nullable(),
      run: ({ chain }, { block, index }) => {
        const ommer = find(chain, block)?.block.ommers[index]
        return ommer === undefined ? null : presentOmmer(ommer)
      },
    }),
)

/** True for complete transactions, false for hashes. As in Besu, strings and numbers are accepted too. */
const FullTransactions = new Param<boolean>(
  union([
    boolean(),
    literal(['true', 'false']).transform((text) => text === 'true'),
    number()
      .int()
      .transform((value) => value !== 0),
  ]).meta({ title: 'full transactions' }),
  'INVALID_RETURN_COMPLETE_TRANSACTION_PARAMS',
)

const WHOLE_BLOCK = { needs: ['chain'], result: BlockResult.nullable() } as const

export const eth_getBlockByHash = defineMethod({
  ...WHOLE_BLOCK,
  name: 'eth_getBlockByHash',
  summary: 'A block by its hash, canonical or not; null if unknown.',
  params: { hash: BlockHash, full: FullTransactions },
  run: ({ chain }, { hash, full }) => {
    const known = chain.lookup.block(hash)
    return known === undefined ? null : blockText(chain, known, full)
  },
})

export const eth_getBlockByNumber = defineMethod({
  ...WHOLE_BLOCK,
  name: 'eth_getBlockByNumber',
  summary: 'A block of the chain by its number or a tag; null if there is no such block.',
  params: { block: BlockNumber, full: FullTransactions },
  run: ({ chain }, { block, full }) => {
    const known = blockOf(chain, block)
    return known === undefined ? null : blockText(chain, known, full)
  },
})
