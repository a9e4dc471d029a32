/* viem's test client on a development chain, and snapshots that outlive the program. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClient, http, publicActions, walletActions } from 'viem'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { openRpcClient, type RpcAnswer } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

type Address = `0x${string}`
const [account, to] = DEV_ACCOUNTS.map(({ address }) => address as Address)

const clientOf = (port: number, mode: 'anvil' | 'hardhat') =>
  createTestClient({ mode, cacheTime: 0, transport: http(`http://127.0.0.1:${port}`) })
    .extend(publicActions)
    .extend(walletActions)

for (const mode of ['anvil', 'hardhat'] as const) {
  test(`viem's test client in the mode ${mode} rewinds, mines and sets the time`, async (context) => {
    const node = await startNode(['--network=dev'])
    context.after(() => node.stop())
    const client = clientOf(node.http, mode)
    const send = () => client.sendTransaction({ account: account!, to: to!, value: 1n, chain: null })
    const before = await client.getBalance({ address: to! })
    for (let round = 0; round < 20; round++) {
      const id = await client.snapshot()
      const hash = await send()
      assert.equal((await client.getTransactionReceipt({ hash })).status, 'success')
      assert.equal(await client.getBalance({ address: to! }), before + 1n)
      await client.revert({ id })
      assert.equal(await client.getBalance({ address: to! }), before)
      assert.equal(await client.getBlockNumber(), 0n)
    }
    await client.mine({ blocks: 5, interval: 10 })
    assert.equal(await client.getBlockNumber(), 5n)
    const { timestamp } = await client.getBlock()
    await client.setNextBlockTimestamp({ timestamp: timestamp + 1_000n })
    await send()
    assert.equal((await client.getBlock()).timestamp, timestamp + 1_000n)
    await client.increaseTime({ seconds: 86_400 })
    await client.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp >= timestamp + 87_400n)
    // A dropped transaction would be included again.
    assert.equal(await client.getTransactionCount({ address: account! }), 1)
  })
}

test('a snapshot survives a stop and a kill, with the edits before it', async (context) => {
  const data = temporaryDirectory(context)
  let node = await startNode(['--network=dev'], data)
  context.after(() => node.kill())
  let client = clientOf(node.http, 'anvil')
  const send = () => client.sendTransaction({ account: account!, to: to!, value: 1n, chain: null })
  const revert = (id: string) => client.request({ method: 'evm_revert', params: [id] } as never)
  const first = await client.snapshot()
  await send()
  await client.setBalance({ address: to!, value: 7n })
  for (const end of ['stop', 'kill'] as const) {
    const second = await client.snapshot()
    await client.setBalance({ address: to!, value: 8n })
    await send()
    await client.setBalance({ address: to!, value: 9n })
    if (end === 'kill') await node.kill()
    else assert.equal(await node.stop(), 0, node.output())
    node = await startNode(['--network=dev'], data)
    client = clientOf(node.http, 'anvil')
    assert.deepEqual([await client.getBlockNumber(), await client.getBalance({ address: to! })], [2n, 9n])
    assert.equal(await revert(second), true)
    assert.deepEqual([await client.getBlockNumber(), await client.getBalance({ address: to! })], [1n, 7n])
    assert.equal(await revert(second), false)
  }
  assert.equal(await revert(first), true)
  assert.equal(await client.getBlockNumber(), 0n)
})

test('a transaction after an edit is traced with the edited state', async (context) => {
  const node = await startNode(['--network=dev', '--rpc-http-api=ETH,DEBUG,TRACE'])
  context.after(() => node.stop())
  const client = clientOf(node.http, 'hardhat')
  const contract = `0x${'cc'.repeat(20)}` as const
  // Returns slot 0 and then increments it.
  const code = '0x60005480600052600101600055602060' + '00f3'
  await client.setCode({ address: contract, bytecode: code as Address })
  await client.setStorageAt({ address: contract, index: 0, value: `0x${'29'.padStart(64, '0')}` })
  const hash = await client.sendTransaction({ account: account!, to: contract, chain: null })
  await client.setStorageAt({ address: contract, index: 0, value: `0x${'77'.padStart(64, '0')}` })
  await client.mine({ blocks: 2 })
  const traced = (await client.request({ method: 'debug_traceTransaction', params: [hash] } as never)) as {
    readonly returnValue: string
  }
  assert.equal(BigInt(`0x${traced.returnValue.replace(/^0x/, '')}`), 0x29n)
  const [replayed] = (await client.request({
    method: 'trace_replayBlockTransactions',
    params: ['0x1', ['stateDiff']],
  } as never)) as { readonly stateDiff: Record<string, { readonly storage: unknown }> }[]
  assert.deepEqual(Object.values(replayed!.stateDiff[contract]!.storage as object), [
    { '*': { from: `0x${'29'.padStart(64, '0')}`, to: `0x${'2a'.padStart(64, '0')}` } },
  ])
})

test('clients that read and send while another one reverts get answers, and no transaction stays behind', async (context) => {
  const node = await startNode(['--network=dev', '--rpc-http-api=ETH,TXPOOL,DEBUG'])
  context.after(() => node.stop())
  const open = () => {
    const client = openRpcClient(node.http)
    context.after(() => client.close())
    return client
  }
  let isReverting = true
  const requireResult = (method: string, { result, error }: RpcAnswer): unknown => {
    assert.ok(error === undefined && result !== null, `${method}: ${JSON.stringify({ result, error })}`)
    return result
  }
  const repeat = async (method: string, ...params: unknown[]): Promise<number> => {
    const client = open()
    let count = 0
    for (; isReverting; count++) requireResult(method, await client.call(method, ...params))
    return count
  }
  const reverting = async (): Promise<void> => {
    const client = open()
    const call = async (method: string, ...params: unknown[]) =>
      requireResult(method, await client.call(method, ...params))
    for (let round = 0; round < 40; round++) {
      const id = await call('evm_snapshot')
      await call('eth_sendTransaction', { from: account, to, value: '0x1' })
      await call('hardhat_mine', '0x2')
      assert.equal(await call('evm_revert', id), true)
    }
    isReverting = false
  }
  const transfer = { from: to, to: account, value: '0x1' }
  const [, ...counts] = await Promise.all([
    reverting(),
    repeat('eth_call', transfer, 'latest'),
    repeat('eth_estimateGas', transfer),
    repeat('debug_traceCall', transfer, 'latest', { tracer: 'callTracer' }),
    repeat('eth_getBalance', account, 'latest'),
    repeat('eth_getBlockByNumber', 'latest', true),
    repeat('eth_sendTransaction', transfer),
  ])
  assert.ok(
    counts.every((count) => count > 0),
    String(counts),
  )
  assert.deepEqual((await open().call('txpool_status')).result, { pending: '0x0', queued: '0x0' })
})
