import { defineMethod } from '#api/define-method.ts'
import { openCall } from '#api/present/trace-call.ts'
import { type TracedTransaction, traceResult } from '#api/present/trace-result.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { TraceResult, TraceTypes } from '#api/schema/trace.ts'
import { dataParam } from '#api/schema/values.ts'
import { openCallSite } from '#chain/read/call-site.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { CALL_POLICIES, type CallRequest } from '#evm/simulate/call-request.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Address } from '#types/address.ts'
import { unlessFault } from '#types/fault.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

/** The maximum size of a transaction with blobs. */
const MAX_BYTES = 1024 * 1024

export default defineMethod({
  name: 'trace_rawTransaction',
  summary: 'Simulates a signed transaction on the state of the head and returns its traces.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: {
    transaction: dataParam({ maxBytes: MAX_BYTES }).failingWith('INVALID_TRANSACTION_PARAMS'),
    types: TraceTypes,
  },
  count: 'exact',
  result: TraceResult,
  async *run(resources, { transaction: encoded, types }, { cancel }) {
    const { transaction, sender } = await decode(encoded)
    const site = await openCallSite(resources.chain, resources.chain.head())
    const call = callOf(transaction, sender)
    const opened = openCall(resources, { site, call, policy: CALL_POLICIES.strict, cancel })
    using _session = opened.session
    yield* inChunks(tell({ ...opened, transaction: { transaction, sender }, types }, sender))
    site.pinned.confirm()
  },
})

async function* tell(traced: TracedTransaction, from: Address): AsyncGenerator<string, void, undefined> {
  const refusal = yield* traceResult(traced, { from })
  if (refusal !== undefined) throw rpcFault('INVALID_TRANSACTION_PARAMS', { reason: refusal.sentence })
}

async function decode(encoded: Uint8Array): Promise<{ transaction: Transaction; sender: Address }> {
  const { keccak, recover } = await loadCrypto()
  const signed = unlessFault(() => {
    const transaction = decodeTransaction(encoded, keccak)
    return { transaction, sender: recoverSender(transaction, recover, keccak) }
  })
  if (signed === undefined) throw rpcFault('INVALID_TRANSACTION_PARAMS')
  return signed
}

/** The transaction as a call, which is refused for the same reasons. */
function callOf(transaction: Transaction, from: Address): CallRequest {
  const { to, gasLimit, chainId, ...rest } = transaction
  return { ...rest, from, to: to ?? undefined, gas: gasLimit, chainId: chainId ?? undefined }
}
