/* viem's test client on a development chain, and snapshots that outlive the program. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClient, http, publicActions, walletActions } from 'viem'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { temporaryDirectory } from '../../support/program.ts'
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

test('a snapshot survives a stop and a kill, and ends with its block', async (context) => {
  const data = temporaryDirectory(context)
  let node = await startNode(['--network=dev'], data)
  context.after(() => node.kill())
  let client = clientOf(node.http, 'anvil')
  const send = () => client.sendTransaction({ account: account!, to: to!, value: 1n, chain: null })
  await send()
  const first = await client.snapshot()
  await send()
  const second = await client.snapshot()
  for (const end of ['stop', 'kill'] as const) {
    await send()
    if (end === 'kill') await node.kill()
    else assert.equal(await node.stop(), 0, node.output())
    node = await startNode(['--network=dev'], data)
    client = clientOf(node.http, 'anvil')
    assert.equal(await client.getBlockNumber(), 3n)
    assert.equal(await client.request({ method: 'evm_revert', params: [second] } as never), true)
    assert.equal(await client.getBlockNumber(), 2n)
  }
  assert.equal(await client.request({ method: 'evm_revert', params: [first] } as never), true)
  assert.equal(await client.request({ method: 'evm_revert', params: [second] } as never), false)
  assert.equal(await client.getBlockNumber(), 1n)
})
