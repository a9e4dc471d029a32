/** Real networks for the console: written by `cairn network new`, with faults planted in their files, and a real browser. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { describeNetwork, type NetworkWishes } from '#fleet/new-network.ts'
import { NODE_FLAGS } from '#fleet/node-process.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { killChild, ownChild } from '../../support/own-child.ts'
import { PROGRAM } from '../../support/program.ts'

const START_MAX_MS = 60_000
/** Longest wait for a state of the page. A busy machine is far slower than an idle one. */
export const WAIT_MAX_MS = 60_000
const SKEWED_CLOCK = join(import.meta.dirname, '..', 'network', 'skewed-clock.ts')
/** Debian's program. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))

/** A skip reason outside CI. In CI a missing browser is a failure. */
export const NO_BROWSER = CHROMIUM === undefined && !process.env.CI ? 'Chromium is not installed' : false

export async function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined)
    throw new Error('Chromium is not installed. In Debian: apt-get install chromium')
  return await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
}

/** Enough for the deployment of a contract. */
const GAS_LIMIT = 3_000_000n

interface Receipt {
  readonly contractAddress: string
  readonly status: string
  readonly blockNumber: string
}

const WISHES: NetworkWishes = {
  validators: 4,
  observers: 0,
  chainId: 1337,
  blockPeriodSeconds: 1,
  hasPermissions: false,
  password: undefined,
}

export class ConsoleLab {
  readonly url: string
  readonly accountKey: string
  /** The funded account. */
  readonly account: string
  readonly ports: readonly number[]
  readonly #folder: string
  readonly #names: readonly string[]
  readonly #children = new Map<string, ChildProcess>()
  #token: string | undefined

  private constructor(folder: string, network: Awaited<ReturnType<typeof describeNetwork>>) {
    this.#folder = folder
    this.#names = network.nodes.map(({ name }) => name)
    this.ports = network.nodes.map(({ http }) => http)
    this.url = `http://127.0.0.1:${network.console}/`
    this.accountKey = readFileSync(join(folder, 'account.key'), 'utf8')
    this.account = network.account
  }

  static async create(wishes: Partial<NetworkWishes> = {}): Promise<ConsoleLab> {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-console-'))
    const network = await describeNetwork({ ...WISHES, ...wishes })
    writeNewFiles(network.files, folder)
    return new ConsoleLab(folder, network)
  }

  /** Changes a file of a node before it starts. */
  edit(node: number, file: string, change: (text: string) => string): void {
    const path = join(this.#folder, this.#names[node]!, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }

  /** Gives a node another genesis block before it starts. */
  mistakeGenesis(node: number): void {
    this.edit(node, 'genesis.json', (text) =>
      text.replace(/"gasLimit"\s*:\s*"0x[^"]+"/, '"gasLimit":"0x1000000"'),
    )
  }

  /** Lets nodes know only the nodes of their own group. */
  partition(...groups: readonly (readonly number[])[]): void {
    const enodes = this.#names.map((_, node) => this.#enodesKnownTo(node))
    const all = new Set(enodes.flat())
    const ownOf = (node: number): string => [...all].find((enode) => !enodes[node]!.includes(enode))!
    for (const group of groups) {
      for (const node of group) {
        const known = group.filter((other) => other !== node).map(ownOf)
        this.edit(node, 'static-nodes.json', () => JSON.stringify(known))
      }
    }
  }

  #enodesKnownTo(node: number): string[] {
    return JSON.parse(readFileSync(join(this.#folder, this.#names[node]!, 'static-nodes.json'), 'utf8'))
  }

  async start(
    nodes: readonly number[] = this.#names.map((_, at) => at),
    clockMs?: Readonly<Record<number, number>>,
  ) {
    await Promise.all(nodes.map((node) => this.#start(node, clockMs?.[node])))
  }

  async #start(node: number, clockMs: number | undefined): Promise<void> {
    const cwd = join(this.#folder, this.#names[node]!)
    const clock = join(cwd, 'clock')
    if (clockMs !== undefined) writeFileSync(clock, String(clockMs))
    const flags = clockMs === undefined ? [] : ['--import', SKEWED_CLOCK]
    const child = spawn(process.execPath, [...NODE_FLAGS, ...flags, PROGRAM, '--config-file=config.toml'], {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, LAB_CLOCK_FILE: clock },
    })
    ownChild(child)
    this.#children.set(this.#names[node]!, child)
    const endMs = performance.now() + START_MAX_MS
    while (!(await isUp(this.ports[node]!))) {
      if (performance.now() > endMs || child.exitCode !== null) throw new Error(`${cwd} did not start`)
      await pause(50)
    }
  }

  async kill(node: number): Promise<void> {
    await killChild(this.#children.get(this.#names[node]!)!)
  }

  /** Later calls are of this user. */
  async signIn(username: string, password: string): Promise<void> {
    const response = await this.#post('/login', { username, password })
    this.#token = ((await response.json()) as { token: string }).token
  }

  #post(path: string, body: unknown): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.ports[0]}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify(body),
    })
  }

  async call<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const response = await this.#post('/', { jsonrpc: '2.0', id: 1, method, params })
    const { result, error } = (await response.json()) as { result: Result; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }

  /** Sends a transaction of the funded account, by default with its next nonce. */
  async send({ to, data, nonce }: { to: string | null; data: string; nonce?: bigint }): Promise<string> {
    const next = nonce ?? BigInt(await this.call<string>('eth_getTransactionCount', this.account, 'pending'))
    const unsigned = {
      type: 0,
      chainId: BigInt(WISHES.chainId),
      nonce: next,
      to: to === null ? null : parseAddress(to),
      data: parseData(data),
      gasPrice: 1_000_000_000n,
      gasLimit: GAS_LIMIT,
      value: 0n,
    } as const
    const { encoded } = signTransaction(unsigned, parseData(this.accountKey))
    return await this.call<string>('eth_sendRawTransaction', formatData(encoded))
  }

  /** Waits for a receipt. */
  async receipt(hash: string): Promise<Receipt> {
    for (;;) {
      const found = await this.call<Receipt | null>('eth_getTransactionReceipt', hash)
      if (found !== null) return found
      await pause(50)
    }
  }

  /** Waits for a block. */
  async reach(height: number): Promise<void> {
    while (Number(await this.call<string>('eth_blockNumber')) < height) await pause(50)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#children.values()].map(killChild))
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function isUp(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/liveness`)).ok
  } catch {
    return false
  }
}

/**
 * Opens a view and resolves when the page shows it. Without that, a wait could be over because of the text of the view
 * before. Code for the page is text: its names are not those of this program.
 */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const link = ${JSON.stringify(`#/${view}`)}
    if (location.hash === link) return done()
    addEventListener('hashchange', () => requestAnimationFrame(() => setTimeout(done)), { once: true })
    location.hash = link
  })`)
}

/** Resolves when no part of the page waits for its first answer. */
export async function settled(page: Page): Promise<void> {
  const endMs = performance.now() + WAIT_MAX_MS
  while (/Loading…|The checks run/.test((await page.textContent('body'))!)) {
    if (performance.now() > endMs) throw new Error(`${page.url()} is still loading`)
    await page.waitForTimeout(50)
  }
}

/** A page that records its own mistakes and every request that leaves its origin. */
export interface WatchedPage {
  readonly page: Page
  readonly mistakes: string[]
  readonly foreign: string[]
}

export async function openPage(
  browser: Browser,
  url: string,
  view: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, ...options })
  page.setDefaultTimeout(WAIT_MAX_MS)
  const [mistakes, foreign]: [string[], string[]] = [[], []]
  page.on('pageerror', ({ message }) => mistakes.push(message))
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) foreign.push(request.url())
  })
  await page.goto(`${url}#/${view}`)
  return { page, mistakes, foreign }
}
