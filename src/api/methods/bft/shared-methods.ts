/** Methods that QBFT and IBFT 2.0 share: one definition for each pair `ibft_*` and `qbft_*`. */

import { array, boolean, number, object, record, string, union } from 'zod'
import { requireIbft2, requireQbft, requireVotes, validatorsOf } from '#api/bft-network.ts'
import type { Live } from '#api/contracts.ts'
import { defineMethod } from '#api/define-method.ts'
import { Address, AddressText, BlockNumber, type PlaceSelector, QuantityText } from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { evmFault } from '#evm/faults.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { type Method, Param } from '#jsonrpc/method.ts'
import type { Address as AccountAddress } from '#types/address.ts'
import { formatQuantity } from '#types/hex.ts'

interface Protocol {
  readonly prefix: 'ibft' | 'qbft'
  /** Throws on a network of the other protocol. */
  requireNetwork(chain: ChainView): void
  /** Also throws if a contract names the validators, which only QBFT has. */
  requireVoting(chain: ChainView): void
}

const IBFT2: Protocol = { prefix: 'ibft', requireNetwork: requireIbft2, requireVoting: requireIbft2 }

const QBFT: Protocol = {
  prefix: 'qbft',
  requireNetwork: requireQbft,
  requireVoting: (chain) => {
    requireQbft(chain)
    requireVotes(chain)
  },
}

const forBoth = (define: (protocol: Protocol) => Method) => [define(IBFT2), define(QBFT)] as const

/** The audit log records the votes of this node before and after a change. */
const VOTE_CHANGES = {
  what: 'votes',
  observe: async ({ consensus }: Pick<Live, 'consensus'>) => {
    const votes = await consensus.pendingVotes()
    return { pending: votes.map(({ recipient, type }) => `${type} ${recipient}`) }
  },
} as const

/** True for a vote to add the validator. Besu accepts words and numbers as well. */
const VoteType = new Param(
  union([
    boolean(),
    string()
      .regex(/^(true|false)$/i)
      .transform((text) => text.toLowerCase() === 'true'),
    number()
      .int()
      .transform((value) => value !== 0),
  ]).meta({ title: 'vote type', description: 'true to add the validator, false to remove it' }),
  'INVALID_VOTE_TYPE_PARAMS',
)

export const [ibft_discardValidatorVote, qbft_discardValidatorVote] = forBoth(({ prefix, requireVoting }) =>
  defineMethod({
    name: `${prefix}_discardValidatorVote`,
    summary: 'Withdraws the vote of this node on a validator; votes in existing blocks stay.',
    needs: ['chain', 'consensus'],
    params: { address: Address },
    changes: VOTE_CHANGES,
    result: boolean(),
    run: async ({ chain, consensus }, { address }) => {
      requireVoting(chain)
      await consensus.discardVote(address)
      return true
    },
  }),
)

export const [ibft_getPendingVotes, qbft_getPendingVotes] = forBoth(({ prefix, requireVoting }) =>
  defineMethod({
    name: `${prefix}_getPendingVotes`,
    summary: 'The votes of this node on validators: true to add, false to remove.',
    needs: ['chain', 'consensus'],
    params: {},
    result: record(AddressText, boolean()),
    run: async ({ chain, consensus }) => {
      requireVoting(chain)
      const votes = await consensus.pendingVotes()
      return Object.fromEntries(votes.map(({ recipient, type }) => [recipient, type === 'add']))
    },
  }),
)

const DEFAULT_RANGE_BLOCKS = 100
/** Blocks between two polls of the cancel cell. */
const BLOCKS_PER_LOOK = 1_024

interface Signer {
  readonly blocks: number
  readonly last: number
}

export const [ibft_getSignerMetrics, qbft_getSignerMetrics] = forBoth(({ prefix, requireNetwork }) =>
  defineMethod({
    name: `${prefix}_getSignerMetrics`,
    summary:
      'The number of blocks by proposer in a block range; by default the last 100 blocks. The last block of the range is excluded.',
    needs: ['chain', 'engine'],
    cost: 'heavy',
    params: { fromBlock: BlockNumber.optional(), toBlock: BlockNumber.optional() },
    result: array(
      object({
        address: AddressText,
        proposedBlockCount: QuantityText,
        lastProposedBlockNumber: QuantityText,
      }),
    ),
    run: async ({ chain, engine }, { fromBlock, toBlock }, { cancel }) => {
      requireNetwork(chain)
      const head = Number(chain.head().header.number)
      const from = fromBlock ? placeOf(fromBlock, head) : Math.max(0, head - DEFAULT_RANGE_BLOCKS)
      const to = toBlock ? Math.min(placeOf(toBlock, head), head) : head
      if (from >= to) throw rpcFault('INVALID_BLOCK_NUMBER_PARAMS')
      const signers = countBlocks(chain, from, to, cancel)
      const last = chain.lookup.header(to - 1)
      const validators = (last && (await validatorsOf(chain, engine, last, { isNext: true }))) ?? []
      // Current validators come first, with or without blocks; then former proposers.
      const others = [...signers.keys()].filter((address) => !validators.includes(address)).sort()
      return [...validators, ...others].map((address) => {
        const { blocks, last } = signers.get(address) ?? { blocks: 0, last: 0 }
        return {
          address,
          proposedBlockCount: formatQuantity(BigInt(blocks)),
          lastProposedBlockNumber: formatQuantity(BigInt(last)),
        }
      })
    },
  }),
)

function countBlocks(
  chain: ChainView,
  from: number,
  to: number,
  cancel: Int32Array | undefined,
): Map<AccountAddress, Signer> {
  const signers = new Map<AccountAddress, Signer>()
  for (let number = from; number < to; number++) {
    if (number % BLOCKS_PER_LOOK === 0 && cancel !== undefined && Atomics.load(cancel, 0) !== 0) {
      throw evmFault('ENGINE_CANCELLED', { sentence: 'The request was given up.' })
    }
    const found = chain.lookup.header(number)
    if (found === undefined) continue
    const { coinbase } = found.header
    signers.set(coinbase, { blocks: (signers.get(coinbase)?.blocks ?? 0) + 1, last: number })
  }
  return signers
}

/** BFT blocks are final, so `safe` and `finalized` are the head. */
function placeOf(selector: PlaceSelector, head: number): number {
  if (selector.kind === 'number') return Number(selector.number)
  return selector.tag === 'earliest' ? 0 : head
}

export const [ibft_proposeValidatorVote, qbft_proposeValidatorVote] = forBoth(({ prefix, requireVoting }) =>
  defineMethod({
    name: `${prefix}_proposeValidatorVote`,
    summary: 'Casts a vote to add or remove a validator, in the blocks that this node proposes.',
    needs: ['chain', 'consensus'],
    params: { address: Address, isAdd: VoteType },
    changes: VOTE_CHANGES,
    result: boolean(),
    run: async ({ chain, consensus }, { address, isAdd }) => {
      requireVoting(chain)
      await consensus.proposeVote(address, isAdd ? 'add' : 'drop')
      return true
    },
  }),
)
