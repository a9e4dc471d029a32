/**
 * Command line programs in their published versions against a development chain of the real program. Each plays the
 * scenario of token-story.ts, with and without an access token. Hardhat and web3.py are installed once per machine,
 * outside the checkout.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { installPrograms } from '../../../scripts/python-programs.ts'
import type { SolidityContract } from '../../support/compile-solidity.ts'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { makeHardhatProject, withoutHardhat } from '../../support/hardhat-program.ts'
import type { RunningNode } from '../../support/running-node.ts'
import { bearer, httpUrl, startNodePair, websocketUrl } from './guarded-nodes.ts'
import { compileToken } from './test-token.ts'
import {
  ERROR,
  EXPECTED,
  GRANTS,
  NOBODY,
  NODE_ARGS,
  RECIPIENT,
  readStory,
  SENT,
  type Story,
  SUPPLY,
} from './token-story.ts'
import { WEB3_PY } from './web3py/packages.ts'

/** Environment of the scenarios in other languages. */
const STORY_ENV = { SUPPLY: String(SUPPLY), SENT: String(SENT), RECIPIENT, NOBODY }

let token: SolidityContract
let open: RunningNode
let guarded: RunningNode
let stop: () => Promise<void>

before(async () => {
  ;({ open, guarded, stop } = await startNodePair(NODE_ARGS, GRANTS))
  token = compileToken()
})

after(() => stop?.())

const run = promisify(execFile)
const CAST = join(CHECKOUT, 'node_modules', '.bin', 'cast')

test('cast, and with a token', async () => {
  for (const node of [open, guarded]) {
    const header = node === guarded ? ['--rpc-headers', `Authorization: ${await bearer(node.http)}`] : []
    const cast = async (command: string, ...args: string[]): Promise<string> => {
      const { stdout, stderr } = await run(CAST, [command, '--rpc-url', httpUrl(node), ...header, ...args])
      // Its launcher always exits with 0, so errors show only in stderr.
      if (stderr !== '') throw new Error(stderr)
      return stdout.trim()
    }
    const { privateKey, address: from } = DEV_ACCOUNTS[1]!
    const signed = ['--private-key', privateKey, '--json']
    const creation = ['--create', token.bytecode, 'constructor(uint256)', String(SUPPLY)]
    const deployed = JSON.parse(await cast('send', ...signed, ...creation))
    const address: string = deployed.contractAddress
    const filter = JSON.parse(await cast('rpc', 'eth_newFilter', JSON.stringify({ address })))
    const transfer = [address, 'transfer(address,uint256)', RECIPIENT]
    const estimate = BigInt(await cast('estimate', '--from', from, ...transfer, String(SENT)))
    const receipt = JSON.parse(await cast('send', ...signed, ...transfer, String(SENT)))
    const changes = JSON.parse(await cast('rpc', 'eth_getFilterChanges', filter)) as { data: string }[]
    const logs = JSON.parse(
      await cast('logs', '--from-block', '0', '--to-block', 'latest', '--address', address, '--json'),
    ) as { data: string }[]
    const failure = await cast('call', '--from', NOBODY, ...transfer, '1').catch((error) => String(error))
    const selector = (await run(CAST, ['sig', `${ERROR}(address,uint256,uint256)`])).stdout.trim()
    const number = async (text: string, ...args: string[]) =>
      BigInt(await cast('call', address, text, ...args))
    const story: Story = {
      supply: await number('totalSupply()'),
      balance: await number('balanceOf(address)', RECIPIENT),
      isSuccess: receipt.status === '0x1',
      found: logs.map(({ data }) => BigInt(data)),
      watched: changes.map(({ data }) => BigInt(data)),
      error:
        String(failure).includes(selector.slice(2)) || String(failure).includes(ERROR)
          ? ERROR
          : String(failure),
      isEstimateEnough: BigInt(receipt.gasUsed) <= estimate,
      knowsFee: BigInt(await cast('gas-price')) >= 0n,
      batch: [Number(await cast('chain-id')), await number('balanceOf(address)', NOBODY)],
    }
    assert.deepEqual(story, EXPECTED)
  }
})

const HARDHAT = join(import.meta.dirname, 'hardhat')

test('hardhat 3, and with a token', { skip: withoutHardhat() }, async (t) => {
  const { folder, program, env } = makeHardhatProject(
    readFileSync(join(HARDHAT, 'hardhat.config.js'), 'utf8'),
  )
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(HARDHAT, 'scripts'), join(folder, 'scripts'), { recursive: true })
  writeFileSync(join(folder, 'token.json'), JSON.stringify(token))
  for (const node of [open, guarded]) {
    const told = {
      NODE_URL: httpUrl(node),
      NODE_KEY: DEV_ACCOUNTS[0]!.privateKey,
      ...(node === guarded && { NODE_TOKEN: await bearer(node.http) }),
      ...STORY_ENV,
    }
    const args = [program, 'run', '--no-compile', 'scripts/story.js', '--network', 'cairn']
    const { stdout } = await run(process.execPath, args, { cwd: folder, env: { ...env, ...told } })
    assert.deepEqual(readStory(lastLine(stdout)), EXPECTED)
  }
})

test('web3.py over HTTP and WebSocket, and with a token', async () => {
  const python = join(installPrograms(WEB3_PY), 'python')
  for (const node of [open, guarded]) {
    const told = {
      NODE_URL: httpUrl(node),
      NODE_WEBSOCKET: websocketUrl(node),
      NODE_KEY: DEV_ACCOUNTS[2]!.privateKey,
      ...(node === guarded && {
        NODE_TOKEN: await bearer(node.http),
        NODE_WEBSOCKET_TOKEN: await bearer(node.websocket),
      }),
      TOKEN: JSON.stringify(token),
      ...STORY_ENV,
    }
    const script = join(import.meta.dirname, 'web3py', 'story.py')
    const { stdout } = await run(python, [script], { env: { ...process.env, ...told } })
    const [overHttp, overWebsocket] = stdout.trim().split('\n').map(readStory)
    assert.deepEqual(overHttp, EXPECTED)
    assert.deepEqual(overWebsocket, EXPECTED)
  }
})

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)!
}
