import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { loadCrypto } from '#evm/crypto.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { growChains } from '../../../../bench/growth-chain.ts'
import { type RunningNode, startNode } from '../../../support/running-node.ts'
import { ConsoleLab, goTo, NO_BROWSER, openBrowser, openPage } from '../console-lab.ts'
import { busyTasksOf } from './busy-page.ts'
import { startRelays } from './relays.ts'

const TASK_MAX_MS = 100
const VALIDATORS = 100
const TRANSACTIONS = 10_000
const BATCH = 100
const TRANSFER = {
  type: 0,
  chainId: 1337n,
  to: parseAddress('77'.repeat(20)),
  data: new Uint8Array(0),
  gasPrice: 0n,
  gasLimit: 21_000n,
  value: 1n,
} as const
/** A page has 25 of them; the nightly form pages through a million. */
const BLOCKS = Number(process.env.CAIRN_CONSOLE_BLOCKS ?? 600)
/** A block without transactions is made ten times as fast. */
const TRANSACTION_EVERY = 10
const options = { skip: NO_BROWSER, concurrency: false }

/** Fails if a task of the page occupies its thread for longer than a frame may last. */
async function judge(t: TestContext, browser: Browser, page: Page, use: () => Promise<void>): Promise<void> {
  const { tasks, longestCpuMs, longestMs } = await busyTasksOf(browser, page, use)
  assert.ok(tasks > 0, 'the trace has no tasks')
  t.diagnostic(
    `${tasks} tasks, the longest ${longestCpuMs.toFixed(0)} ms of CPU (${longestMs.toFixed(0)} ms)`,
  )
  assert.ok(longestCpuMs < TASK_MAX_MS, `a task of ${longestCpuMs.toFixed(0)} ms`)
}

/** Transfers from the funded account, in one batch. */
async function send(lab: ConsoleLab, first: number, count: number): Promise<void> {
  const { keccak, sign } = await loadCrypto()
  const key = parseData(lab.accountKey)
  const batch = Array.from({ length: count }, (_, at) => {
    const unsigned = { ...TRANSFER, nonce: BigInt(first + at) }
    const raw = formatData(signTransaction(unsigned, key, keccak, sign).encoded)
    return { jsonrpc: '2.0', id: at, method: 'eth_sendRawTransaction', params: [raw] }
  })
  const response = await fetch(`http://127.0.0.1:${lab.ports[0]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch),
  })
  const answers = (await response.json()) as { error?: unknown }[]
  assert.deepEqual(
    answers.filter(({ error }) => error !== undefined),
    [],
  )
}

suite('the console of a large network', options, () => {
  let lab: ConsoleLab
  let browser: Browser
  let page: Page
  let relays: readonly Server[] = []

  before(async () => {
    lab = await ConsoleLab.create({ validators: VALIDATORS })
    browser = await openBrowser()
    await lab.start([0])
    for (let sent = 0; sent < TRANSACTIONS; sent += BATCH) await send(lab, sent, BATCH)
    ;({ page } = await openPage(browser, lab.url, 'votes'))
    await page.getByText(/Quorum arithmetic/).waitFor()
  })
  after(async () => {
    for (const relay of relays) relay.close()
    for (const relay of relays) relay.closeAllConnections()
    await Promise.all([browser?.close(), lab?.close()])
  })

  test('10,000 transactions of the pool keep the page fluent', async (t) => {
    await judge(t, browser, page, async () => {
      await goTo(page, 'pool')
      const list = page.getByLabel('Transactions of the pool')
      await list.waitFor()
      await send(lab, TRANSACTIONS, 100)
      await page.getByText('10,100 transactions pending').waitFor()
      const scroll = async (part: number): Promise<void> => {
        await list.evaluate((box, at) => box.scrollTo(0, box.scrollHeight * at), part)
        await page.waitForTimeout(300)
      }
      for (const part of [0.25, 0.5, 0.75]) await scroll(part)
      const last = page.getByText('nonce 10,099', { exact: true })
      while (!(await last.isVisible())) await scroll(1)
      await goTo(page, 'pool?filter=nonce%20eq%200x11')
      await page.getByText('nonce 17', { exact: true }).waitFor()
    })
  })

  test('100 validators keep the page fluent', async (t) => {
    relays = await startRelays(lab.ports[0]!, lab.ports.slice(1))
    await judge(t, browser, page, async () => {
      await goTo(page, 'network')
      await page
        .getByText(/98 of 99 nodes/)
        .first()
        .waitFor({ timeout: 60_000 })
      await page.waitForTimeout(300)
      await goTo(page, 'stopped')
      await page.getByText(/Messages of this round/).waitFor()
      await page.waitForTimeout(300)
      await goTo(page, 'node?node=validator-2')
      await page.getByText(/99 peers/).waitFor()
      await page.waitForTimeout(300)
      await goTo(page, 'network')
      await page.getByText('4,950 links').waitFor()
    })
  })
})

suite('the console of a long chain', options, () => {
  let folder: string
  let node: RunningNode
  let browser: Browser

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-console-blocks-'))
    const { genesisText, chains } = await growChains(folder, [BLOCKS], TRANSACTION_EVERY)
    const genesis = join(folder, 'genesis.json')
    writeFileSync(genesis, genesisText)
    const args = [`--genesis-file=${genesis}`, '--data-storage-format=FOREST', '--console-enabled']
    node = await startNode(args, chains[0]!.dataPath)
    browser = await openBrowser()
  })
  after(async () => {
    await Promise.all([browser?.close(), node?.kill()])
    rmSync(folder, { recursive: true, force: true })
  })

  test('paging through blocks keeps the page fluent', async (t) => {
    const { page } = await openPage(browser, `http://127.0.0.1:${node.console}/`, 'blocks')
    await page.getByRole('button', { name: 'Older' }).waitFor()
    const shows = (block: number): Promise<void> =>
      page
        .getByRole('link', { name: block.toLocaleString('en-US'), exact: true })
        .first()
        .waitFor()
    await judge(t, browser, page, async () => {
      for (let turn = 1; turn <= 8; turn++) {
        await page.getByRole('button', { name: 'Older' }).click()
        await shows(BLOCKS - 25 * turn)
      }
      for (const part of [0.5, 0.1]) {
        const before = Math.floor(BLOCKS * part)
        await goTo(page, `blocks?before=${before}`)
        await shows(before)
      }
      await page.getByRole('button', { name: 'Newest' }).click()
      await shows(BLOCKS)
      await goTo(page, `block/${BLOCKS}`)
      await page.getByText('State root').waitFor()
    })
  })
})
