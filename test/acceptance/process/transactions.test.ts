/** A validator with a pool mines transactions, and clients can read the results. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { makeNetwork, start } from '../../support/validator-network.ts'

const KEY = new Uint8Array(32).fill(7)
const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
const SOMEBODY = `0x${'22'.repeat(20)}` as Address

function transfer(nonce: number): Transaction {
  const call = {
    gasLimit: 21_000n,
    gasPrice: 2_000_000_000n,
    to: SOMEBODY,
    value: 1n,
    data: new Uint8Array(0),
  }
  return signTransaction({ type: 0, chainId: 1337n, nonce: BigInt(nonce), ...call }, KEY)
}

async function openNode(context: TestContext): Promise<RpcClient> {
  const alloc = { [RICH]: { balance: '0xde0b6b3a7640000' } }
  const node = await start(context, makeNetwork(context, 'qbft', alloc))
  const client = openRpcClient(node.http)
  context.after(() => client.close())
  return client
}

async function receiptOf(client: RpcClient, hash: string): Promise<{ readonly status: string }> {
  for (;;) {
    const { result } = await client.call('eth_getTransactionReceipt', hash)
    if (result !== null) return result as { readonly status: string }
  }
}

test('a transaction that is sent is mined, and its receipt can be read', async (context) => {
  const client = await openNode(context)
  const first = transfer(0)
  const { result, error } = await client.call('eth_sendRawTransaction', formatData(first.encoded))
  assert.equal(result, first.hash, JSON.stringify(error))
  assert.equal((await receiptOf(client, first.hash)).status, '0x1')
  assert.equal((await client.call('eth_getBalance', SOMEBODY)).result, '0x1')
})

test('transactions that come in any order of nonces are all mined', async (context) => {
  const client = await openNode(context)
  const transactions = Array.from({ length: 50 }, (_, nonce) => transfer(nonce))
  for (const { encoded, hash } of transactions.toReversed()) {
    assert.equal((await client.call('eth_sendRawTransaction', formatData(encoded))).result, hash)
  }
  for (const { hash } of transactions) assert.equal((await receiptOf(client, hash)).status, '0x1')
  assert.equal((await client.call('eth_getTransactionCount', RICH)).result, '0x32')
})
