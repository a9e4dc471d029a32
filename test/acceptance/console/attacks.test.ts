import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { goTo, NO_BROWSER, openBrowser, openPage, settled } from './console-lab.ts'
import { type HostileNode, startHostileNode } from './hostile-node.ts'

/** A browser opens six connections to the console. */
const LISTED = 12
const DROP_MS = 1_000
/** The innermost element beyond the right edge, for the message. */
const WIDEST = `[...document.querySelectorAll('#content *')]
  .filter((each) => !each.closest('.scroll') && each.getBoundingClientRect().right > innerWidth)
  .at(-1)?.outerHTML.slice(0, 200) ?? ''`
const options = { skip: NO_BROWSER, concurrency: false }

suite('the console of a node with hostile nodes in its list', options, () => {
  let hostile: HostileNode
  let bulky: HostileNode
  let node: RunningNode
  let browser: Browser
  let url: string

  before(async () => {
    ;[hostile, bulky] = await Promise.all([startHostileNode(), startHostileNode()])
    const nodes = Array.from({ length: LISTED }, (_, at) => `evil-${at}=${hostile.url}`)
    nodes.push(`bulky=${bulky.url}`)
    node = await startNode(['--network=dev', `--console-nodes=${nodes.join()}`])
    url = `http://127.0.0.1:${node.console}/`
    browser = await openBrowser()
  })
  after(async () => {
    await Promise.all([browser?.close(), node?.kill()])
    hostile?.close()
    bulky?.close()
  })

  test('nodes that never answer do not delay the others', async () => {
    hostile.answer = 'silent'
    const { page, mistakes } = await openPage(browser, url, 'network')
    const rows = page.getByLabel('Nodes').locator('tbody tr')
    const own = rows.first()
    await own.getByText('running').waitFor()
    await page.evaluate(`
      globalThis.states = new Set()
      new MutationObserver(() => {
        globalThis.states.add(document.querySelector('[aria-label=Nodes] tbody tr .badge')?.textContent)
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    `)
    // Longer than the page waits for an answer.
    await page.waitForTimeout(10_000)
    await rows
      .nth(1)
      .getByText(/slow|unreachable/)
      .waitFor()
    assert.deepEqual(await page.evaluate('[...globalThis.states]'), ['running'])
    assert.deepEqual(mistakes, [])
    await page.close()
  })

  test('a connection that drops every second comes back every time', async (t) => {
    hostile.answer = 'null'
    const proxy = await startDroppingProxy(node.console)
    t.after(() => proxy.close())
    const { port } = proxy.address() as AddressInfo
    const { page, mistakes } = await openPage(browser, `http://127.0.0.1:${port}/`, 'network')
    for (let turn = 0; turn < 3; turn++) {
      await page.getByText('Live', { exact: true }).waitFor()
      await page.getByText(/Connection lost/).waitFor()
    }
    assert.deepEqual(mistakes, [])
    await page.close()
  })

  test('two tabs and the history of each show their own views', async () => {
    const context = await browser.newContext()
    const [one, other] = [await context.newPage(), await context.newPage()]
    await Promise.all([one.goto(`${url}#/blocks`), other.goto(`${url}#/try/eth_chainId`)])
    const title = (page: Page, name: string) => page.getByRole('heading', { name }).first().waitFor()
    await title(other, 'eth_chainId')
    await one.getByText('State root').or(one.getByText('Gas used')).first().waitFor()
    await goTo(one, 'try/eth_gasPrice')
    await title(one, 'eth_gasPrice')
    await goTo(one, 'try?node=evil-3')
    await title(one, 'Try')
    await one.goBack()
    await title(one, 'eth_gasPrice')
    assert.equal(await one.getByRole('combobox').first().inputValue(), 'this node')
    await one.goForward()
    await title(one, 'Try')
    assert.equal(await one.getByRole('combobox').first().inputValue(), 'evil-3')
    await title(other, 'eth_chainId')
    await context.close()
  })

  test('answers of megabytes neither break a screen nor widen it', async () => {
    hostile.answer = 'null'
    bulky.answer = 'bulky'
    const { page, mistakes } = await openPage(browser, url, 'network', {
      viewport: { width: 390, height: 844 },
    })
    const row = page.getByLabel('Nodes').locator('tbody tr', { hasText: 'bulky' })
    await row.getByText('running').waitFor()
    for (const view of ['network', 'stopped', 'node', 'pool', 'votes']) {
      await goTo(page, `${view}?node=bulky`)
      await settled(page)
      const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      const widest = await page.evaluate<string>(WIDEST)
      assert.ok(excess <= 0, `${view} is ${excess} px too wide: ${widest}`)
    }
    await page.locator('#head').waitFor()
    assert.deepEqual(mistakes, [])
    await page.close()
  })
})

/** Passes connections on, and drops those of WebSockets again and again. */
async function startDroppingProxy(port: number): Promise<Server> {
  const proxy = createServer((client: Socket) => {
    const server = connect(port, '127.0.0.1')
    const drop = (): void => {
      client.destroy()
      server.destroy()
    }
    client.on('data', (piece) => {
      if (/^upgrade: websocket/im.test(piece.toString('latin1'))) setTimeout(drop, DROP_MS)
    })
    client.on('error', drop).on('close', drop).pipe(server)
    server.on('error', drop).on('close', drop).pipe(client)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return proxy
}
