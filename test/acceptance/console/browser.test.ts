import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { WebSocket } from 'ws'
import { selectorOf, signatureHash } from '#abi/contract-abi.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { ConsoleLab, goTo, NO_BROWSER, openBrowser, openPage, settled, WAIT_MAX_MS } from './console-lab.ts'
import { type HostileNode, startHostileNode } from './hostile-node.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FIRST_PAINT_MAX_MS = 1_000
const SLOWER_THAN_TEXT_MAX = 5
/** From the import of a block to its number on the page. */
const BLOCK_MAX_MS = 200
const BLOCK_ROUNDS = 3
/** The nightly form keeps it open for an hour. */
const OPEN_SECONDS = Number(process.env.CAIRN_CONSOLE_SECONDS ?? 6)
/** An hour of samples, and a page of blocks. */
const HEAP_SPARE_MB = 3
/** The calls of an address that the page shows. */
const HISTORY_CALLS = 50
const LOAD_CLIENTS = 32
const LOAD_SECONDS = 2
/** Until the clients have answers and the page has another head. */
const LOAD_MAX_MS = 60_000
/** More answers to the clients than this would be in front of a status that waits its turn. */
const STATUS_MAX_ANSWERS = 10 * LOAD_CLIENTS
const options = { skip: NO_BROWSER, concurrency: false }

/** Text that would run, load or break out if it became markup. */
const HOSTILE = [
  '<img src=x onerror="window.pwned=1">',
  '<script>window.pwned=1</script>',
  '"><svg onload=window.pwned=1>',
  "'-alert(1)-'",
  'javascript:window.pwned=1',
  '<iframe srcdoc="<script>parent.pwned=1</script>">',
  '</title><script>window.pwned=1</script>',
  '<a href="javascript:window.pwned=1">x</a>',
  '<style>*{display:none}</style>',
  '<base href="http://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=http://evil.example/">',
  '{{constructor.constructor("window.pwned=1")()}}',
  '$' + '{window.pwned=1}',
  '<math><mtext></mtext><img src=x onerror=window.pwned=1></math>',
  '<template><img src=x onerror=window.pwned=1></template>',
  '<object data="data:text/html,<script>window.pwned=1</script>">',
  '<form action="http://evil.example/"><input name=a></form>',
  '<link rel=stylesheet href="http://evil.example/x.css">',
  '\u202e<b>right to left</b>\u0000',
  '&lt;img src=x onerror=window.pwned=1&gt;',
]
/** Reverts with its input. */
const ECHO = '365f5f37365ffd'
/** Deploys the seven bytes that follow it. */
const DEPLOY_ECHO = `0x6007600a5f3960075ff3${ECHO}`

const views = (page: Page) => ({
  open: async (view: string, text: RegExp) => {
    await goTo(page, view)
    await page.getByText(text).first().waitFor()
  },
})

/** Fails with the serious findings. */
async function judge(page: Page, name: string): Promise<void> {
  // The policy of the page forbids added scripts; the debugger does not ask it.
  await page.evaluate(AXE)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeReport> } }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
  assert.deepEqual(found, [], name)
}

interface AxeReport {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

const SCREENS: readonly (readonly [view: string, text: RegExp])[] = [
  ['network', /The network produces blocks/],
  ['stopped', /What each node says/],
  ['blocks', /Gas used/],
  ['block/1', /State root/],
  ['address/0x0000000000000000000000000000000000000001', /Transactions sent/],
  ['pool', /The pool is empty/],
  ['node', /Connected validators/],
  ['permissions', /No list is in force/],
  ['votes', /Quorum arithmetic/],
  ['try/eth_getBalance', /The balance of an account/],
]

/** Opens every screen, in any state of the network. */
async function everyScreen(page: Page): Promise<void> {
  for (const [view] of SCREENS) {
    await goTo(page, view)
    await settled(page)
    const text = (await page.textContent('#content'))!
    assert.ok(text.length > 20, `${view} is empty`)
    assert.doesNotMatch(text, /This screen cannot show|undefined|NaN|Infinity/, view)
  }
}

suite('the console on a healthy network', options, () => {
  let lab: ConsoleLab
  let browser: Browser
  let page: Page
  let mistakes: readonly string[]
  /** The hash of a transaction that reverted. */
  let reverted: string
  let foreign: readonly string[]
  const open = (view: string, text: RegExp): Promise<void> => views(page).open(view, text)

  before(async () => {
    lab = await ConsoleLab.create()
    // Its name reaches the tables of every console.
    lab.edit(3, 'config.toml', (text) => `${text}identity = "<img src=x onerror=window.pwned=1>"\n`)
    browser = await openBrowser()
    await lab.start()
    await lab.reach(2)
    ;({ page, mistakes, foreign } = await openPage(browser, lab.url, 'network'))
  })
  after(() => Promise.all([browser?.close(), lab?.close()]))

  test('the first paint comes within a second', async () => {
    await page.getByText(/The network produces blocks/).waitFor()
    const paintMs = async (path: string): Promise<number> => {
      const { page: fresh } = await openPage(browser, `${lab.url}${path}`, 'network')
      // The page's policy forbids the polling of waitForFunction.
      const atMs = await fresh.evaluate<number>(`new Promise((done) => {
        const observer = new PerformanceObserver((list) => {
          const [paint] = list.getEntriesByName('first-contentful-paint')
          if (paint) done(paint.startTime)
        })
        observer.observe({ type: 'paint', buffered: true })
      })`)
      await fresh.close()
      return atMs
    }
    const best = async (path: string): Promise<number> =>
      Math.min(await paintMs(path), await paintMs(path), await paintMs(path))
    // On a busy machine even a line of text is late.
    const maxMs = Math.max(FIRST_PAINT_MAX_MS, SLOWER_THAN_TEXT_MAX * (await best('setup')))
    const bestMs = await best('')
    assert.ok(bestMs < maxMs, `${bestMs} ms of at most ${maxMs} ms`)
  })

  test('every screen shows the network, and axe finds nothing serious on it', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.reload()
      for (const [view, text] of SCREENS) {
        await open(view, text)
        // Dark colours are the same names with other values, so two screens show all of them.
        if (colorScheme === 'light' || /network|stopped/.test(view))
          await judge(page, `${view}, ${colorScheme}`)
      }
    }
    assert.deepEqual(mistakes, [])
  })

  test('a narrow screen scrolls in one direction only', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [view, text] of SCREENS) {
      await open(view, text)
      await settled(page)
      const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(excess <= 0, `${view} is ${excess} px too wide`)
    }
    await page.setViewportSize({ width: 1360, height: 900 })
  })

  test('keys choose screens', async () => {
    await open('network', /Peer links/)
    await page.keyboard.press('7')
    await page.getByText(/Quorum arithmetic/).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('1')
    await page.keyboard.press('Enter')
    await page.getByText(/State root/).waitFor()
  })

  test('a hash is shown in short, in full on hover, and copied by one click', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const { hash } = await lab.call<{ hash: string }>('eth_getBlockByNumber', '0x1', false)
    await open('block/1', /State root/)
    const shown = page.locator(`.hash[title="${hash}"]`)
    assert.match((await shown.textContent())!, new RegExp(`^${hash.slice(0, 18)}…${hash.slice(-4)}`))
    await shown.getByRole('button').click()
    await shown.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), hash)
  })

  test('a link opens its view of its node in another browser', async () => {
    const { page: other } = await openPage(browser, lab.url, 'node?node=validator-3')
    await other.getByRole('heading', { name: 'validator-3' }).waitFor()
    assert.equal(await other.getByRole('combobox').inputValue(), 'validator-3')
    await other.close()
  })

  test('a form of a method calls it', async () => {
    await open('try/eth_getTransactionCount', /transactions? /)
    await page.getByLabel(/^address/).fill(lab.account)
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.locator('#answer').getByText('"0x0"').waitFor()
  })

  test('a block is on the page within 200 ms of its import', async (t) => {
    await open('network', /Peer links/)
    await page.evaluate(`
      globalThis.seen = {}
      new MutationObserver(() => {
        const text = document.getElementById('head')?.textContent?.replace(/\\D/g, '') ?? ''
        globalThis.seen[text] ??= Date.now()
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    `)
    // A busy machine delays one block or the other, or all of a few seconds.
    const medians: number[] = []
    while (medians.length < BLOCK_ROUNDS && Math.min(...medians) >= BLOCK_MAX_MS) {
      const imported = await headTimes(lab.url, 5)
      await page.waitForTimeout(500)
      const seen = await page.evaluate<Record<string, number>>('globalThis.seen')
      const delays = [...imported].map(([number, atMs]) => (seen[number] ?? Infinity) - atMs)
      medians.push(delays.sort((one, other) => one - other)[2]!)
    }
    t.diagnostic(`after ${medians.join(', ')} ms, medians of 5 blocks`)
    assert.ok(Math.min(...medians) < BLOCK_MAX_MS, `${medians.join(', ')} ms`)
  })

  test('a jump of the browser clock is not a wrong clock of a node', async () => {
    await open('network', /Peer links/)
    await page.evaluate(`
      globalThis.findings = new Set()
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('#findings li')) globalThis.findings.add(textContent)
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
      globalThis.steady = Date.now
      Date.now = () => globalThis.steady.call(Date) + 3_600_000
    `)
    await page.waitForTimeout(3_000)
    await page.evaluate('Date.now = globalThis.steady')
    await page.waitForTimeout(3_000)
    const findings = await page.evaluate<string[]>('[...globalThis.findings]')
    assert.deepEqual(
      findings.filter((each) => /clock/.test(each)),
      [],
    )
  })

  test('hostile text from the chain stays text', async () => {
    const contract = (await lab.receipt(await lab.send({ to: null, data: DEPLOY_ECHO }))).contractAddress
    const hashes = await callEcho(lab, contract)
    reverted = hashes[0]!
    for (const [at, hash] of hashes.entries()) {
      await open(`tx/${hash}`, /Call tree/)
      const revert = page.locator('#revert')
      await revert.waitFor()
      assert.equal(await revert.textContent(), `It reverted: ${HOSTILE[at]}`)
    }
    await open('network', /Peer links/)
    await open('node?node=validator-4', /onerror/)
    const markup = 'img[src="x"], script:not([src="/page.js"]), iframe, object, base'
    const injected = await page.evaluate(`({
      pwned: 'pwned' in globalThis,
      elements: document.querySelectorAll('${markup}').length,
    })`)
    assert.deepEqual(injected, { pwned: false, elements: 0 })
    assert.deepEqual(foreign, [])
  })

  test('ABIs of an artifacts folder are used and stay in the browser', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-artifacts-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const abi = ['mint', 'burn'].map((name) => ({ type: 'function', name, inputs: [{ type: 'uint256' }] }))
    writeFileSync(join(folder, 'Token.json'), JSON.stringify({ abi, bytecode: '0x' }))
    writeFileSync(join(folder, 'cache.json'), '{"files":{}}')
    writeFileSync(join(folder, 'broken.json'), '{')
    await open(`tx/${reverted}`, /Call tree/)
    await page.getByLabel(/artifacts/).setInputFiles(folder)
    await page.getByText('2 entries in use.').waitFor()
    await page.reload()
    assert.match(await page.getByLabel(/Paste an ABI/).inputValue(), /mint.*burn/)
    const mint = `${selectorOf(signatureHash('mint(uint256)'))}${'5'.padStart(64, '0')}`
    const hash = await lab.send({ to: lab.account, data: mint })
    await lab.receipt(hash)
    await open(`tx/${hash}`, /mint\(#0: 5\)/)
  })

  test('hostile ABIs and data neither block the page nor break the next start', async () => {
    const pasted = page.getByLabel(/Paste an ABI/)
    const nested = { type: 'function', name: 'f', inputs: [{ name: 'x', type: 'uint256[][][]' }] }
    const wrong = [{ type: 'function', name: 'g' }, { type: 'event', name: 'h', inputs: [null] }, null]
    await open(`tx/${reverted}`, /Call tree/)
    await pasted.fill(JSON.stringify([...wrong, nested]))
    // A block renders the page again, and the text stays.
    const head = (await page.locator('#head').textContent())!
    await page.locator('#head', { hasNotText: head }).waitFor()
    await pasted.blur()
    await page.getByText('1 entry in use.').waitFor()
    await page.reload()
    // Every word is an offset to itself and a length of 512: 134 million values.
    const words = '0200'.padStart(64, '0').repeat(600)
    const selector = selectorOf(signatureHash('f(uint256[][][])'))
    const hash = await lab.send({ to: lab.account, data: `${selector}${words}` })
    await lab.receipt(hash)
    await open(`tx/${hash}`, /succeeded/)
    assert.ok((await page.textContent('#content'))!.includes(`${selector}0000`), 'the data is not shown')
    await pasted.fill('')
    await pasted.blur()
    await page.getByText('0 entries in use.').waitFor()
    assert.deepEqual(mistakes, [])
  })

  test('the history of an address begins with its newest calls', async () => {
    let last = ''
    for (let sent = 0; sent < HISTORY_CALLS + 5; sent++)
      last = await lab.send({ to: lab.account, data: '0x' })
    const { blockNumber } = await lab.receipt(last)
    await open(`address/${lab.account}`, /Transactions sent/)
    const rows = page.getByLabel('History', { exact: true }).locator('tbody tr')
    await rows.first().locator(`[title="${last}"]`).waitFor()
    assert.match((await rows.first().textContent())!, new RegExp(`^${Number(blockNumber)}0x`))
    await page.getByText(`1 to 25 of ${HISTORY_CALLS}`).waitFor()
  })

  test('the pool explains a stuck transaction', async () => {
    const nonce = BigInt(await lab.call<string>('eth_getTransactionCount', lab.account, 'latest'))
    await lab.send({ to: null, data: '0x00', nonce: nonce + 2n })
    await open('pool', /1 queued/)
    await page.getByRole('link', { name: 'Why?' }).click()
    const explanation = page.locator('#explanation')
    await explanation.getByText(`waits for the transaction with nonce ${nonce} of its sender`).waitFor()
    await page.getByLabel('Field').selectOption('nonce')
    await page.getByLabel('Value').fill('0x0')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('No transaction matches').waitFor()
  })

  test('a page that stays open uses no more memory', async (t) => {
    const session = await page.context().newCDPSession(page)
    const measure = async (): Promise<{ heapMb: number; nodes: number; listeners: number }> => {
      await session.send('HeapProfiler.collectGarbage')
      const { usedSize } = await session.send('Runtime.getHeapUsage')
      const { nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
      return { heapMb: usedSize / 1e6, nodes, listeners: jsEventListeners }
    }
    const walk = async (seconds: number): Promise<void> => {
      const endMs = performance.now() + seconds * 1_000
      do {
        for (const view of ['network', 'stopped', 'blocks', 'node', 'pool', 'votes', 'try', 'network']) {
          await goTo(page, view)
          await page.waitForTimeout(200)
        }
      } while (performance.now() < endMs)
    }
    await walk(OPEN_SECONDS / 3)
    const early = await measure()
    await walk((OPEN_SECONDS * 2) / 3)
    const late = await measure()
    t.diagnostic(
      `${JSON.stringify(early)} after a third of ${OPEN_SECONDS} s, ${JSON.stringify(late)} at the end`,
    )
    assert.ok(late.heapMb < 1.1 * early.heapMb + HEAP_SPARE_MB, `${early.heapMb} MB became ${late.heapMb} MB`)
    assert.ok(late.nodes < 1.5 * early.nodes + 500, `${early.nodes} DOM nodes became ${late.nodes}`)
    assert.ok(
      late.listeners < 1.5 * early.listeners + 100,
      `${early.listeners} listeners became ${late.listeners}`,
    )
  })

  test('a node under full RPC load still serves its status', async (t) => {
    await open('network', /Peer links/)
    const loading = new AbortController()
    let answered = 0
    const clients = Array.from({ length: LOAD_CLIENTS }, async () => {
      while (!loading.signal.aborted) {
        await lab.call('debug_traceBlockByNumber', 'latest')
        await lab.call('eth_getBlockByNumber', 'latest', true)
        answered += 2
      }
    })
    const shown = new Set<string | null>()
    try {
      const startMs = performance.now()
      const isOver = (): boolean =>
        performance.now() > startMs + LOAD_SECONDS * 1_000 && answered >= LOAD_CLIENTS && shown.size > 1
      while (!isOver()) {
        shown.add(await page.locator('#head').textContent())
        assert.ok(performance.now() < startMs + LOAD_MAX_MS, `the page showed ${[...shown].join(', ')}`)
        assert.deepEqual(await page.locator('tr', { hasText: 'unreachable' }).allTextContents(), [])
        await page.waitForTimeout(250)
      }
      // Answers instead of milliseconds: other programs on the machine delay both.
      const inFront: number[] = []
      for (let turn = 0; turn < 3; turn++) {
        const before = answered
        const tookMs = await page.evaluate<number>(`(async () => {
          const beganMs = performance.now()
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'bft_status' })
          const headers = { 'content-type': 'application/json' }
          const signal = AbortSignal.timeout(${LOAD_MAX_MS})
          const { result } = await (await fetch('/rpc', { method: 'POST', headers, body, signal })).json()
          if (!result.cause) throw new Error('no status')
          return performance.now() - beganMs
        })()`)
        inFront.push(answered - before)
        t.diagnostic(`bft_status after ${tookMs.toFixed(0)} ms and ${answered - before} other answers`)
      }
      t.diagnostic(`${answered} answers to ${LOAD_CLIENTS} clients`)
      assert.ok(Math.min(...inFront) < STATUS_MAX_ANSWERS, `after ${inFront.join(', ')} other answers`)
    } finally {
      loading.abort()
      await Promise.all(clients)
    }
  })

  test('a silent validator is shown as unreachable, and the others continue', async () => {
    await open('network', /Peer links/)
    const row = page.getByLabel('Validators').locator('tr', { hasText: 'validator-4' })
    const missed = row.getByText(/^\d+ rounds?$/)
    await missed.waitFor()
    const before = Number.parseInt((await missed.textContent())!, 10)
    await lab.kill(3)
    await page
      .locator('#findings')
      .getByText(/validator-4 is unreachable/)
      .waitFor()
    await page
      .getByLabel('Nodes')
      .locator('tr', { hasText: 'validator-4' })
      .getByText('unreachable')
      .waitFor()
    await row.getByText('0 of 3 nodes').waitFor()
    const endMs = performance.now() + WAIT_MAX_MS
    while (Number.parseInt((await missed.textContent())!, 10) <= before) {
      assert.ok(performance.now() < endMs, `${before} missed rounds, and no more`)
      await page.waitForTimeout(200)
    }
    // Blocks of rounds that others proposed.
    const head = Number(await lab.call<string>('eth_blockNumber'))
    await lab.reach(head + 2)
    await page.locator('#head', { hasNotText: new RegExp(`Block (${head}|${head - 1})$`) }).waitFor()
    await everyScreen(page)
    assert.deepEqual(mistakes, [])
  })

  test('the page reconnects by itself and says so', async () => {
    await lab.kill(0)
    await page.getByText(/Connection lost .*reconnecting/).waitFor()
    await lab.start([0])
    await page.getByText('Live', { exact: true }).waitFor()
    assert.deepEqual(mistakes, [])
  })
})

/** When a client of the same port hears of new heads, by number. */
async function headTimes(url: string, count: number): Promise<ReadonlyMap<string, number>> {
  const socket = new WebSocket(url.replace('http', 'ws').replace(/\/$/, '/rpc'))
  const times = new Map<string, number>()
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.on('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })),
  )
  socket.on('message', (text) => {
    const { params } = JSON.parse(String(text))
    if (params?.result?.number === undefined) return
    times.set(String(Number(params.result.number)), Date.now())
    if (times.size === count) resolve()
  })
  await promise
  socket.terminate()
  return times
}

/** One transaction per hostile text, which reverts with it as its reason. */
async function callEcho(lab: ConsoleLab, contract: string): Promise<string[]> {
  const word = (value: number): string => value.toString(16).padStart(64, '0')
  const hashes: string[] = []
  for (const [at, text] of HOSTILE.entries()) {
    const bytes = Buffer.from(text)
    const body = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
    const data = `0x08c379a0${word(32)}${word(bytes.length)}${body}`
    hashes.push(await lab.send({ to: contract, data, nonce: BigInt(at + 1) }))
  }
  assert.equal((await lab.receipt(hashes.at(-1)!)).status, '0x0')
  return hashes
}

suite('the console of a network with users', options, () => {
  let lab: ConsoleLab
  let browser: Browser
  let hostile: HostileNode

  before(async () => {
    const hash = hashPassword('secret')
    lab = await ConsoleLab.create({
      validators: 1,
      // A vote stays pending until the next block.
      blockPeriodSeconds: 60,
      password: { plain: 'secret', hash },
      hasPermissions: true,
    })
    hostile = await startHostileNode()
    lab.edit(0, 'config.toml', (text) => text.replace(/(console-nodes *= *\[)/, `$1"evil=${hostile.url}", `))
    const grants = ['eth:*', 'bft:*', 'qbft:getPendingVotes', 'perm:getAccountsAllowlist', 'rpc:*']
    const reader = `[Users.reader]\npassword = "${hash}"\npermissions = ${JSON.stringify(grants)}\n`
    lab.edit(0, 'credentials.toml', (text) => text + reader)
    browser = await openBrowser()
    await lab.start()
  })
  after(() => Promise.all([browser?.close(), lab?.close()]))

  after(() => hostile?.close())

  const signIn = async (page: Page, user: string): Promise<void> => {
    await page.getByLabel('User').fill(user)
    await page.getByLabel('Password').fill('secret')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
  }

  test('a hostile node in the list breaks no screen', async () => {
    hostile.answer = 'mixed'
    const { page, mistakes, foreign } = await openPage(browser, lab.url, 'network')
    await signIn(page, 'operator')
    const methods = {
      network: 'bft_status',
      stopped: 'bft_status',
      blocks: 'eth_getBlockByNumber',
      pool: 'txpool_inspect',
      node: 'admin_doctor',
      permissions: 'admin_auditLog',
      votes: 'admin_peers',
      'try/x': 'rpc.discover',
    }
    for (const [view, method] of Object.entries(methods)) {
      await goTo(page, `${view}?node=evil`)
      const endMs = performance.now() + WAIT_MAX_MS
      while (!hostile.methods.includes(method)) {
        assert.ok(performance.now() < endMs, `${view} did not ask for ${method}`)
        await page.waitForTimeout(50)
      }
      await page.waitForTimeout(400)
    }
    hostile.answer = 'null'
    await views(page).open('network?node=evil', /Peer links/)
    await page.locator('#head').waitFor()
    assert.equal(await page.evaluate(`'pwned' in globalThis`), false)
    assert.equal(await page.locator('img[src="x"]').count(), 0)
    assert.deepEqual([mistakes, foreign], [[], []])
    await page.close()
  })

  test('one late answer makes a node slow, not unreachable', async () => {
    hostile.answer = 'null'
    const { page } = await openPage(browser, lab.url, 'network')
    await signIn(page, 'operator')
    const row = page.getByLabel('Nodes').locator('tr', { hasText: 'evil' })
    await row.getByText('running').waitFor()
    await page.evaluate(`
      globalThis.states = new Set()
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('tr .badge')) globalThis.states.add(textContent)
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    `)
    hostile.answer = 'silent'
    await row.getByText('slow').waitFor()
    await page
      .locator('#findings')
      .getByText(/evil is slow: no answer within 5 s/)
      .waitFor()
    hostile.answer = 'null'
    await row.getByText('running').waitFor()
    assert.ok(!(await page.evaluate<string[]>('[...globalThis.states]')).includes('unreachable'))
    await page.close()
  })

  test('a wrong password is refused with a sentence', async () => {
    const { page } = await openPage(browser, lab.url, 'network')
    await judge(page, 'sign in')
    await page.getByLabel('User').fill('operator')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/does not know this user and password/).waitFor()
    await page.close()
  })

  test('tokens are in no URL, storage or cookie, and a reload forgets them', async () => {
    const { page } = await openPage(browser, lab.url, 'network')
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    page.on('websocket', (socket) => urls.push(socket.url()))
    await signIn(page, 'operator')
    for (const [view] of SCREENS) {
      await goTo(page, view)
      await settled(page)
    }
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    for (const text of [...urls, kept, page.url()]) assert.doesNotMatch(text, /eyJ|secret/)
    await page.reload()
    await page.getByLabel('Password').waitFor()
    await page.close()
  })

  test('a user without grants sees no actions and the reason', async () => {
    const { page } = await openPage(browser, lab.url, 'votes')
    const { open } = views(page)
    await signIn(page, 'reader')
    await open(
      'votes',
      /Your user has no grant for qbft_proposeValidatorVote: it needs qbft:proposeValidatorVote/,
    )
    assert.equal(await page.getByRole('button', { name: /Vote|Discard/ }).count(), 0)
    await open('permissions', /Your user has no grant for perm_addAccountsToAllowlist/)
    await settled(page)
    assert.equal(await page.getByRole('button', { name: /Add|Remove|Read the file/ }).count(), 0)
    await page.close()
  })

  test('an operator sees the quorum before and after a vote, and votes', async () => {
    const { page } = await openPage(browser, lab.url, 'votes')
    await signIn(page, 'operator')
    const stranger = `0x${'ab'.repeat(20)}`
    await page.getByLabel('Address of the validator').fill(stranger)
    await page
      .locator('#arithmetic')
      .getByText(/leaves 2 validators: 2 must agree instead of 1/)
      .waitFor()
    await page.getByText(/Only 1 of them are connected now/).waitFor()
    await page.getByRole('button', { name: 'Vote to add' }).click()
    await page.getByText('The vote is pending until enough validators agree.').waitFor()
    const votes = page.getByLabel('Votes', { exact: true }).locator('tbody tr')
    await votes.waitFor()
    assert.match((await votes.textContent())!, /0xabab…abab.*add/)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('This node has no pending votes.').waitFor()
    await page.close()
  })

  test('an operator tries a change, sees file and memory, and the trail of both', async () => {
    const { page, foreign } = await openPage(browser, lab.url, 'permissions')
    await signIn(page, 'operator')
    const { open } = views(page)
    await open('permissions', /change nothing/)
    const field = page.getByLabel('Add to Accounts')
    const status = page.getByRole('status').filter({ hasText: /would|was|Changed/ })
    const tryAdding = page.locator('form').filter({ has: field }).getByRole('button', { name: 'Dry run' })
    await field.fill(HOSTILE[0]!)
    await tryAdding.click()
    await status.getByText(/It would be refused/).waitFor()
    await page.getByRole('button', { name: 'Add', exact: true }).first().click()
    await status.getByText(/It was refused: Request contains an invalid account/).waitFor()
    const stranger = `0x${'cd'.repeat(20)}`
    await field.fill(stranger)
    await tryAdding.click()
    await status.getByText(/It would be accepted.*Nothing was changed/).waitFor()
    await page.getByRole('button', { name: 'Add', exact: true }).first().click()
    await status.getByText(`Changed in memory and in the file: ${stranger}`).waitFor()
    const trail = page.getByLabel('Audit trail').locator('tbody tr')
    await trail.first().getByText(stranger).waitFor()
    assert.match((await trail.first().textContent())!, /operator.*perm_addAccountsToAllowlist.*cdcd.*done/)
    assert.ok((await trail.nth(1).textContent())!.includes(JSON.stringify([[HOSTILE[0]]])))
    lab.edit(0, 'permissions_config.toml', (text) => text.replace(`"${stranger}"`, '').replace(/,\s*\]/, ']'))
    await page.getByRole('button', { name: 'Compare again' }).click()
    await page.getByText('add 0, remove 1').waitFor()
    await page.getByRole('button', { name: 'Read the file again' }).click()
    await page.getByText('The lists are those of the file now.').waitFor()
    lab.edit(0, 'permissions_config.toml', (text) =>
      text.replace(/(accounts-allowlist\s*=\s*\[)/, `$1'${HOSTILE[0]}',`),
    )
    await page.getByRole('button', { name: 'Compare again' }).click()
    await page
      .getByRole('alert')
      .getByText(/Invalid account <img/)
      .waitFor()
    assert.equal(await page.evaluate(`'pwned' in globalThis`), false)
    assert.equal(await page.locator('img[src="x"]').count(), 0)
    assert.deepEqual(foreign, [])
    await judge(page, 'permissions of an operator')
    await page.close()
  })

  test('another page can neither frame the console nor call it', async () => {
    const port = new URL(lab.url).port
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end(`<iframe src="${lab.url}"></iframe>`)
    }).listen(0, '127.0.0.1')
    test.after(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const page = await browser.newPage()
    const blocked = page.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()))
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await blocked
    const outcome = await page.evaluate(async (target) => {
      const posted = await fetch(`http://127.0.0.1:${target}/rpc`, { method: 'POST', body: '{}' }).then(
        () => 'answered',
        () => 'refused',
      )
      const socket = new WebSocket(`ws://127.0.0.1:${target}/rpc`)
      const opened = await new Promise((resolve) => {
        socket.onopen = () => resolve('opened')
        socket.onerror = () => resolve('refused')
      })
      return [posted, opened]
    }, port)
    assert.deepEqual(outcome, ['refused', 'refused'])
    await page.close()
  })
})

suite('the console on a halted network', options, () => {
  let browser: Browser

  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser?.close())

  test('a wrong genesis and a wrong clock are on one screen without scrolling', async () => {
    const lab = await ConsoleLab.create()
    try {
      lab.mistakeGenesis(3)
      await lab.start(undefined, { 2: -3_600_000 })
      const { page, mistakes } = await openPage(browser, lab.url, 'network')
      const findings = [
        page.locator('#findings').getByText(/validator-4 has another genesis block/),
        page.locator('#findings').getByText(/The clock of validator-3 is .* behind the other nodes/),
      ]
      for (const finding of findings) await finding.waitFor()
      // Three of four produce blocks; without the third they stop.
      await lab.reach(2)
      await lab.kill(1)
      await page.getByText(/No block for/).waitFor()
      const skewed = page.getByLabel('Nodes').locator('tr', { hasText: 'validator-3' })
      await skewed.getByText(/stalled/).waitFor()
      for (const finding of findings) {
        const { y, height } = (await finding.boundingBox())!
        assert.ok(y + height < 900, `${await finding.textContent()} is at ${y} px`)
      }
      await judge(page, 'halted')
      await everyScreen(page)
      assert.deepEqual(mistakes, [])
    } finally {
      await lab.close()
    }
  })

  test('a partition shows two groups of links and the missing quorum', async () => {
    const lab = await ConsoleLab.create()
    try {
      lab.partition([0, 1], [2, 3])
      await lab.start()
      const { page, mistakes } = await openPage(browser, lab.url, 'network')
      const separate = page
        .locator('#findings')
        .getByText('validator-3 and validator-4 have no link to the other nodes.')
      await separate.waitFor()
      await page.locator('.link-map').getByText('2 links').waitFor()
      await goTo(page, 'stopped')
      await page
        .locator('#missing')
        .getByText(/The quorum misses 1 validator: 3 of 4 are needed/)
        .waitFor()
      await page.locator('tr', { hasText: 'validator-3' }).first().waitFor()
      await everyScreen(page)
      assert.deepEqual(mistakes, [])
    } finally {
      await lab.close()
    }
  })
})
