/* A node whose oldest segments are damaged or missing goes on with the chain. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { extend, openTestChain } from '#chain/chain.fixture.ts'
import { openIn } from '#chain/ledger/history.fixture.ts'
import { notedDamage } from '#store/segments/damage-notes.ts'
import { openSegment } from '#store/segments/past-blocks.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { growChain, moverOf } from './move-history.fixture.ts'

test('offers and choices of a consensus client are answered although a segment is missing', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const [chain, other] = [await openIn(path), await openTestChain()]
  t.after(() => chain.close())
  t.after(() => other.close())
  await growChain(chain, 30)
  await growChain(other, 30)
  await moverOf(chain).moveAll()
  chain.store.past.close()
  rmSync(join(path, 'segments', '000000000008.segment'))
  const [next, skipped, orphan] = [await extend(other), await extend(other), await extend(other)]
  assert.equal((await chain.offer(chain.receive(next))).ok, true)
  const verdict = await chain.offer(chain.receive(orphan))
  assert.equal(!verdict.ok && verdict.reason, 'UNKNOWN_PARENT')
  const { hash: head } = chain.receive(skipped)
  const chosen = await chain.choose({ head, safe: ZERO_HASH, finalized: ZERO_HASH })
  assert.deepEqual(chosen, { ok: false, reason: 'UNKNOWN' })
})

test('a damaged segment that the merge of hashes finds is noted', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const chain = await openIn(path)
  t.after(() => chain.close())
  await growChain(chain, 30)
  await moverOf(chain).moveAll()
  const file = join(path, 'segments', '000000000000.segment')
  const segment = openSegment(file)
  // After the headers and contents: the index of block hashes.
  const { offset } = [...segment.verify()][2]!
  segment.close()
  const bytes = readFileSync(file)
  bytes[offset]! ^= 1
  writeFileSync(file, bytes)
  await growChain(chain, 10)
  await assert.rejects(moverOf(chain).moveAll(), { kind: 'SEGMENT_DAMAGED' })
  assert.deepEqual(notedDamage(join(path, 'segments')), [0])
})
