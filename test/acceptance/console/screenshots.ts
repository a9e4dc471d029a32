/**
 * Writes a screenshot of every screen in light and dark, on a desktop and on a telephone, on healthy and on troubled
 * networks, for people who review them: `node test/acceptance/console/screenshots.ts --out /tmp/screens`. With `--only halted`
 * it writes those of one network, with `--docs` the pictures of the documentation.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { encodeDeployData, encodeFunctionData } from 'viem'
import type { NetworkWishes } from '#fleet/new-network.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { compileSolidity } from '../../support/compile-solidity.ts'
import { startNode } from '../../support/running-node.ts'
import { ConsoleLab, goTo, openBrowser, openPage, settled } from './console-lab.ts'
import { startRelays } from './large/relays.ts'

const CHECKOUT = join(import.meta.dirname, '..', '..', '..')
const DOCS = join(CHECKOUT, 'docs', 'operate', 'console')
const VAULT = join(CHECKOUT, 'bench', 'contracts', 'Vault.sol')
const FORMS = {
  desktop: { width: 1360, height: 900 },
  mobile: { width: 390, height: 844 },
}
const SCHEMES = ['light', 'dark'] as const
/** Until charts are drawn. */
const DRAWN_MS = 1_200
const LARGE = 100
/** Until rounds and failed dials have accumulated. */
const TROUBLE_MS = 20_000
const [RECEIVERS, BURST] = [6, 20]

const { values: given } = parseArgs({
  options: {
    out: { type: 'string', default: 'console-screens' },
    only: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
})
const folder = given.docs ? DOCS : given.out
/** Charts of fewer samples say little. */
const SERIES_MS = 90_000

interface Scene {
  readonly url: string
  /** The views, by the name of their picture. */
  readonly views: Readonly<Record<string, string>>
  readonly abi?: readonly unknown[]
  readonly password?: string
}

let written = 0

/** Pictures of the documentation, by scene, view and colours. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  'halted network light': 'halted',
  'healthy transaction-failed light': 'transaction',
  'healthy node dark': 'node',
}

async function takePictures(browser: Browser, scene: string, { url, views, abi, password }: Scene) {
  for (const [form, viewport] of Object.entries(FORMS)) {
    for (const colorScheme of SCHEMES) {
      if (given.docs && form !== 'desktop') continue
      const { page } = await openPage(browser, url, 'network', { viewport, colorScheme })
      // The page reads it when it starts.
      if (abi) {
        await page.evaluate(`localStorage.setItem('abi', ${JSON.stringify(JSON.stringify(abi))})`)
        await page.reload()
      }
      if (password !== undefined) {
        if (!given.docs) await page.screenshot({ path: join(folder, `sign-in-${form}-${colorScheme}.png`) })
        await signIn(page, password)
      }
      for (const [name, view] of Object.entries(views)) {
        const documented = DOCUMENTED[`${scene} ${name} ${colorScheme}`]
        if (given.docs && documented === undefined) continue
        await goTo(page, view)
        await settled(page)
        await page.waitForTimeout(DRAWN_MS)
        const file = given.docs ? documented : `${scene}-${name}-${form}-${colorScheme}`
        await page.screenshot({ path: join(folder, `${file}.png`), fullPage: !given.docs })
        written += 1
      }
      await page.close()
    }
  }
}

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('User').fill('operator')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
}

/** A token and a vault: deposits that succeed, one that fails, and transfers in many blocks. */
async function useContracts(lab: ConsoleLab) {
  const { Token, Vault } = compileSolidity(VAULT) as Record<
    'Token' | 'Vault',
    ReturnType<typeof compileSolidity>[string]
  >
  const deploy = async (contract: typeof Token, ...args: unknown[]): Promise<`0x${string}`> => {
    const hash = await lab.send({ to: null, data: encodeDeployData({ ...contract, args }) })
    return (await lab.receipt(hash)).contractAddress as `0x${string}`
  }
  const token = await deploy(Token, 10n ** 24n)
  const vault = await deploy(Vault, token)
  const call = (
    contract: typeof Token,
    to: string,
    functionName: string,
    ...args: unknown[]
  ): Promise<string> => lab.send({ to, data: encodeFunctionData({ abi: contract.abi, functionName, args }) })
  await call(Token, token, 'approve', vault, 1_000n)
  const deposit = await call(Vault, vault, 'deposit', 1_000n, lab.account)
  const failed = await call(Vault, vault, 'deposit', 10n ** 20n, lab.account)
  const endMs = performance.now() + SERIES_MS
  for (let at = 0; performance.now() < endMs; at++) {
    const receiver = `0x${((at % RECEIVERS) + 1).toString(16).padStart(2, '0').repeat(20)}`
    const hash = await call(Token, token, 'transfer', receiver, BigInt(at + 1) * 10n ** 16n)
    // Now one transaction per block, now as many as the node accepts in turn.
    if (Math.floor(at / BURST) % 2 === 0) await lab.receipt(hash)
  }
  const { blockNumber } = await lab.receipt(failed)
  return { token, deposit, failed, blockNumber, abi: [...Token.abi, ...Vault.abi] }
}

/** Creates a network, uses it, and removes it. */
async function inLab(wishes: Partial<NetworkWishes>, use: (lab: ConsoleLab) => Promise<void>): Promise<void> {
  const lab = await ConsoleLab.create(wishes)
  try {
    await use(lab)
  } finally {
    await lab.close()
  }
}

async function showHealthy(browser: Browser): Promise<void> {
  const password = 'secret'
  const users = { plain: password, hash: hashPassword(password) }
  await inLab({ password: users, hasPermissions: true }, async (lab) => {
    await lab.start()
    await lab.signIn('operator', password)
    const { token, deposit, failed, blockNumber, abi } = await useContracts(lab)
    const scene = { url: lab.url, abi, password }
    const views = {
      network: 'network',
      stopped: 'stopped',
      blocks: 'blocks',
      block: `block/${Number(blockNumber)}`,
      transaction: `tx/${deposit}`,
      'transaction-failed': `tx/${failed}`,
      account: `address/${lab.account}`,
      contract: `address/${token}`,
      'unused-address': 'address/0x0000000000000000000000000000000000000001',
      'no-such-block': 'block/999999',
      pool: 'pool',
      node: 'node',
      permissions: 'permissions',
      votes: 'votes',
      try: 'try/eth_getBalance',
    }
    await takePictures(browser, 'healthy', { ...scene, views })
    if (given.docs) return
    const nonce = BigInt(await lab.call<string>('eth_getTransactionCount', lab.account, 'latest'))
    await lab.send({ to: token, data: '0x', nonce: nonce + 2n })
    const stuck = { pool: `pool?sender=${lab.account}&nonce=${nonce + 2n}` }
    await takePictures(browser, 'stuck', { ...scene, views: stuck })
    await lab.kill(3)
    await lab.reach(Number(await lab.call<string>('eth_blockNumber')) + 5)
    const silent = { network: 'network', stopped: 'stopped', node: 'node?node=validator-4' }
    await takePictures(browser, 'silent', { ...scene, views: silent })
  })
}

const SCENES: Readonly<Record<string, (browser: Browser) => Promise<void>>> = {
  healthy: showHealthy,
  partition: (browser) =>
    inLab({}, async (lab) => {
      lab.partition([0, 1], [2, 3])
      await lab.start()
      await pause(TROUBLE_MS)
      const views = {
        network: 'network',
        stopped: 'stopped',
        node: 'node',
        permissions: 'permissions',
        votes: 'votes',
      }
      await takePictures(browser, 'partition', { url: lab.url, views })
    }),
  halted: (browser) =>
    inLab({}, async (lab) => {
      lab.mistakeGenesis(3)
      await lab.start(undefined, { 2: -3_600_000 })
      // The interval of the first blocks contains the wrong clock.
      await lab.reach(30)
      await lab.kill(1)
      await pause(TROUBLE_MS)
      const views = { network: 'network', stopped: 'stopped', node: 'node?node=validator-4', pool: 'pool' }
      await takePictures(browser, 'halted', { url: lab.url, views })
    }),
  dev: async (browser) => {
    const node = await startNode(['--network=dev'])
    try {
      const views = { network: 'network', stopped: 'stopped', votes: 'votes', blocks: 'blocks' }
      await takePictures(browser, 'dev', { url: `http://127.0.0.1:${node.console}/`, views })
    } finally {
      await node.kill()
    }
  },
  large: (browser) =>
    inLab({ validators: LARGE }, async (lab) => {
      await lab.start([0])
      const relays = await startRelays(lab.ports[0]!, lab.ports.slice(1))
      try {
        const views = { network: 'network', stopped: 'stopped', node: 'node', votes: 'votes' }
        await takePictures(browser, 'large', { url: lab.url, views })
      } finally {
        for (const relay of relays) relay.close()
        for (const relay of relays) relay.closeAllConnections()
      }
    }),
}

mkdirSync(folder, { recursive: true })
const documented = Object.keys(DOCUMENTED).map((name) => name.split(' ')[0])
const browser = await openBrowser()
try {
  for (const [name, show] of Object.entries(SCENES)) {
    const isWanted = !given.only || given.only === name
    if (isWanted && (!given.docs || documented.includes(name))) await show(browser)
  }
} finally {
  await browser.close()
}
process.stdout.write(`${written} screenshots in ${folder}\n`)
