import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeBlocks, testGenesis } from '#chain/chain.fixture.ts'
import { decodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { linkHeaders, readHeader, tipOf } from './header-chain.ts'

const hashBlock = blockHashOf(testGenesis().config.consensus)
const HEADERS = (await makeBlocks([], [], [], [], [])).map((block) => decodeBlock(block).header)
const TIP = tipOf({ hash: hashBlock(HEADERS[0]!), header: HEADERS[0]! })
const link = (headers: readonly (typeof HEADERS)[number][]) =>
  linkHeaders(headers.map(encodeHeader), TIP, hashBlock)
const [, second, third, fourth, fifth] = HEADERS as [
  (typeof HEADERS)[0],
  (typeof HEADERS)[0],
  (typeof HEADERS)[0],
  (typeof HEADERS)[0],
  (typeof HEADERS)[0],
]

test('headers that follow the tip and each other are linked', () => {
  const linked = link([second, third, fourth, fifth])
  assert.ok(linked.ok)
  assert.deepEqual(
    linked.headers.map(({ hash }) => hash),
    [second, third, fourth, fifth].map(hashBlock),
  )
})

test('a header with the right number and another parent within an answer is refused', () => {
  const strange = { ...fourth, parentHash: fourth.stateRoot }
  const linked = link([second, third, strange, { ...fifth, parentHash: hashBlock(strange) }])
  assert.ok(!linked.ok)
  assert.equal(linked.why, 'broken')
  assert.match(linked.sentence, /^Header 4 of the peer follows 0x/)
})

test('a first header with the right number and another parent is a fork', () => {
  const linked = link([{ ...second, parentHash: second.stateRoot }])
  assert.ok(!linked.ok)
  assert.equal(linked.why, 'fork')
})

test('a header with the right parent and another number is refused', () => {
  for (const number of [1n, 3n]) {
    const linked = link([{ ...second, number }])
    assert.ok(!linked.ok)
    assert.equal(linked.why, 'broken')
  }
})

test('bytes that are not a header of this network are a fault of the peer', () => {
  for (const bytes of [Uint8Array.of(0xc0), encodeHeader({ ...second, extraData: Uint8Array.of(1) })]) {
    assert.throws(
      () => readHeader(bytes, hashBlock),
      (error) => error instanceof Fault && error.kind === 'INVALID_ETH_MESSAGE',
    )
  }
})
