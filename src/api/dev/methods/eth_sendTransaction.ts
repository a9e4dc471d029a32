import { record, string, unknown } from 'zod'
import { submit } from '#api/calls/submit-transaction.ts'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { HashText } from '#api/schema/values.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { assert } from '#types/assert.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'

const TransactionWire = record(string(), unknown()).meta({
  description:
    'the members of a call; missing nonce, gas and prices are filled in, and from is the first account',
})

/** One at a time, so that two transactions of one account get different nonces. */
const sending = new SerialQueue()

export default defineDevMethod({
  name: 'eth_sendTransaction',
  summary: 'Completes a transaction, signs it with an account of the node and sends it.',
  needs: ['wallet', 'fill', 'intake'],
  cost: 'medium',
  params: { transaction: new Param(TransactionWire, 'INVALID_TRANSACTION_PARAMS') },
  result: HashText,
  run: ({ wallet, fill, intake }, { transaction }, context) =>
    sending.run(async () => {
      const from = transaction.from ?? wallet.accounts()[0]
      const call = await fill({ ...transaction, from }, context)
      assert(call.from !== undefined, 'The sender is filled in.')
      return await submit(intake, wallet.signTransaction(call.from, unsignedOf(call)).encoded)
    }),
})

function unsignedOf(call: CallRequest): UnsignedTransaction {
  const { chainId, nonce, gas, to = null, value, data, accessList = [], authorizations } = call
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  assert(
    chainId !== undefined &&
      nonce !== undefined &&
      gas !== undefined &&
      value !== undefined &&
      data !== undefined,
    'The transaction is complete.',
  )
  const fields = { chainId, nonce, gasLimit: gas, to, value, data }
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) {
    assert(gasPrice !== undefined, 'A transaction without fees has a gas price.')
    return call.accessList === undefined
      ? { type: 0, ...fields, gasPrice }
      : { type: 1, ...fields, gasPrice, accessList }
  }
  const fees = { maxFeePerGas, maxPriorityFeePerGas, accessList }
  if (authorizations === undefined) return { type: 2, ...fields, ...fees }
  if (to === null)
    throw rpcFault('INVALID_TRANSACTION_PARAMS', {
      data: 'A transaction with authorizations has a recipient.',
    })
  return { type: 4, ...fields, to, ...fees, authorizationList: authorizations }
}
