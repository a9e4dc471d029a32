/** On-chain permissioning: only accounts that a contract permits may send. See account-rule.md. */
import { definePlugin } from 'cairn-node/plugin'

/** isPermitted(address) returns (bool) */
const IS_PERMITTED = '0x3fd8cc4e'
const WORD = 64
const PERMITTED = /^0x0{63}1$/

/** The contract's answers, until the next block. */
let known = new Map<string, boolean>()

export default definePlugin({
  name: 'account-rule',
  version: '1.0.0',
  namespace: 'accountrule',
  options: {
    contract: { type: 'text', help: 'Address of the permission contract.' },
  },
  metrics: {
    asked: { kind: 'counter', help: 'Questions to the contract' },
    refused: { kind: 'counter', help: 'Transactions of accounts that it does not permit' },
  },
  register(node) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(node.options.contract ?? '')) {
      throw new Error('--plugin-account-rule-contract must be an address')
    }
  },
  on: {
    block: {
      handle() {
        known = new Map()
      },
    },
  },
  admission: {
    // An account without an answer is not permitted.
    onFailure: 'refuse',
    deadlineMs: 1_500,
    async judge(transactions, node) {
      const answers = known
      const unknown = [...new Set(transactions.map(({ sender }) => sender))].filter(
        (each) => !answers.has(each),
      )
      await Promise.all(
        unknown.map(async (sender) => {
          const data = IS_PERMITTED + sender.slice(2).padStart(WORD, '0')
          const answer = await node.request('eth_call', [{ to: node.options.contract, data }, 'latest'])
          node.metrics.asked.add()
          answers.set(sender, PERMITTED.test(String(answer)))
        }),
      )
      return transactions.map(({ sender }) => {
        if (answers.get(sender)) return true
        node.metrics.refused.add()
        return `The contract ${node.options.contract} does not permit the account ${sender}.`
      })
    },
  },
})
