/*
 * Hardhat's own project template, unmodified, against a development chain of the real program: its test with viem, whose
 * accounts the node holds, and its Ignition module, which waits for confirmations unless the chain mines at once.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { makeHardhatProject, withoutHardhat } from '../../support/hardhat-program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 180_000
const TEMPLATE = join('node_modules', 'hardhat', 'templates', '01-node-test-runner-viem')
const COMPILER = join(CHECKOUT, 'node_modules', 'solc', 'soljson.js')

const CONFIG = `
import ignition from '@nomicfoundation/hardhat-ignition'
import nodeTestRunner from '@nomicfoundation/hardhat-node-test-runner'
import viem from '@nomicfoundation/hardhat-viem'
import viemAssertions from '@nomicfoundation/hardhat-viem-assertions'

export default {
  plugins: [ignition, nodeTestRunner, viem, viemAssertions],
  solidity: { compilers: [{ version: '0.8.37', path: ${JSON.stringify(COMPILER)} }] },
  networks: { cairn: { type: 'http', url: process.env.NODE_URL } },
}
`

test("hardhat's template is tested and deployed by Ignition", { skip: withoutHardhat() }, async (t) => {
  const node = await startNode(['--network=dev'])
  t.after(() => node.stop())
  const { folder, program, env } = makeHardhatProject(CONFIG)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const template = join(folder, TEMPLATE)
  cpSync(join(template, 'contracts', 'Counter.sol'), join(folder, 'contracts', 'Counter.sol'))
  for (const part of ['test', 'ignition'])
    cpSync(join(template, part), join(folder, part), { recursive: true })
  const hardhat = async (...args: string[]): Promise<string> => {
    const own = { NODE_URL: `http://127.0.0.1:${node.http}`, HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'true' }
    const options = { cwd: folder, env: { ...env, ...own }, timeout: TIMEOUT_MS }
    const { stdout } = await run(process.execPath, [program, ...args, '--network', 'cairn'], options)
    return stdout
  }
  assert.match(await hardhat('test', 'nodejs'), /2 passing/)
  const deployed = await hardhat('ignition', 'deploy', 'ignition/modules/Counter.ts')
  const address = /CounterModule#Counter - (0x[0-9a-fA-F]{40})/.exec(deployed)?.[1]
  assert.ok(address, deployed)
  const client = openRpcClient(node.http)
  t.after(() => client.close())
  // The module calls incBy(5).
  const { result } = await client.call('eth_getStorageAt', address, '0x0', 'latest')
  assert.equal(Number(result), 5)
})
