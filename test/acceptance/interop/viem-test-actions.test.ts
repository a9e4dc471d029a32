/*
 * Every test action of viem, unmodified, in all its modes. The library itself lists the actions, so a new one fails here
 * until it has a case.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClient, http, publicActions, testActions, walletActions } from 'viem'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { startNode } from '../../support/running-node.ts'

type Mode = 'anvil' | 'hardhat' | 'ganache'
const MODES: readonly Mode[] = ['anvil', 'hardhat', 'ganache']
const [account, other] = DEV_ACCOUNTS.map(({ address }) => address as `0x${string}`) as [
  `0x${string}`,
  `0x${string}`,
]
const STRANGER = `0x${'77'.repeat(20)}` as const
const GWEI = 10n ** 9n
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const

const clientOf = (port: number, mode: Mode) =>
  createTestClient({ mode, cacheTime: 0, transport: http(`http://127.0.0.1:${port}`) })
    .extend(publicActions)
    .extend(walletActions)

type Client = ReturnType<typeof clientOf>
type Action = Exclude<keyof ReturnType<ReturnType<typeof testActions<Mode>>>, 'mode'>

const send = (client: Client, fields: { account?: `0x${string}`; maxFeePerGas?: bigint } = {}) =>
  client.sendTransaction({ account, to: other, value: 1n, chain: null, ...fields })
const pending = async (client: Client) => Number((await client.getTxpoolStatus()).pending)

/** Two transactions wait. */
async function fillPool(client: Client): Promise<readonly `0x${string}`[]> {
  await client.setAutomine(false)
  return [await send(client), await send(client)]
}

async function emptyPool(client: Client): Promise<void> {
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
  assert.equal(await pending(client), 0)
}

/** One case for each action; each leaves a chain that mines at once and has nothing in its pool. */
const CASES: Record<Action, (client: Client) => Promise<unknown>> = {
  dropTransaction: async (client) => {
    const [, second] = await fillPool(client)
    await client.dropTransaction({ hash: second! })
    assert.equal(await pending(client), 1)
    await emptyPool(client)
  },
  dumpState: async (client) => assert.match(await client.dumpState(), /^0x1f8b/),
  getAutomine: async (client) => assert.equal(await client.getAutomine(), true),
  getTxpoolContent: async (client) => {
    await fillPool(client)
    const content = Object.values((await client.getTxpoolContent()).pending)
    assert.equal(Object.keys(content[0]!).length, 2)
    await emptyPool(client)
  },
  getTxpoolStatus: async (client) => assert.equal(await pending(client), 0),
  impersonateAccount: async (client) => {
    await client.setBalance({ address: STRANGER, value: GWEI })
    await client.setCode({ address: STRANGER, bytecode: '0x00' })
    await client.impersonateAccount({ address: STRANGER })
    const receipt = await client.getTransactionReceipt({ hash: await send(client, { account: STRANGER }) })
    assert.deepEqual([receipt.status, receipt.from], ['success', STRANGER])
  },
  increaseTime: async (client) => {
    const { timestamp } = await client.getBlock()
    await client.increaseTime({ seconds: 1_000 })
    await client.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp >= timestamp + 999n)
  },
  inspectTxpool: async (client) => {
    await fillPool(client)
    assert.equal(Object.keys((await client.inspectTxpool()).pending).length, 1)
    await emptyPool(client)
  },
  loadState: async (client) => {
    const state = await client.dumpState()
    const before = await client.getBalance({ address: other })
    await client.setBalance({ address: other, value: 1n })
    await client.loadState({ state })
    assert.equal(await client.getBalance({ address: other }), before)
  },
  mine: async (client) => {
    const before = await client.getBlockNumber()
    await client.mine({ blocks: 3 })
    assert.equal(await client.getBlockNumber(), before + 3n)
  },
  removeBlockTimestampInterval: async (client) => {
    await client.setBlockTimestampInterval({ interval: 5_000 })
    await client.removeBlockTimestampInterval()
    const { timestamp } = await client.getBlock()
    await client.mine({ blocks: 1 })
    assert.ok((await client.getBlock()).timestamp < timestamp + 1_000n)
  },
  reset: async (client) => {
    await client.mine({ blocks: 1 })
    await client.reset()
    assert.equal(await client.getBlockNumber(), 0n)
    await assert.rejects(client.reset({ jsonRpcUrl: 'https://example.org', blockNumber: 1n }), /Forking/)
  },
  revert: async (client) => {
    const id = await client.snapshot()
    const before = await client.getBlockNumber()
    await client.mine({ blocks: 2 })
    await client.revert({ id })
    assert.equal(await client.getBlockNumber(), before)
  },
  sendUnsignedTransaction: async (client) => {
    const hash = await client.sendUnsignedTransaction({ from: `0x${'78'.repeat(20)}`, to: other })
    assert.equal((await client.getTransactionReceipt({ hash })).status, 'success')
  },
  setAutomine: async (client) => {
    await client.setAutomine(false)
    assert.equal(await client.getAutomine(), false)
    await client.setAutomine(true)
    assert.equal(await client.getAutomine(), true)
  },
  setBalance: async (client) => {
    await client.setBalance({ address: STRANGER, value: 5n })
    assert.equal(await client.getBalance({ address: STRANGER }), 5n)
  },
  setBlockGasLimit: async (client) => {
    await client.setBlockGasLimit({ gasLimit: 30_000_000n })
    await client.mine({ blocks: 2 })
    assert.equal((await client.getBlock()).gasLimit, 30_000_000n)
  },
  setBlockTimestampInterval: async (client) => {
    await client.mine({ blocks: 1 })
    const { timestamp } = await client.getBlock()
    await client.setBlockTimestampInterval({ interval: 500 })
    await send(client)
    await send(client)
    assert.equal((await client.getBlock()).timestamp, timestamp + 1_000n)
    await client.removeBlockTimestampInterval()
  },
  setCode: async (client) => {
    await client.setCode({ address: STRANGER, bytecode: '0x6001' })
    assert.equal(await client.getCode({ address: STRANGER }), '0x6001')
  },
  setCoinbase: async (client) => {
    await client.setCoinbase({ address: STRANGER })
    await client.mine({ blocks: 1 })
    assert.equal((await client.getBlock()).miner, STRANGER)
  },
  setIntervalMining: async (client) => {
    await client.setIntervalMining({ interval: 1 })
    const before = await client.getBlockNumber()
    while ((await client.getBlockNumber()) < before + 2n) await new Promise((done) => setTimeout(done, 50))
    await client.setIntervalMining({ interval: 0 })
    assert.equal(await client.getAutomine(), true)
  },
  setLoggingEnabled: async (client) => {
    await client.setLoggingEnabled(false)
    await client.setLoggingEnabled(true)
  },
  setMinGasPrice: async (client) => {
    await client.setMinGasPrice({ gasPrice: GWEI })
    assert.equal(await client.getGasPrice(), GWEI)
    await client.setMinGasPrice({ gasPrice: 0n })
  },
  setNextBlockBaseFeePerGas: async (client) => {
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: GWEI })
    const hash = await send(client, { maxFeePerGas: 2n * GWEI })
    assert.equal((await client.getTransactionReceipt({ hash })).effectiveGasPrice, GWEI)
    assert.equal((await client.getBlock()).baseFeePerGas, GWEI)
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 0n })
    await client.mine({ blocks: 1 })
  },
  setNextBlockTimestamp: async (client) => {
    const timestamp = (await client.getBlock()).timestamp + 10_000n
    await client.setNextBlockTimestamp({ timestamp })
    await send(client)
    assert.equal((await client.getBlock()).timestamp, timestamp)
  },
  setNonce: async (client) => {
    await client.setNonce({ address: STRANGER, nonce: 9 })
    assert.equal(await client.getTransactionCount({ address: STRANGER }), 9)
  },
  /** The exception: no state of another network is read. */
  setRpcUrl: (client) => assert.rejects(client.setRpcUrl('https://example.org'), /Forking is not supported/),
  setStorageAt: async (client) => {
    await client.setStorageAt({ address: STRANGER, index: 2, value: word(7) })
    assert.equal(await client.getStorageAt({ address: STRANGER, slot: word(2) }), word(7))
  },
  snapshot: async (client) => assert.match(await client.snapshot(), /^0x[1-9a-f]/),
  stopImpersonatingAccount: async (client) => {
    await client.impersonateAccount({ address: STRANGER })
    await client.stopImpersonatingAccount({ address: STRANGER })
    await assert.rejects(send(client, { account: STRANGER }), /Account not found/)
  },
}

for (const mode of MODES) {
  test(`every test action of viem works in the mode ${mode}`, async (context) => {
    const identity = mode === 'hardhat' ? ['--dev-identify-as=hardhat'] : []
    const node = await startNode(['--network=dev', ...identity])
    context.after(() => node.stop())
    const client = clientOf(node.http, mode)
    const actions = Object.keys(testActions({ mode })(client)).filter((name) => name !== 'mode')
    assert.deepEqual(
      actions.filter((name) => !(name in CASES)),
      [],
    )
    for (const name of actions as Action[]) {
      await context.test(name, async () => {
        await CASES[name](client)
      })
    }
  })
}
