import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, candidatesOf, LOGGER } from '#chain/chain.fixture.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import { Notifier } from '#jsonrpc/dispatch/notifier.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { SharedText } from '#serve/answer-text.ts'
import type { Hash } from '#types/hash.ts'
import { markOf } from './head-step.ts'
import type { SubscriptionKind } from './subscription-sources.ts'
import { addBlock, openSubscriptions, settle, TestClient, type Told } from './subscriptions.fixture.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Math.floor(Math.random() * 2 ** 31))

type Opened = Awaited<ReturnType<typeof openSubscriptions>>

const open = (
  { subscriptions }: Opened,
  client: TestClient,
  kind: SubscriptionKind,
  options?: unknown,
): string => subscriptions.open(client.connection, kind, options)

test('blocks are sent in order, including several of one head change, and stop with the subscription', async () => {
  const opened = await openSubscriptions()
  const { chain, view, subscriptions } = opened
  await addBlock(chain, view, 0)
  const client = new TestClient()
  const id = open(opened, client, 'newHeads')
  for (let block = 0; block < 3; block++) await addBlock(chain, view, 1)
  await settle()
  assert.deepEqual(
    client.of(id).map(({ number }) => Number(number)),
    [2, 3, 4],
  )
  assert.equal(subscriptions.close(client.connection, id), true)
  assert.equal(subscriptions.close(client.connection, id), false)
  await addBlock(chain, view, 1)
  await settle()
  assert.equal(client.told.length, 3)
  assert.equal(chain.headMoved.listenerCount, 0, 'nobody follows any more')
})

test('a block is announced before its logs, and large results are not joined', async () => {
  const opened = await openSubscriptions()
  const { chain, view, subscriptions } = opened
  const client = new TestClient()
  const texts: (string | SharedText)[] = []
  const connection = new Notifier({
    send: (text) => void texts.push(text),
    onOverflow: () => assert.fail(),
    isBehind: () => false,
  })
  const logs = open(opened, client, 'logs', {})
  for (let count = 0; count < 2; count++) subscriptions.open(connection, 'transactionReceipts', undefined)
  const heads = open(opened, client, 'newHeads')
  await addBlock(chain, view, 20)
  await settle()
  assert.deepEqual(
    client.told.map(({ subscription }) => subscription),
    [heads, ...Array.from({ length: 20 }, () => logs)],
  )
  const [first, second] = texts
  assert.ok(typeof first === 'object' && typeof second === 'object')
  assert.equal(first.shared, second.shared)
})

test('closing a connection ends its subscriptions, and other connections continue', async () => {
  const opened = await openSubscriptions()
  const { chain, view, subscriptions, shared, counts, added } = opened
  const [gone, other] = [new TestClient(), new TestClient()]
  for (const kind of ['newHeads', 'syncing', 'newPendingTransactions', 'transactionReceipts'] as const) {
    open(opened, gone, kind)
  }
  open(opened, gone, 'logs', { fromBlock: 'earliest' })
  const id = open(opened, other, 'newHeads')
  assert.equal(subscriptions.close(other.connection, '0x1'), false, 'not of another connection')
  await settle()
  assert.equal(added.listenerCount, 1)
  gone.connection.close()
  await addBlock(chain, view, 1)
  await settle()
  assert.deepEqual(gone.told, [])
  assert.equal(other.of(id).length, 1)
  assert.deepEqual([...shared.counts], [1])
  assert.deepEqual(counts, { opened: 6, ended: 5 })
  assert.equal(added.listenerCount, 0)
  subscriptions.end()
  assert.deepEqual([...shared.counts], [0])
  assert.equal(chain.headMoved.listenerCount, 0)
})

test('a client that leaves before its subscription exists leaves nothing behind', async () => {
  const opened = await openSubscriptions()
  const { chain, shared, counts, added } = opened
  const gone = new TestClient()
  gone.connection.close()
  open(opened, gone, 'newHeads')
  open(opened, gone, 'newPendingTransactions')
  open(opened, gone, 'logs', { fromBlock: 'earliest' })
  await settle()
  assert.deepEqual([...shared.counts], [0])
  assert.deepEqual(counts, { opened: 3, ended: 3 })
  assert.equal(chain.headMoved.listenerCount + added.listenerCount, 0)
})

test('subscriptions are limited by number and by size', async () => {
  const few = await openSubscriptions(2)
  const client = new TestClient()
  const exceeded = { kind: 'EXCEEDS_RPC_MAX_ACTIVE_SUBSCRIPTIONS' }
  for (let count = 0; count < 2; count++) open(few, client, 'newHeads')
  assert.throws(() => open(few, new TestClient(), 'newHeads'), exceeded)
  client.connection.close()
  assert.equal(open(few, new TestClient(), 'newHeads'), '0x3')

  const many = await openSubscriptions()
  const address = Array.from({ length: 1_000 }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  const greedy: TestClient[] = []
  let accepted = 0
  const fill = (each: TestClient): number => {
    for (let count = 0; ; count++) {
      try {
        open(many, each, 'logs', { address })
      } catch (error) {
        assert.match(String(error), /too many addresses/)
        return count
      }
    }
  }
  for (let last = 1; last > 0; accepted += last) {
    greedy.push(new TestClient())
    last = fill(greedy.at(-1)!)
  }
  assert.ok(accepted > 200 && accepted < 400, `${accepted} with 1,000 addresses each`)
  assert.ok(greedy.length > 2, 'one connection does not get it all')
  assert.match(open(many, new TestClient(), 'newHeads').slice(0, 2), /0x/, 'others still have room')
  many.subscriptions.end()
})

test('past logs come before new ones, each once', async () => {
  const opened = await openSubscriptions()
  const { chain, view } = opened
  for (let block = 0; block < 40; block++) await addBlock(chain, view, block % 3)
  const client = new TestClient()
  const all = open(opened, client, 'logs', { fromBlock: '0x0' })
  const some = open(opened, client, 'logs', { fromBlock: '0xa', toBlock: '0x29', address: LOGGER })
  const none = open(opened, client, 'logs', { fromBlock: '0x0', topics: ['0x8'] })
  for (let block = 40; block < 45; block++) {
    await addBlock(chain, view, block % 3)
    await settle(block % 4)
  }
  await settle(500)
  const expected = Array.from({ length: 45 }, (_, block) => Array(block % 3).fill(block + 1)).flat()
  const numbers = (id: string): number[] => client.of(id).map(({ blockNumber }) => Number(blockNumber))
  assert.deepEqual(numbers(all), expected)
  assert.deepEqual(
    numbers(some),
    expected.filter((number) => number >= 10 && number <= 41),
  )
  assert.deepEqual(numbers(none), [])
})

test('a replay waits for a client that is behind, and costs nothing meanwhile', async () => {
  const opened = await openSubscriptions()
  const { chain, view } = opened
  for (let block = 0; block < 60; block++) await addBlock(chain, view, 1)
  const [slow, fast] = [new TestClient(), new TestClient()]
  slow.isBehind = true
  const behind = open(opened, slow, 'logs', { fromBlock: '0x0' })
  const id = open(opened, fast, 'logs', { fromBlock: '0x0' })
  await settle(300)
  assert.equal(fast.of(id).length, 60)
  const before = slow.of(behind).length
  assert.ok(before < 60, `${before} were told to who does not take them`)
  slow.isBehind = false
  slow.connection.onProgress()
  await settle(300)
  assert.equal(slow.of(behind).length, 60)
})

test('pool transactions are sent as hashes or complete, and dropped ones as hashes', async () => {
  const opened = await openSubscriptions()
  const { added, dropped } = opened
  const client = new TestClient()
  const hashes = open(opened, client, 'newPendingTransactions')
  const whole = open(opened, client, 'newPendingTransactions', { includeTransactions: true })
  const gone = open(opened, client, 'droppedPendingTransactions')
  await settle()
  const transactions = [call(0), call(1)]
  const pending = candidatesOf(transactions).map(({ encoded, sender }, index) => ({
    encoded,
    sender,
    hash: transactions[index]!.hash,
  }))
  added.emit(pending)
  dropped.emit(pending.slice(1))
  await settle()
  assert.deepEqual(
    client.of(hashes),
    transactions.map(({ hash }) => hash),
  )
  assert.deepEqual(client.of(gone), [transactions[1]!.hash])
  const [first] = client.of(whole)
  assert.deepEqual(Object.keys(first), [
    'from',
    'gas',
    'hash',
    'input',
    'nonce',
    'to',
    'type',
    'value',
    'yParity',
    'v',
    'r',
    's',
  ])
  assert.equal(first.from, pending[0]!.sender)
})

/** What a subscriber knows of the chain, by nothing but what it was told. */
class Believer {
  readonly #client = new TestClient()
  readonly #heads: string
  readonly #replayed: string
  readonly #followed: string
  /** The chain when it came. */
  readonly #before: readonly Hash[]
  readonly #logsBefore: ReadonlySet<string>

  constructor(opened: Opened) {
    this.#before = chainOf(opened)
    this.#logsBefore = logsOf(opened)
    this.#heads = open(opened, this.#client, 'newHeads')
    this.#followed = open(opened, this.#client, 'logs', {})
    this.#replayed = open(opened, this.#client, 'logs', { fromBlock: '0x0' })
  }

  check(opened: Opened): void {
    const chain = [...this.#before]
    for (const { hash, parentHash, number } of this.#client.of(this.#heads)) {
      assert.equal(chain[Number(number) - 1], parentHash, `block ${number} follows what was told before`)
      chain.length = Number(number)
      chain.push(hash)
    }
    const now = chainOf(opened)
    assert.deepEqual(chain.slice(0, now.length), now)
    assert.deepEqual(believed(this.#client.of(this.#replayed), new Set()), logsOf(opened))
    assert.deepEqual(believed(this.#client.of(this.#followed), this.#logsBefore), logsOf(opened))
  }

  leave(): void {
    this.#client.connection.close()
  }
}

const nameOf = (log: Told): string => `${log.blockHash} ${Number(log.logIndex)}`

function believed(told: readonly Told[], before: ReadonlySet<string>): Set<string> {
  const known = new Set(before)
  for (const log of told) {
    assert.equal(known.has(nameOf(log)), log.removed, `${nameOf(log)} comes once and leaves once`)
    if (log.removed) known.delete(nameOf(log))
    else known.add(nameOf(log))
  }
  return new Set([...known].sort())
}

function chainOf({ view }: Opened): Hash[] {
  const { number } = markOf(view.head())
  return Array.from({ length: number + 1 }, (_, at) => view.lookup.header(at)!.hash)
}

function logsOf(opened: Opened): Set<string> {
  const logs = chainOf(opened).flatMap((hash) =>
    opened.view.lookup.logsOf(hash, { addresses: [], topics: [] }),
  )
  return new Set(logs.map(({ block, index }) => `${block.hash} ${index}`).sort())
}

test('a subscriber can reconstruct the chain through any reorg', async (t) => {
  t.diagnostic(`seed ${SEED}; CAIRN_SEED repeats it`)
  const random = createSeededRandom(SEED)
  for (let round = 0; round < 6; round++) {
    const opened = await openSubscriptions()
    const { chain, view } = opened
    const stored: HeadMark[] = [markOf(view.head())]
    let believers: Believer[] = []
    for (let move = 0; move < 60; move++) {
      const kind = random.randomBelow(8)
      if (kind < 4) {
        await addBlock(chain, view, random.randomBelow(3))
        stored.push(markOf(view.head()))
      } else if (kind < 6) {
        // Any block that there ever was: down, up, or to another branch.
        const { hash } = stored[Math.max(0, stored.length - 1 - random.randomBelow(8))]!
        const verdict = await chain.setHead(hash, { validation: 'none' })
        assert.ok(verdict.ok, JSON.stringify(verdict))
      } else if (kind === 6 && believers.length < 4) believers.push(new Believer(opened))
      else if (kind === 7 && believers.length > 2) believers.shift()!.leave()
      await settle(random.randomBelow(4))
    }
    await settle(300)
    for (const believer of believers) believer.check(opened)
    for (const believer of believers) believer.leave()
    believers = []
    assert.equal(chain.headMoved.listenerCount, 0)
    assert.deepEqual([...opened.shared.counts], [0])
  }
})
