import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { choosePeer } from './choose-peer.ts'
import type { EthPeer } from './eth-peer.ts'
import { PeerScore } from './peer-score.ts'

const CODE = ETH.getBlockHeaders

/** The part of a peer that a choice depends on. */
function peer(load: number, ...answers: readonly (readonly [items: number, ms: number])[]): EthPeer {
  const score = new PeerScore(createFakeClock())
  for (const [items, ms] of answers) score.answered(CODE, items, ms)
  return { load, score } as unknown as EthPeer
}

test('the fastest peer is used, whatever the scores of the others', () => {
  const [slow, fast] = [peer(0, [1, 9_000]), peer(1, [192, 20])]
  for (let useful = 0; useful < 50; useful++) slow.score.useful()
  assert.equal(choosePeer([slow, fast], CODE, 'fastest'), fast)
  assert.equal(choosePeer([slow, fast], CODE, 'leastBusy'), fast)
})

test('requests are spread over peers of similar speed and new ones', () => {
  const [busy, idle, fresh] = [peer(1, [64, 10]), peer(0, [64, 30]), peer(0)]
  assert.equal(choosePeer([busy, idle], CODE, 'leastBusy'), idle)
  assert.equal(choosePeer([busy, fresh], CODE, 'leastBusy'), fresh)
  assert.equal(choosePeer([busy, fresh], CODE, 'fastest'), busy)
})

test('a peer that has become slow is skipped after a few answers', () => {
  const [fading, steady] = [peer(0, [192, 5]), peer(0, [192, 40])]
  for (let late = 0; late < 4; late++) fading.score.answered(CODE, 0, 500)
  assert.equal(choosePeer([fading, steady], CODE, 'fastest'), steady)
})

test('a slow peer is used if there is no other', () => {
  const slow = peer(0, [0, 500])
  assert.equal(choosePeer([slow], CODE, 'fastest'), slow)
  assert.equal(choosePeer([], CODE, 'fastest'), undefined)
})
