import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebSocket } from 'ws'
import { collectGarbage } from '#platform/bound-memory.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { joined, type SharedText } from '#serve/answer-text.ts'
import { BACKLOG_MAX_BYTES, Backlog } from './websocket-backlog.ts'
import { WebSocketOutbox } from './websocket-outbox.ts'

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

function openClients(count: number, reads: boolean, backlog = new Backlog()) {
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
    backlog.enter({ lateBytes: 0, heldTexts: [], takenFrames: 0, overflow: () => assert.fail() })
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

  test(`three notifications of ${name} in one turn reach all clients that read`, async () => {
    const { backlog, clients, overflows } = openClients(1_500, true)
    const texts = ['x', 'y', 'z'].map((fill) => `${fill.repeat(chars - 1)}é`)
    let complete = 0
    const some = chars > 64 * KIB ? clients.slice(0, 200) : clients
    for (const [index, { box }] of some.entries()) {
      for (const shared of texts) box.push(notification(index, shared), () => void complete++)
    }
    for (let turns = 0; complete < 3 * some.length && turns < 1_000; turns++) await nextTurn()
    assert.deepEqual([complete, overflows()], [3 * some.length, 0])
    for (const [index, { socket }] of some.entries()) {
      assert.ok(socket.sent.every(({ text }) => text.length <= backlog.handedOverMaxBytes))
      assert.equal(socket.sent.filter(({ fin }) => fin).length, 3)
      if (index % 100 > 0) continue
      const text = socket.sent.map((each) => each.text).join('')
      assert.equal(text, texts.map((shared) => joined(notification(index, shared))).join(''))
    }
  })
}

test('clients that do not read are closed when their own large texts exceed the limit', async () => {
  const { clients, overflows } = openClients(200, false)
  for (const [index, { box }] of clients.entries()) {
    box.push(notification(index, `${index}`.padEnd(1_000_000, 'x')), () => undefined)
    await settle(1)
  }
  const open = clients.length - overflows()
  assert.ok(open > 30 && open < 70, `${open} are open`)
})

test('equal texts are in memory once', async () => {
  const { clients, overflows } = openClients(200, false)
  await collectGarbage()
  const heapBefore = process.memoryUsage().heapUsed
  for (const [index, { box }] of clients.entries()) {
    box.push(notification(index, 'x'.repeat(500_000).concat('y'.repeat(500_000))), () => undefined)
  }
  await settle(1)
  await collectGarbage()
  const heap = process.memoryUsage().heapUsed - heapBefore
  assert.ok(heap < BACKLOG_MAX_BYTES, `the heap grew by ${heap} bytes`)
  assert.equal(overflows(), 0)
})

test('readers in a burst of shared texts outlive clients that keep their own', async () => {
  const { backlog, clients: stalled, overflows: stalledOverflows } = openClients(63, false)
  const { clients: readers, overflows } = openClients(100, true, backlog)
  for (const [index, { box }] of stalled.entries()) {
    box.push(notification(index, `${index}`.padEnd(1_000_000, 'x')), () => undefined)
  }
  await settle(1)
  assert.equal(stalledOverflows(), 0)
  let complete = 0
  for (const [index, { box }] of readers.entries()) {
    for (const fill of ['x', 'y', 'z', '0', '1', '2']) {
      box.push(notification(index, fill.repeat(1_000_000)), () => void complete++)
    }
  }
  for (let turns = 0; complete < 6 * readers.length && turns < 1_000; turns++) await nextTurn()
  assert.deepEqual([complete, overflows()], [6 * readers.length, 0])
  assert.ok(stalledOverflows() > 25)
})

test('a reader outlives clients that do not read, although their common texts are small parts for each', async () => {
  const { backlog, clients: stalled, overflows: stalledOverflows } = openClients(20, false)
  const { clients: readers, overflows } = openClients(1, true, backlog)
  for (let block = 0; block < 63; block++) {
    const shared = `${block}`.padEnd(1_000_000, 'x')
    for (const [index, { box }] of stalled.entries()) box.push(notification(index, shared), () => undefined)
  }
  await settle(3)
  assert.equal(stalledOverflows(), 0)
  let complete = 0
  for (let count = 0; count < 6; count++) {
    const shared = `own ${count}`.padEnd(1_000_000, 'x')
    readers[0]!.box.push(notification(0, shared), () => void complete++)
  }
  for (let turns = 0; complete < 6 && turns < 1_000; turns++) await nextTurn()
  assert.deepEqual([complete, overflows(), stalledOverflows()], [6, 0, 20])
})

test('clients that read survive a reorg of 20 MB, and one that does not read is closed', async () => {
  const { backlog, clients: readers, overflows } = openClients(50, true)
  const { clients: stalled, overflows: stalledOverflows } = openClients(1, false, backlog)
  let complete = 0
  for (let block = 0; block < 20; block++) {
    const shared = `${block}`.padEnd(1_000_000, 'x')
    for (const { box } of [...readers, ...stalled])
      box.push(notification(block, shared), () => void complete++)
  }
  for (let turns = 0; complete < 20 * readers.length && turns < 10_000; turns++) await nextTurn()
  assert.deepEqual([complete, overflows(), stalledOverflows()], [20 * readers.length, 0, 0])
  for (let block = 20; block < 40; block++) {
    const shared = `${block}`.padEnd(1_000_000, 'x')
    for (const { box } of [...readers, ...stalled])
      box.push(notification(block, shared), () => void complete++)
    await settle(40)
  }
  assert.deepEqual([overflows(), stalledOverflows()], [0, 1])
})

test('one text may exceed the limit', async () => {
  const { clients, overflows } = openClients(10, true)
  let complete = 0
  const shared = 'x'.repeat(BACKLOG_MAX_BYTES + 1)
  for (const [index, { box }] of clients.entries()) {
    box.push(notification(index, shared), () => void complete++)
    box.push(notification(index, 'x'), () => void complete++)
  }
  for (let turns = 0; complete < 20 && turns < 10_000; turns++) await nextTurn()
  assert.deepEqual([complete, overflows()], [20, 0])
})

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

test('kept notifications count until they are let go', () => {
  const { clients, overflows } = openClients(6, true)
  const text = 'x'.repeat(10_000_000)
  for (let call = 0; call < 3; call++) {
    for (const { box } of clients) assert.equal(box.keep(text), text)
    for (const { box } of clients) box.letGo()
  }
  assert.equal(overflows(), 0)
  for (const { box } of clients) box.keep(text)
  clients[0]!.box.keep(text)
  assert.ok(overflows() > 0)
})
