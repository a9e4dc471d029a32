/*
 * Every helper of hardhat-network-helpers, unmodified, in a Hardhat project whose network is a development chain of the
 * real program. The library itself lists the helpers, so a new one fails here until it has a case.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { makeHardhatProject, withoutHardhat } from '../../support/hardhat-program.ts'
import { startNode } from '../../support/running-node.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 120_000

const CONFIG = `
import networkHelpers from '@nomicfoundation/hardhat-network-helpers'

export default {
  plugins: [networkHelpers],
  networks: { cairn: { type: 'http', url: process.env.NODE_URL } },
}
`

const SCRIPT = `
import assert from 'node:assert/strict'
import hre from 'hardhat'

const { networkHelpers: helpers, provider } = await hre.network.connect('cairn')
const ask = (method, ...params) => provider.request({ method, params })
const block = () => ask('eth_getBlockByNumber', 'latest', false)
const number = async () => Number(await ask('eth_blockNumber'))
const [account, other] = await ask('eth_accounts')
const stranger = '0x' + '77'.repeat(20)
const send = (from = account) => ask('eth_sendTransaction', { from, to: other, value: '0x1', gas: '0x5208' })
const balance = async (address) => BigInt(await ask('eth_getBalance', address, 'latest'))

const cases = {
  clearSnapshots: async () => helpers.clearSnapshots(),
  dropTransaction: async () => {
    await ask('evm_setAutomine', false)
    assert.equal(await helpers.dropTransaction(await send()), true)
    await ask('evm_setAutomine', true)
  },
  getStorageAt: async () => {
    await helpers.setStorageAt(stranger, 1, 5)
    assert.equal(Number(await helpers.getStorageAt(stranger, 1)), 5)
  },
  impersonateAccount: async () => {
    await helpers.setBalance(stranger, 10n ** 18n)
    await helpers.impersonateAccount(stranger)
    const { from } = await ask('eth_getTransactionReceipt', await send(stranger))
    assert.equal(from, stranger)
  },
  loadFixture: async () => {
    const fixture = async () => (await helpers.setBalance(stranger, 42), await number())
    const first = await helpers.loadFixture(fixture)
    for (let round = 0; round < 3; round++) {
      await send()
      await helpers.setBalance(stranger, 43)
      assert.equal(await helpers.loadFixture(fixture), first)
      assert.deepEqual([await number(), await balance(stranger)], [first, 42n])
    }
  },
  mine: async () => {
    const before = await number()
    await helpers.mine(3, { interval: 10 })
    assert.equal(await number(), before + 3)
  },
  mineUpTo: async () => {
    const target = (await number()) + 5
    await helpers.mineUpTo(target)
    assert.equal(await number(), target)
  },
  setBalance: async () => {
    await helpers.setBalance(stranger, 7)
    assert.equal(await balance(stranger), 7n)
  },
  setBlockGasLimit: async () => {
    await helpers.setBlockGasLimit(30_000_000)
    await helpers.mine()
    assert.equal(Number((await block()).gasLimit), 30_000_000)
  },
  setCode: async () => {
    await helpers.setCode(stranger, '0x6001')
    assert.equal(await ask('eth_getCode', stranger, 'latest'), '0x6001')
  },
  setCoinbase: async () => {
    await helpers.setCoinbase(stranger)
    await helpers.mine()
    assert.equal((await block()).miner, stranger)
  },
  setNextBlockBaseFeePerGas: async () => {
    await helpers.setNextBlockBaseFeePerGas(5)
    await helpers.mine()
    assert.equal(Number((await block()).baseFeePerGas), 5)
  },
  setNonce: async () => {
    await helpers.setNonce(stranger, 77)
    assert.equal(Number(await ask('eth_getTransactionCount', stranger, 'latest')), 77)
  },
  setPrevRandao: async () => {
    await helpers.setPrevRandao(1234)
    await helpers.mine()
    assert.equal(Number((await block()).mixHash), 1234)
  },
  setStorageAt: async () => {
    await helpers.setStorageAt(stranger, 2, 6)
    assert.equal(Number(await ask('eth_getStorageAt', stranger, '0x2', 'latest')), 6)
  },
  stopImpersonatingAccount: async () => {
    await helpers.stopImpersonatingAccount(stranger)
    await assert.rejects(send(stranger), /Account not found/)
  },
  takeSnapshot: async () => {
    const snapshot = await helpers.takeSnapshot()
    const before = await number()
    for (let round = 0; round < 2; round++) {
      await helpers.mine()
      await snapshot.restore()
      assert.equal(await number(), before)
    }
  },
  throwIfNotDevelopmentNetwork: () => helpers.throwIfNotDevelopmentNetwork(),
  'time.increase': async () => {
    const before = await helpers.time.latest()
    assert.equal(await helpers.time.increase(100), before + 100)
  },
  'time.increaseTo': async () => {
    const target = (await helpers.time.latest()) + 500
    await helpers.time.increaseTo(target)
    assert.equal(await helpers.time.latest(), target)
  },
  'time.latest': async () => assert.equal(await helpers.time.latest(), Number((await block()).timestamp)),
  'time.latestBlock': async () => assert.equal(await helpers.time.latestBlock(), await number()),
  'time.setNextBlockTimestamp': async () => {
    const target = (await helpers.time.latest()) + 50
    await helpers.time.setNextBlockTimestamp(target)
    await helpers.mine()
    assert.equal(await helpers.time.latest(), target)
  },
}

const methodsOf = (object) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter(
    (name) => name !== 'constructor' && typeof object[name] === 'function',
  )
const listed = [...methodsOf(helpers), ...methodsOf(helpers.time).map((name) => 'time.' + name)]
assert.deepEqual(listed.filter((name) => !(name in cases)), [], 'every helper has a case')
for (const name of listed) await cases[name]()
console.log(listed.length + ' helpers')
`

test('every helper of hardhat-network-helpers works', { skip: withoutHardhat() }, async (t) => {
  const node = await startNode(['--network=dev', '--dev-identify-as=anvil'])
  t.after(() => node.stop())
  const { folder, program, env } = makeHardhatProject(CONFIG)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'helpers.js'), SCRIPT)
  const own = { NODE_URL: `http://127.0.0.1:${node.http}` }
  const options = { cwd: folder, env: { ...env, ...own }, timeout: TIMEOUT_MS }
  const { stdout } = await run(process.execPath, [program, 'run', 'helpers.js', '--no-compile'], options)
  assert.match(stdout, /2\d helpers/)
})
