/** A node with a saved pool restores it after a stop, after a kill, and from a damaged file. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'

const KEY = new Uint8Array(32).fill(7)
const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))

interface Restarted {
  readonly node: RunningNode
  readonly client: RpcClient
}

/** Starts a node in a network that produces no blocks, so transactions stay pending. */
async function startKeeping(context: TestContext, data: string): Promise<Restarted> {
  const genesis = join(data, 'genesis.json')
  const config = { chainId: 1337, berlinBlock: 0, londonBlock: 0, qbft: { blockperiodseconds: 1 } }
  const extraData =
    '0xf83aa00000000000000000000000000000000000000000000000000000000000000000d594ffffffffffffffffffffffffffffffffffffffffc080c0'
  const alloc = { [RICH]: { balance: '0xde0b6b3a7640000' } }
  writeFileSync(
    genesis,
    JSON.stringify({ config, gasLimit: '0x1c9c380', difficulty: '0x1', extraData, alloc }),
  )
  const args = ['--rpc-http-enabled', '--rpc-http-api=ETH,TXPOOL', '--tx-pool-enable-save-restore']
  const node = await startNode([`--genesis-file=${genesis}`, ...args], data)
  context.after(() => node.kill())
  const client = openRpcClient(node.http)
  context.after(() => client.close())
  return { node, client }
}

async function send(client: RpcClient, nonce: number): Promise<string> {
  const call = { gasLimit: 21_000n, gasPrice: 2_000_000_000n, to: RICH, value: 1n, data: new Uint8Array(0) }
  const { encoded, hash } = signTransaction({ type: 0, chainId: 1337n, nonce: BigInt(nonce), ...call }, KEY)
  const { result, error } = await client.call('eth_sendRawTransaction', formatData(encoded))
  assert.equal(result, hash, JSON.stringify(error))
  return hash
}

async function poolOf(client: RpcClient): Promise<readonly string[]> {
  const { result } = await client.call('txpool_clientTransactions')
  const listed = result as readonly { readonly hash: string; readonly isReceivedFromLocalSource: boolean }[]
  assert.ok(listed.every(({ isReceivedFromLocalSource }) => isReceivedFromLocalSource))
  return listed.map(({ hash }) => hash).toSorted()
}

test('the pool is there again after a stop, a kill, and damage to its file', async (context) => {
  const data = temporaryDirectory(context)
  const first = await startKeeping(context, data)
  const hashes: string[] = []
  for (let nonce = 0; nonce < 20; nonce++) hashes.push(await send(first.client, nonce))
  await first.node.kill()

  const second = await startKeeping(context, data)
  assert.deepEqual(await poolOf(second.client), hashes.toSorted(), 'after a kill')
  assert.equal((await second.client.call('eth_getTransactionCount', RICH, 'pending')).result, '0x14')
  hashes.push(await send(second.client, 20))
  assert.equal(await second.node.stop(), 0)

  const file = join(data, 'txpool.dump')
  const content = readFileSync(file)
  content.fill(0, content.length - 100)
  writeFileSync(file, content)
  const third = await startKeeping(context, data)
  assert.deepEqual(await poolOf(third.client), hashes.slice(0, -1).toSorted(), 'after a stop, and damage')
  assert.match(third.node.output(), /"lines":1.*Dropped damaged lines/)
})
