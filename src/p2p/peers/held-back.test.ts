/* Peers that exceed their limits, over real connections. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { pacedClock, testPeers, testProtocol, until } from './peers.fixture.ts'
import type { MessageLimit } from './protocol.ts'
import type { SessionEnd } from './session.ts'

const TIMEOUT = { timeout: 20_000 }
/** A second is shorter by this factor. */
const PACE = 4
const SEND_EVERY_MS = 15

/** Two linked peers; the second enforces the limit with a fast clock. */
async function linked(t: TestContext, limit: Omit<MessageLimit, 'maxBytes'>) {
  const [sender, taker] = [testProtocol(), testProtocol()]
  const limited = { ...taker, limitOf: () => ({ maxBytes: 100, ...limit }) }
  const a = await testPeers([sender])
  const b = await testPeers([limited], {}, { clock: pacedClock(PACE) })
  t.after(() => Promise.all([a.network.stop(), b.network.stop()]))
  const ends: SessionEnd[] = []
  b.network.left.subscribe(({ end }) => ends.push(end))
  a.network.maintain(b.enode)
  await until(() => sender.links.length === 1 && taker.links.length === 1)
  return { link: sender.links[0]!, taker, ends }
}

const rest = () => new Promise<void>((resolve) => void systemClock.after(SEND_EVERY_MS, resolve))

test('a peer above its limit is delayed, and all its messages are read', TIMEOUT, async (t) => {
  const { link, taker, ends } = await linked(t, { perSecond: 5 })
  for (let count = 0; count < 60; count++) {
    assert.ok(link.send(1, Uint8Array.of(count), 'bulk'))
    await rest()
  }
  await until(() => taker.heard.length === 60)
  assert.deepEqual(ends, [])
})

test('a peer held back by a protocol is read again after the longest time', TIMEOUT, async (t) => {
  const { link, taker, ends } = await linked(t, { perSecond: 1_000 })
  const startMs = systemClock.monotonicMs()
  taker.links[0]!.holdBack(2_000)
  taker.links[0]!.holdBack(500)
  assert.ok(link.send(1, Uint8Array.of(1), 'bulk'))
  await until(() => taker.heard.length === 1)
  assert.ok(systemClock.monotonicMs() - startMs >= 1_900 / PACE)
  assert.deepEqual(ends, [])
})

test('a peer held back for less time than a clock reading takes stays connected', TIMEOUT, async (t) => {
  const { link, taker, ends } = await linked(t, { perSecond: 1_000 })
  taker.links[0]!.holdBack(1e-6)
  assert.ok(link.send(1, Uint8Array.of(1), 'bulk'))
  await until(() => taker.heard.length === 1)
  assert.deepEqual(ends, [])
})

test('a peer above its limit for long is disconnected as a flood', TIMEOUT, async (t) => {
  const { link, ends } = await linked(t, { perSecond: 5, floodSeconds: 3 })
  while (ends.length === 0) {
    link.send(1, Uint8Array.of(1), 'bulk')
    await rest()
  }
  const [{ reason, byPeer, sentence }] = ends as [SessionEnd]
  assert.deepEqual([reason, byPeer], ['breachOfProtocol', false])
  assert.equal(sentence, 'The peer floods this node with messages 1 of test.')
})
