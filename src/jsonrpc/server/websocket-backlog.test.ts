import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { nextTurn } from '#platform/next-turn.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { SharedText } from '#serve/answer-text.ts'
import { Backlog } from './websocket-backlog.ts'
import { WebSocketOutbox } from './websocket-outbox.ts'

const MESSAGE_BYTES = 128
const MAX_BYTES = 300_000

/** Reports a frame as sent when its client reads. */
class StallingSocket {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  #onSent: (() => void)[] = []
  isReading = false

  send(text: string, _options?: object, onSent: () => void = () => undefined): void {
    this.bufferedAmount += text.length
    this.#onSent.push(onSent)
    if (this.isReading) process.nextTick(() => this.take())
  }

  take(): void {
    this.bufferedAmount = 0
    for (const onSent of this.#onSent.splice(0)) onSent()
  }
}

/** A client, and what its outbox should hold according to this test. */
class Client {
  readonly socket = new StallingSocket()
  readonly box: WebSocketOutbox
  /** The first one is being sent. */
  pending: (string | SharedText)[] = []
  kept: (string | SharedText)[] = []
  isClosed = false

  constructor(backlog: Backlog) {
    const events = {
      onOverflow: () => this.#forget(),
      onProgress: () => undefined,
      onBroken: () => assert.fail(),
    }
    this.box = new WebSocketOutbox(this.socket as unknown as WebSocket, events, backlog)
  }

  push(body: string | SharedText): void {
    if (this.isClosed || this.socket.readyState !== this.socket.OPEN) return
    this.pending.push(body)
    this.box.push(body, () => {
      if (!this.isClosed) assert.equal(this.pending.shift(), body)
    })
  }

  keep(body: string | SharedText): void {
    if (!this.isClosed) this.kept.push(body)
    this.box.keep(body)
  }

  letGo(): void {
    this.kept = []
    this.box.letGo()
  }

  close(): void {
    this.box.close()
    this.#forget()
  }

  #forget(): void {
    this.isClosed = true
    this.pending = []
    this.kept = []
  }

  get ownBytes(): number {
    const late = this.pending.length > 1 ? this.pending : []
    return [...late, ...this.kept].reduce((sum, body) => sum + ownBytesOf(body), 0)
  }

  get texts(): Set<string> {
    const bodies = [...this.pending, ...this.kept]
    return new Set(bodies.flatMap((body) => (typeof body === 'string' ? [] : [body.shared])))
  }
}

function ownBytesOf(body: string | SharedText): number {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.before.length + body.after.length
  return MESSAGE_BYTES + bytes
}

function check(backlog: Backlog, clients: readonly Client[]): void {
  const held = new Set(clients.flatMap(({ box, isClosed }) => (isClosed ? [] : [...box.heldTexts])))
  for (const client of clients) {
    if (client.isClosed) continue
    assert.equal(client.box.lateBytes, client.ownBytes)
    const held = new Set([...client.box.heldTexts].map(({ text }) => text))
    assert.ok(held.symmetricDifference(client.texts).size === 0, 'the client holds other texts')
  }
  for (const each of held) {
    const holders = clients.filter(({ box, isClosed }) => !isClosed && [...box.heldTexts].includes(each))
    assert.equal(each.holders, holders.length)
  }
  const own = clients.reduce((sum, { ownBytes }) => sum + ownBytes, 0)
  const texts = [...held].reduce((sum, { text }) => sum + Math.min(text.length, MAX_BYTES / 2), 0)
  assert.equal(backlog.bytes, own + texts)
}

test('the counted bytes are those that the outboxes hold, and none when all are closed', async () => {
  const firstSeed = randomInt(2 ** 31)
  for (let seed = firstSeed; seed < firstSeed + 20; seed++) {
    try {
      await playRandomly(seed)
    } catch (cause) {
      throw new Error(`Seed ${seed} failed`, { cause })
    }
  }
})

async function playRandomly(seed: number): Promise<void> {
  const random = createSeededRandom(seed)
  const below = (max: number): number => random.randomBelow(max)
  const backlog = new Backlog(MAX_BYTES)
  const clients: Client[] = []
  // Some have equal lengths and ends.
  const texts = Array.from({ length: 12 }, (_, index) => {
    const end = 'x'.repeat([600, 5_000, 30_000, 200_000][index % 4]!)
    return `${end}${index < 6 ? index : ''}${end}`
  })
  const draw = (): string | SharedText =>
    below(3) === 0
      ? 'é'.repeat(below(20_000))
      : { before: 'b'.repeat(below(90)), shared: texts[below(texts.length)]!, after: '}' }
  for (let step = 0; step < 400; step++) {
    if (clients.length < 8 || below(40) === 0) clients.push(new Client(backlog))
    const client = clients[below(clients.length)]!
    const act = below(21)
    if (act < 10) client.push(draw())
    else if (act < 13) client.keep(draw())
    else if (act < 14) client.letGo()
    else if (act < 16) client.socket.isReading = !client.socket.isReading
    else if (act < 18) client.socket.take()
    else if (act < 19) await nextTurn()
    else if (act === 20) client.close()
    else if (step % 3 === 0) client.socket.readyState = 2
    check(backlog, clients)
  }
  for (const client of clients) client.close()
  assert.equal(backlog.bytes, 0)
  await nextTurn()
  assert.equal(backlog.bytes, 0)
}

/** Milliseconds of this process. */
function cpuMs(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

test('texts of one length and one start are found without comparing them with each other', () => {
  const backlog = new Backlog()
  const clients = Array.from({ length: 10 }, () => new Client(backlog))
  const texts = Array.from(
    { length: 600 },
    (_, index) => `${'x'.repeat(20_000)}${`${index}`.padStart(4, '0')}`,
  )
  const ms = cpuMs(() => {
    for (const client of clients) for (const shared of texts) client.push({ before: '', shared, after: '' })
  })
  assert.ok(ms < 1_500, `${ms} ms`)
})

test('thousands of messages with one large text are counted without a search for each', () => {
  const backlog = new Backlog()
  const clients = Array.from({ length: 2 }, () => new Client(backlog))
  const ms = cpuMs(() => {
    for (let block = 0; block < 2; block++) {
      const shared = `${block}`.padEnd(1_000_000, 'x')
      for (const client of clients)
        for (let count = 0; count < 30_000; count++) client.push({ before: '', shared, after: '' })
    }
  })
  assert.ok(ms < 5_000, `${ms} ms`)
  assert.deepEqual(
    clients.map(({ isClosed }) => isClosed),
    [false, false],
  )
})
