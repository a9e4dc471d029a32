import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { nextTurn } from '#platform/next-turn.ts'
import { joined, type SharedText } from '#serve/answer-text.ts'
import { BACKLOG_MAX_BYTES, Backlog, WebSocketOutbox } from './websocket-outbox.ts'

const KIB = 1024

interface Sent {
  readonly text: string
  readonly fin: boolean
}

/** Takes what it is given, like ws. Unless the client reads, everything stays in memory and no frame is reported as sent. */
class FakeSocket {
  readonly OPEN = 1
  readonly readyState = 1
  readonly sent: Sent[] = []
  readonly reads: boolean
  bufferedAmount = 0

  constructor(reads: boolean) {
    this.reads = reads
  }

  send(text: string, { fin = true }: { fin?: boolean } = {}, onSent?: () => void): void {
    this.sent.push({ text, fin })
    if (!this.reads) this.bufferedAmount += text.length
    else if (onSent !== undefined) process.nextTick(onSent)
  }
}

function openClients(count: number, reads: boolean) {
  const backlog = new Backlog()
  let overflows = 0
  const events = {
    onOverflow: () => void overflows++,
    onProgress: () => undefined,
    onBroken: (error: unknown) => assert.fail(String(error)),
  }
  const clients = Array.from({ length: count }, () => {
    const socket = new FakeSocket(reads)
    return { socket, box: new WebSocketOutbox(socket as unknown as WebSocket, events, backlog) }
  })
  return { backlog, clients, overflows: () => overflows }
}

function notification(client: number, shared: string): SharedText {
  return { before: `{"params":{"subscription":"0x${client}","result":`, shared, after: '}}' }
}

async function settle(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}

test('the bytes that ws holds for all clients together are limited, however many clients there are', () => {
  const backlog = new Backlog()
  assert.equal(backlog.handedOverMaxBytes, 256 * KIB)
  for (let clients = 1; clients <= 10_000; clients++) {
    backlog.enter()
    if (clients <= 256) assert.equal(backlog.handedOverMaxBytes, 256 * KIB)
    else assert.ok(backlog.handedOverMaxBytes * clients <= Math.max(BACKLOG_MAX_BYTES, clients * 8 * KIB))
  }
  assert.equal(backlog.handedOverMaxBytes, 8 * KIB)
})

for (const [name, chars] of [
  ['20 kB', 20_000],
  ['60 kB', 60_000],
  ['1 MB', 1_000_000],
] as const) {
  test(`notifications of ${name} for 2,000 clients that do not read stay within twice the limit`, async () => {
    const { clients, overflows } = openClients(2_000, false)
    const shared = 'x'.repeat(chars)
    for (let block = 0; block < 3; block++) {
      const heapBefore = process.memoryUsage().heapUsed
      for (const [index, { box }] of clients.entries()) {
        box.push(notification(index, shared), () => undefined)
      }
      await settle(3)
      const handedOver = clients.reduce((sum, { socket }) => sum + socket.bufferedAmount, 0)
      assert.ok(handedOver < 2 * BACKLOG_MAX_BYTES, `${handedOver} bytes are with ws`)
      const heap = process.memoryUsage().heapUsed - heapBefore
      assert.ok(heap < 2 * BACKLOG_MAX_BYTES, `the heap grew by ${heap} bytes`)
      if (block === 0) assert.equal(overflows(), 0, 'one notification may exceed the limit')
    }
  })

  test(`three notifications of ${name} in one turn reach 1,500 clients that read`, async () => {
    const { backlog, clients, overflows } = openClients(1_500, true)
    const shared = `${'x'.repeat(chars - 1)}é`
    let complete = 0
    const some = clients.slice(0, chars > 64 * KIB ? 20 : 1_500)
    for (const [index, { box }] of some.entries()) {
      for (let block = 0; block < 3; block++) box.push(notification(index, shared), () => void complete++)
    }
    for (let turns = 0; complete < 3 * some.length && turns < 1_000; turns++) await nextTurn()
    assert.deepEqual([complete, overflows()], [3 * some.length, 0])
    for (const [index, { socket }] of some.entries()) {
      assert.ok(socket.sent.every(({ text }) => text.length <= backlog.handedOverMaxBytes))
      assert.equal(socket.sent.filter(({ fin }) => fin).length, 3)
      const text = socket.sent.map((each) => each.text).join('')
      assert.equal(text, joined(notification(index, shared)).repeat(3))
    }
  })
}

test('short messages are sent at once and complete', () => {
  const { clients } = openClients(1, true)
  const { box, socket } = clients[0]!
  box.push('short', () => undefined)
  box.push(notification(0, 'x'.repeat(60_000)), () => undefined)
  assert.deepEqual(
    socket.sent.map(({ fin }) => fin),
    [true, true],
  )
  assert.equal(box.isBehind, false)
})
