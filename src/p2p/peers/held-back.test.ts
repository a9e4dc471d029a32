/* Peers that send more than they may, over real connections. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { pacedClock, testPeers, testProtocol, until } from './peers.fixture.ts'
import type { MessageLimit } from './protocol.ts'
import type { SessionEnd } from './session.ts'

const TIMEOUT = { timeout: 20_000 }
/** A second takes so much less. */
const PACE = 4
const SEND_EVERY_MS = 15

/** Two that are linked; the second takes no more than the limit, on a clock that runs ahead. */
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

test('who sends more than it may waits, and all of it is read at last', TIMEOUT, async (t) => {
  const { link, taker, ends } = await linked(t, { perSecond: 5 })
  for (let count = 0; count < 60; count++) {
    assert.ok(link.send(1, Uint8Array.of(count), 'bulk'))
    await rest()
  }
  await until(() => taker.heard.length === 60)
  assert.deepEqual(ends, [])
})

test('who does so for long floods, and is left with that sentence', TIMEOUT, async (t) => {
  const { link, ends } = await linked(t, { perSecond: 5, floodSeconds: 3 })
  while (ends.length === 0) {
    link.send(1, Uint8Array.of(1), 'bulk')
    await rest()
  }
  const [{ reason, byPeer, sentence }] = ends as [SessionEnd]
  assert.deepEqual([reason, byPeer], ['breachOfProtocol', false])
  assert.equal(sentence, 'The peer floods this node with messages 1 of test.')
})
