import { object } from 'zod'
import { stateAfterTransaction } from '#rpc/calls/mid-block.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { Address } from '#rpc/schema/address.ts'
import { Block } from '#rpc/schema/block-selector.ts'
import { HexText } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { TransactionIndex } from '#rpc/schema/small-number.ts'
import { addressToBytes } from '#types/address.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

/** What stands for no code, an odd number of digits or not. */
const NO_CODE = '0x0'

export default defineMethod({
  name: 'debug_accountAt',
  summary: 'An account as a transaction of a block left it.',
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
