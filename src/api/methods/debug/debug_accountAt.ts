import { object } from 'zod'
import { stateAfterTransaction } from '#api/calls/state-range.ts'
import { defineMethod } from '#api/define-method.ts'
import { blockOf } from '#api/resolve-block.ts'
import { Address, Block, HashText, HexText, QuantityText, TransactionIndex } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { addressToBytes } from '#types/address.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

/** Besu's text for no code. */
const NO_CODE = '0x0'

export default defineMethod({
  name: 'debug_accountAt',
  summary: 'An account after a transaction of a block.',
  needs: ['chain', 'engine'],
  cost: 'medium',
  params: { block: Block, transactionIndex: TransactionIndex, address: Address },
  result: object({
    code: HexText,
    nonce: QuantityText,
    balance: QuantityText,
    codehash: HashText,
  }).nullable(),
  run: async (resources, { block, transactionIndex, address }, context) => {
    const known = blockOf(resources.chain, block)
    if (known === undefined) return null
    if (transactionIndex >= known.block.transactions.length) throw rpcFault('INVALID_TRANSACTION_PARAMS')
    const state = await stateAfterTransaction(resources, known, transactionIndex, context)
    const account = state.account(addressToBytes(address))
    if (account === undefined) throw rpcFault('NO_ACCOUNT_FOUND')
    const code = state.code(account.codeHash) ?? new Uint8Array(0)
    return {
      code: code.length === 0 ? NO_CODE : formatData(code),
      nonce: formatQuantity(account.nonce),
      balance: formatQuantity(account.balance),
      codehash: formatData(account.codeHash),
    }
  },
})
