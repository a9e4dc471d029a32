/**
 * Subscriptions of a complete node: several server threads, many subscribers, reorgs, and clients that do not read.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { GENESIS_TEXT, makeBlocks } from '#chain/chain.fixture.ts'
import { createNode, createNodeWith, type EmbeddedNode } from '#node/create-node.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { growTree, type ModelBlock } from './chain-tree.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Math.floor(Math.random() * 2 ** 31))
const SUBSCRIBERS = 50
const BLOCKS = 40
const MOVES = 60

const OPTIONS = {
  logging: 'ERROR',
  'rpc-engine-threads': 0,
  'rpc-ws-enabled': true,
  'rpc-ws-port': 0,
  'rpc-ws-max-active-connections': 200,
} as const

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire
type Message = any

/** One connection and its received messages. */
class Client {
  readonly messages: Message[] = []
  readonly closed: Promise<readonly [code: number, reason: string]>
  readonly #socket: WebSocket
  #id = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (text) => void this.messages.push(JSON.parse(String(text))))
    this.closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)] as const)
  }

  static async open(t: TestContext, node: EmbeddedNode, headers = {}): Promise<Client> {
    const socket = new WebSocket(`ws://127.0.0.1:${node.websocket!.port}`, { headers })
    t.after(() => socket.terminate())
    await once(socket, 'open')
    return new Client(socket)
  }

  send(method: string, ...params: readonly unknown[]): number {
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }))
    return this.#id
  }

  async call(method: string, ...params: readonly unknown[]): Promise<Message> {
    const id = this.send(method, ...params)
    await until(() => this.messages.some((message) => message.id === id))
    return this.messages.find((message) => message.id === id)
  }

  async subscribe(...params: readonly unknown[]): Promise<string> {
    const { result } = await this.call('eth_subscribe', ...params)
    assert.match(String(result), /^0x/)
    return result
  }

  told(subscription: string): Message[] {
    return this.messages
      .filter(({ params }) => params?.subscription === subscription)
      .map(({ params }) => params.result)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  leave(): void {
    this.#socket.terminate()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** Moves the head up and down the tree, and finally to a block that was never the head. */
async function moveHead(node: EmbeddedNode, root: ModelBlock, seed: number): Promise<ModelBlock> {
  const random = createSeededRandom(seed)
  let head = root
  const goTo = async (to: ModelBlock): Promise<void> => {
    const verdict = await node.importBlock(to.rlp, 'none')
    assert.ok(verdict.ok, JSON.stringify(verdict))
    head = to
  }
  for (let move = 0; move < MOVES; move++) {
    const next = head.children[random.randomBelow(Math.max(1, head.children.length))]
    if (next !== undefined && random.randomBelow(5) > 0) await goTo(next)
    else if (head.parent !== undefined) {
      head = head.parent
      await node.unwind(head.number)
    }
  }
  // Ends at a leaf, so the last notification is about the head.
  while (head.children.length > 0) await goTo(head.children[0]!)
  return head
}

function pathOf(block: ModelBlock): ModelBlock[] {
  return block.parent === undefined ? [block] : [...pathOf(block.parent), block]
}

/** The chain as a subscriber reconstructs it from its notifications. */
function believedChain(root: ModelBlock, told: readonly Message[]): string[] {
  const chain: string[] = [root.hash]
  for (const { hash, parentHash, number } of told) {
    assert.equal(
      chain[Number(number) - 1],
      parentHash,
      `block ${Number(number)} does not follow the last notification`,
    )
    chain.length = Number(number)
    chain.push(hash)
  }
  return chain
}

function believedLogs(told: readonly Message[]): string[] {
  const known = new Set<string>()
  for (const { blockHash, transactionHash, logIndex, removed } of told) {
    const name = `${blockHash} ${transactionHash} ${logIndex}`
    assert.equal(known.has(name), removed, `${name} was added or removed twice`)
    if (removed) known.delete(name)
    else known.add(name)
  }
  return [...known].map((name) => name.split(' ')[1]!)
}

test(`${SUBSCRIBERS} subscribers of several servers hear of every block once and in order, whatever the head does`, async (t) => {
  t.diagnostic(`seed ${SEED}; CAIRN_SEED repeats it`)
  const root = await growTree(BLOCKS, createSeededRandom(SEED))
  const node = await createNode({ genesis: GENESIS_TEXT, options: { ...OPTIONS, 'rpc-threads': 3 } })
  t.after(() => node.stop())
  const early = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, async () => {
      const client = await Client.open(t, node)
      const heads = await client.subscribe('newHeads')
      const logs = await client.subscribe('logs', { fromBlock: 'earliest' })
      return { client, heads, logs }
    }),
  )
  assert.equal(new Set(early.map(({ heads }) => heads)).size, SUBSCRIBERS, 'two servers gave out the same id')
  const moving = moveHead(node, root, SEED)
  // Subscribes during reorgs: past and new logs arrive without a gap or a duplicate.
  const late = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const client = await Client.open(t, node)
      return { client, logs: await client.subscribe('logs', { fromBlock: 'earliest' }) }
    }),
  )
  const head = await moving
  const chain = pathOf(head)
  const logs = chain.flatMap(({ logging }) => logging)
  await until(() => early.every(({ client, heads }) => client.told(heads).at(-1)?.hash === head.hash))
  for (const { client, heads } of early) {
    assert.deepEqual(
      believedChain(root, client.told(heads)),
      chain.map(({ hash }) => hash),
    )
  }
  // The last block may have no log, so only the count shows that all notifications have arrived.
  const everybody = [...early, ...late]
  await until(() =>
    everybody.every((each) => believedLogs(each.client.told(each.logs)).length === logs.length),
  )
  for (const { client, logs: id } of everybody) assert.deepEqual(believedLogs(client.told(id)), logs)
})

test('a subscriber that never reads is sent away with a reason, and the others hear on', async (t) => {
  const root = await growTree(4, createSeededRandom(SEED))
  const node = await createNode({ genesis: GENESIS_TEXT, options: OPTIONS })
  t.after(() => node.stop())
  const [silent, reading] = [await Client.open(t, node), await Client.open(t, node)]
  // Subscribes to the same blocks many times, so this client's queue grows fast.
  for (let count = 0; count < 500; count++) silent.send('eth_subscribe', 'newHeads')
  await until(() => silent.messages.length === 500)
  silent.pause()
  const heads = await reading.subscribe('newHeads')
  const block = root.children[0]!
  let moves = 0
  const sentAway = silent.closed.then((how) => how)
  let isAway = false
  void sentAway.then(() => {
    isAway = true
  })
  const metrics = async () => (await node.provider.request({ method: 'debug_metrics' })) as Message
  const ended = async (): Promise<number> =>
    Number((await metrics()).rpc?.subscription_unsubscribe?.newHeads ?? 0)
  while ((await ended()) < 500) {
    for (let again = 0; again < 10; again++) {
      assert.ok((await node.importBlock(block.rlp, 'none')).ok)
      await node.unwind(0)
      moves++
    }
    assert.ok(moves < 5_000, 'the queue of the client is not bounded')
  }
  assert.equal(isAway, false, 'the client was disconnected too early')
  silent.resume()
  const [code, reason] = await sentAway
  assert.equal(code, 1008)
  assert.equal(reason, 'too much waits for this client: read faster or ask for less')
  const before = reading.told(heads).length
  assert.ok(before > 0)
  assert.ok((await node.importBlock(block.rlp, 'none')).ok)
  await until(() => reading.told(heads).length > before)
})

test('subscription storms leave nothing behind, and their memory is bounded', async (t) => {
  const node = await createNode({ genesis: GENESIS_TEXT, options: OPTIONS })
  t.after(() => node.stop())
  const kinds = ['newHeads', 'syncing', 'newPendingTransactions', 'transactionReceipts']
  for (let round = 0; round < 5; round++) {
    const client = await Client.open(t, node)
    for (let count = 0; count < 400; count++) {
      client.send('eth_subscribe', kinds[count % kinds.length])
      client.send('eth_subscribe', 'logs', { fromBlock: '0x0' })
    }
    await until(() => client.messages.length === 800)
    // Half of them unsubscribe; the others end with their connection.
    for (const { result } of client.messages.slice(0, 400)) client.send('eth_unsubscribe', result)
    await until(() => client.messages.length === 1_200)
    assert.ok(client.messages.every(({ error }) => error === undefined))
    client.leave()
  }
  const greedy = await Client.open(t, node)
  const address = Array.from({ length: 1_000 }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  for (let count = 0; count < 1_000; count++) greedy.send('eth_subscribe', 'logs', { address })
  await until(() => greedy.messages.length === 1_000)
  const refused = greedy.messages.filter(({ error }) => error?.code === -32005)
  assert.ok(refused.length > 900, `${refused.length} of 1,000 are refused`)
  const other = await Client.open(t, node)
  assert.match(await other.subscribe('newHeads'), /^0x/)
  greedy.leave()
  const counted = async () => {
    const { rpc } = (await node.provider.request({ method: 'debug_metrics' })) as Message
    const sum = (counts: Record<string, number> = {}) =>
      Object.values(counts).reduce((total, count) => total + Number(count), 0)
    return sum(rpc.subscription_subscribe) - sum(rpc.subscription_unsubscribe)
  }
  while ((await counted()) > 1) await new Promise((resolve) => setTimeout(resolve, 20))
})

test('a subscription ends with its server thread, its slot is released, and the next server continues', async (t) => {
  const module = new URL('./connection-methods.ts', import.meta.url).href
  const options = {
    ...OPTIONS,
    logging: 'OFF',
    'rpc-ws-api': 'PLANTED',
    'rpc-ws-max-active-subscriptions': 2,
  } as const
  const node = await createNodeWith({ genesis: GENESIS_TEXT, options }, [module])
  t.after(() => node.stop())
  const root = await growTree(2, createSeededRandom(SEED))
  const first = await Client.open(t, node)
  // ETH is not enabled here, but both subscription methods work.
  for (const kind of ['newHeads', 'newPendingTransactions']) await first.subscribe(kind)
  assert.equal((await first.call('eth_subscribe', 'newHeads')).error.code, -32005)
  assert.equal((await first.call('eth_blockNumber')).error.code, -32604)
  first.send('planted_death')
  const [code] = await first.closed
  assert.equal(code, 1006)
  let second: Client | undefined
  while (second === undefined) second = await Client.open(t, node).catch(() => undefined)
  const heads = await second.subscribe('newHeads')
  assert.equal(heads, '0x3', 'subscription ids continue')
  await second.subscribe('syncing')
  assert.ok((await node.importBlock(root.children[0]!.rlp, 'none')).ok)
  await until(() => second.told(heads).length === 1)
})

/** Lifetime of a token: longer than a subscription takes on a busy machine. */
const TOKEN_LIFE_SECONDS = 6

test('a subscription outlives its expired token, and nothing else does', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const file = join(temporaryDirectory(t), 'key.pem')
  writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }))
  const options = {
    ...OPTIONS,
    'rpc-ws-authentication-enabled': true,
    'rpc-ws-authentication-jwt-public-key-file': file,
  }
  const node = await createNode({ genesis: GENESIS_TEXT, options })
  t.after(() => node.stop())
  const [first, second] = await makeBlocks([], [])
  const expiry = Math.floor(Date.now() / 1_000) + TOKEN_LIFE_SECONDS
  const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = `${segment({ alg: 'RS256', typ: 'JWT' })}.${segment({ permissions: ['eth:subscribe', 'eth:unsubscribe'], exp: expiry })}`
  const signature = sign('sha256', Buffer.from(token), privateKey).toString('base64url')
  const client = await Client.open(t, node, { authorization: `Bearer ${token}.${signature}` })
  assert.equal((await client.call('eth_blockNumber')).error.code, -40100, 'nothing else is granted')
  const heads = await client.subscribe('newHeads')
  assert.ok((await node.importBlock(first!, 'none')).ok)
  await until(() => client.told(heads).length === 1)
  await until(() => Date.now() / 1_000 > expiry + 1)
  assert.equal((await client.call('eth_unsubscribe', heads)).error.code, -40100)
  assert.ok((await node.importBlock(second!, 'none')).ok)
  await until(() => client.told(heads).length === 2)
  const stranger = await Client.open(t, node)
  assert.equal((await stranger.call('eth_subscribe', 'newHeads')).error.code, -40100)
})
