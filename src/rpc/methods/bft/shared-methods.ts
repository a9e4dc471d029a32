/** Methods that QBFT and IBFT 2.0 share: one definition for the pair `ibft_*` and `qbft_*`. */
import { boolean, number, record, string, union } from 'zod'
import type { ChainView } from '#chain/read/chain-view.ts'
import { requireIbft2, requireQbft, requireVotes } from '#rpc/bft-network.ts'
import type { Live } from '#rpc/contracts.ts'
import { defineMethod, type Method } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { Address, AddressText } from '#rpc/schema/address.ts'
import { SIGNER_METRICS_PARAMS, SignerMetrics, signerMetrics } from '#rpc/signer-metrics.ts'

interface Protocol {
  readonly prefix: 'ibft' | 'qbft'
  /** Throws on a network of the other protocol. */
  requireNetwork(chain: ChainView): void
  /** Throws also if a contract names the validators, which IBFT 2.0 does not have. */
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

/** Whether a vote is for a validator or against it. Besu takes words and numbers as well. */
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
    summary: 'Withdraws the vote of this node about a validator; votes in existing blocks stay.',
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
    summary: 'The votes of this node about validators: true to add, false to remove.',
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

export const [ibft_getSignerMetrics, qbft_getSignerMetrics] = forBoth(({ prefix, requireNetwork }) =>
  defineMethod({
    name: `${prefix}_getSignerMetrics`,
    summary:
      'Who made how many blocks from one block up to another, which is not counted; the last hundred unless said otherwise.',
    needs: ['chain', 'engine'],
    cost: 'heavy',
    params: SIGNER_METRICS_PARAMS,
    result: SignerMetrics,
    run: (ports, range, context) => {
      requireNetwork(ports.chain)
      return signerMetrics(ports, range, context)
    },
  }),
)

export const [ibft_proposeValidatorVote, qbft_proposeValidatorVote] = forBoth(({ prefix, requireVoting }) =>
  defineMethod({
    name: `${prefix}_proposeValidatorVote`,
    summary: 'Makes this node vote, in blocks that it makes, for adding a validator or removing one.',
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
