import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DevRpcSchema, RpcQuantity, RpcReceipt, RpcSchema } from 'cairn-node/rpc'
import { BrowserProvider } from 'ethers'
import { createClient, custom, rpcSchema } from 'viem'
import { createNode } from '#node/create-node.ts'

/** Compiles only if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_ extends true>(): void {}

test("viem's clients and the provider know parameters and results of the node's methods", async () => {
  await using node = await createNode({ network: 'dev' })
  const transport = custom(node.provider)
  const client = createClient({ transport, rpcSchema: rpcSchema<DevRpcSchema>() })
  const [from] = await client.request({ method: 'eth_accounts' })
  const hash = await client.request({ method: 'eth_sendTransaction', params: [{ from, to: from }] })
  const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  assertType<Same<typeof receipt, RpcReceipt | null>>()
  assert.equal(receipt?.transactionHash, hash)
  const snapshot = await client.request({ method: 'evm_snapshot' })
  assertType<Same<typeof snapshot, RpcQuantity>>()
  const explained = await node.provider.request({ method: 'txpool_explain', params: [hash] })
  assert.equal(explained?.state, 'mined')
  assert.equal(await node.provider.request({ method: 'net_version' }), '1337')

  const production = createClient({ transport, rpcSchema: rpcSchema<RpcSchema>() })
  const wrong = [
    // @ts-expect-error: only the development network has it.
    () => production.request({ method: 'evm_snapshot' }),
    // @ts-expect-error: a method without parameters.
    () => client.request({ method: 'eth_chainId', params: ['0x1'] }),
    // @ts-expect-error: the hash is missing.
    () => client.request({ method: 'eth_getTransactionReceipt', params: [] }),
    // @ts-expect-error: not a method.
    () => client.request({ method: 'eth_blockNumbers' }),
  ]
  assert.equal(wrong.length, 4)
  assert.equal((await new BrowserProvider(node.provider).getNetwork()).chainId, 1337n)
})
