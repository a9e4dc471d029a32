/** Completes and sends transactions of the node's accounts and of impersonated ones. */
import { record, string, unknown } from 'zod'
import { submit } from '#api/calls/submit-transaction.ts'
import type { Resources } from '#api/resources.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param, type RunContext } from '#jsonrpc/method.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import { markSender } from '#types/transaction/unsigned-sender.ts'

const TransactionWire = record(string(), unknown()).meta({
  description:
    'the members of a call; missing nonce, gas and prices are filled in, and from is the first account',
})

export const SentTransaction = new Param(TransactionWire, 'INVALID_TRANSACTION_PARAMS')

export type SendResources = Pick<Resources, 'wallet' | 'fill' | 'intake' | 'dev' | 'chain'>

/** One at a time on this thread, before main gives the turn to one thread. */
const sending = new SerialQueue()

/** `mayImpersonate` decides about accounts without a key. */
export function sendTransaction(
  { wallet, fill, intake, dev, chain }: SendResources,
  transaction: Readonly<Record<string, unknown>>,
  context: RunContext,
  mayImpersonate: (from: Address) => boolean | Promise<boolean>,
): Promise<Hash> {
  return sending.run(async () => {
    const { turn, next } = await dev.takeTurn()
    try {
      const from = transaction.from ?? wallet.accounts()[0]
      const call = await fill({ ...dearEnough(transaction, next.baseFeeWei), from }, next, context)
      assert(call.from !== undefined, 'The sender is filled in.')
      const unsigned = unsignedOf(call)
      if (wallet.has(call.from) || !(await mayImpersonate(call.from))) {
        return await submit(intake, wallet.signTransaction(call.from, unsigned).encoded, call.from)
      }
      return await submit(intake, markSender(unsigned, call.from, chain.keccak).encoded, call.from)
    } finally {
      // Without an answer, main ends the turn itself.
      dev.endTurn(turn).catch(() => undefined)
    }
  })
}

/** The prices are filled in for the base fee that follows from the head, and a request may have set another one. */
function dearEnough(
  transaction: Readonly<Record<string, unknown>>,
  baseFeeWei: bigint | undefined,
): Readonly<Record<string, unknown>> {
  if (baseFeeWei === undefined || (transaction.gasPrice ?? transaction.maxFeePerGas) != null)
    return transaction
  return { ...transaction, maxFeePerGas: formatQuantity(2n * baseFeeWei) }
}

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
