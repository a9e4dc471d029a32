/*
 * Hardhat's own project templates, unmodified, against a development chain of the real program: their tests with viem and with
 * ethers, whose accounts the node holds, and their Ignition module, which waits for confirmations unless the chain mines at once.
 * CAIRN_TEMPLATE_RUNS repeats them on one chain.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { makeHardhatProject, withoutHardhat } from '../../support/hardhat-program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 180_000
const RUNS = Number(process.env.CAIRN_TEMPLATE_RUNS ?? '1')
const COMPILER = join(CHECKOUT, 'node_modules', 'solc', 'soljson.js')

interface Template {
  readonly folder: string
  /** Packages of @nomicfoundation. */
  readonly plugins: readonly string[]
  /** The subtask of `hardhat test`. */
  readonly runner: string
}

const TEMPLATES: Readonly<Record<string, Template>> = {
  viem: {
    folder: '01-node-test-runner-viem',
    plugins: ['hardhat-ignition', 'hardhat-node-test-runner', 'hardhat-viem', 'hardhat-viem-assertions'],
    runner: 'nodejs',
  },
  ethers: {
    folder: '02-mocha-ethers',
    plugins: ['hardhat-ignition', 'hardhat-mocha', 'hardhat-ethers', 'hardhat-ethers-chai-matchers'],
    runner: 'mocha',
  },
}

function configOf(plugins: readonly string[]): string {
  const imports = plugins.map((name, index) => `import plugin${index} from '@nomicfoundation/${name}'\n`)
  return `${imports.join('')}
export default {
  plugins: [${plugins.map((_, index) => `plugin${index}`).join(', ')}],
  solidity: { compilers: [{ version: '0.8.37', path: ${JSON.stringify(COMPILER)} }] },
  networks: { cairn: { type: 'http', url: process.env.NODE_URL } },
}
`
}

suite("Hardhat's templates", { skip: withoutHardhat() }, () => {
  for (const [name, { folder: source, plugins, runner }] of Object.entries(TEMPLATES)) {
    test(`the template with ${name} is tested and deployed by Ignition`, async (t) => {
      const node = await startNode(['--network=dev'])
      t.after(() => node.stop())
      const { folder, program, env } = makeHardhatProject(configOf(plugins))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      const template = join(folder, 'node_modules', 'hardhat', 'templates', source)
      cpSync(join(template, 'contracts', 'Counter.sol'), join(folder, 'contracts', 'Counter.sol'))
      for (const part of ['test', 'ignition'])
        cpSync(join(template, part), join(folder, part), { recursive: true })
      const hardhat = async (...args: string[]): Promise<string> => {
        const own = { NODE_URL: `http://127.0.0.1:${node.http}`, HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'true' }
        const options = { cwd: folder, env: { ...env, ...own }, timeout: TIMEOUT_MS }
        const { stdout } = await run(process.execPath, [program, ...args, '--network', 'cairn'], options)
        return stdout
      }
      const client = openRpcClient(node.http)
      t.after(() => client.close())
      for (let made = 0; made < RUNS; made++) {
        assert.match(await hardhat('test', runner), /2 passing/)
        // Ignition would continue the deployment of the last run.
        rmSync(join(folder, 'ignition', 'deployments'), { recursive: true, force: true })
        const deployed = await hardhat('ignition', 'deploy', 'ignition/modules/Counter.ts')
        const address = /CounterModule#Counter - (0x[0-9a-fA-F]{40})/.exec(deployed)?.[1]
        assert.ok(address, deployed)
        // The module calls incBy(5).
        const { result } = await client.call('eth_getStorageAt', address, '0x0', 'latest')
        assert.equal(Number(result), 5)
      }
      t.diagnostic(`${RUNS} runs`)
    })
  }
})
