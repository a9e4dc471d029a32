import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { GENESIS_TEXT, makeBlocks } from '#chain/chain.fixture.ts'
import {
  type CommandLineOptions,
  createNodeWith,
  type ProviderError,
  type ProviderMessage,
} from '#node/create-node.ts'
import { openRpcClient } from '../../support/rpc-client.ts'

const MODULE = new URL('./connection-methods.ts', import.meta.url).href
const notification = (result: string) =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":"${result}"}}`

async function startNode(t: TestContext, options: CommandLineOptions = {}) {
  const common = { logging: 'OFF', 'rpc-engine-threads': 0 } as const
  const node = await createNodeWith({ genesis: GENESIS_TEXT, options: { ...common, ...options } }, [MODULE])
  t.after(() => node.stop())
  const [first, second] = await makeBlocks([], [])
  return { node, first: first!, second: second! }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('a method notifies over WebSocket after its answer, hears of the close, and is refused over HTTP', async (t) => {
  const { node, first, second } = await startNode(t, {
    'rpc-http-enabled': true,
    'rpc-http-port': 0,
    'rpc-http-api': 'PLANTED',
    'rpc-ws-enabled': true,
    'rpc-ws-port': 0,
    'rpc-ws-api': 'PLANTED',
  })
  const open = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${node.websocket!.port}`)
    t.after(() => socket.terminate())
    await once(socket, 'open')
    const heard: string[] = []
    socket.on('message', (text) => void heard.push(String(text)))
    const ask = (method: string) => socket.send(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`)
    return { socket, heard, ask }
  }
  const subscriber = await open()
  const other = await open()
  subscriber.ask('planted_subscribe')
  await until(() => subscriber.heard.length === 2)
  assert.ok((await node.importBlock(first, 'none')).ok)
  await until(() => subscriber.heard.length === 3)
  assert.deepEqual(subscriber.heard, [
    '{"jsonrpc":"2.0","id":1,"result":"0x1"}',
    notification('0'),
    notification('1'),
  ])
  other.ask('planted_unsubscribe')
  await until(() => other.heard.length === 1)
  assert.deepEqual(other.heard, ['{"jsonrpc":"2.0","id":1,"result":false}'])

  const client = openRpcClient(node.http!.port)
  t.after(() => client.close())
  const refused = await client.call('planted_subscribe')
  assert.deepEqual(refused.error, {
    code: -32604,
    message: 'Method not enabled (it notifies its caller; use a WebSocket connection)',
  })
  assert.equal((await client.call('planted_count')).result, 1)
  subscriber.socket.terminate()
  await until(async () => (await client.call('planted_count')).result === 0)
  assert.ok((await node.importBlock(second, 'none')).ok)
  assert.equal(other.heard.length, 1)
})

test("a batch's notifications come after the whole of its answer", async (t) => {
  const { node } = await startNode(t, { 'rpc-ws-enabled': true, 'rpc-ws-port': 0, 'rpc-ws-api': 'PLANTED' })
  const socket = new WebSocket(`ws://127.0.0.1:${node.websocket!.port}`)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const heard: string[] = []
  socket.on('message', (text) => void heard.push(String(text)))
  socket.send('[{"id":1,"method":"planted_subscribe"},{"id":2,"method":"planted_count"}]')
  await until(() => heard.length === 2)
  assert.deepEqual(heard, [
    '[{"jsonrpc":"2.0","id":1,"result":"0x1"},{"jsonrpc":"2.0","id":2,"result":1}]',
    notification('0'),
  ])
})

test('the provider of an embedded node emits what it is notified of, on whatever server', async (t) => {
  const { node, first, second } = await startNode(t, { 'rpc-threads': 2 })
  const { provider } = node
  const events: unknown[] = []
  const hear = (message: ProviderMessage): void => void events.push(message)
  assert.equal(provider.on('message', hear), provider)
  provider.on('message', () => {
    throw new Error('A failing listener does not affect others.')
  })
  events.push(await provider.request({ method: 'planted_subscribe' }))
  await until(() => events.length === 2)
  assert.ok((await node.importBlock(first, 'none')).ok)
  await until(() => events.length === 3)
  const message = (result: string) => ({
    type: 'eth_subscription',
    data: { subscription: '0x1', result },
  })
  assert.deepEqual(events, ['0x1', message('0'), message('1')])

  assert.equal(await provider.request({ method: 'planted_unsubscribe' }), true)
  assert.equal(await provider.request({ method: 'planted_unsubscribe' }), false)
  assert.ok((await node.importBlock(second, 'none')).ok)
  assert.equal(await provider.request({ method: 'planted_subscribe' }), '0x1')
  await until(() => events.length === 4)
  assert.deepEqual(events[3], message('2'))
  provider.removeListener('message', hear)
})

test('a provider whose server ends says so, and can subscribe again', async (t) => {
  const { node } = await startNode(t)
  const { provider } = node
  const heard: ProviderMessage[] = []
  provider.on('message', (message) => void heard.push(message))
  const disconnected = new Promise<ProviderError>((resolve) => {
    provider.on('disconnect', resolve)
  })
  const subscribe = () => provider.request({ method: 'planted_subscribe' })
  await subscribe()
  // Requests that a thread is handling are lost when it ends.
  await until(() => heard.length === 1)
  await assert.rejects(provider.request({ method: 'planted_death' }))
  const { code, message } = await disconnected
  assert.equal(code, 4900)
  assert.match(message, /subscriptions have ended.*Subscribe again/)
  let id: unknown
  await until(async () => {
    id = await subscribe().catch(() => undefined)
    return id !== undefined
  })
  assert.equal(id, '0x1')
  await until(() => heard.length === 2)
})
