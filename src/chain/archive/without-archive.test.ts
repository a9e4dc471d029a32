/* Nodes with outlines whose archive is not configured any more. */
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { test } from 'node:test'
import { testGenesis } from '#chain/chain.fixture.ts'
import { damagedHistoryOf } from '#chain/write/damaged-history.ts'
import { headersDown } from '#chain/write/move-history.fixture.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { keccak256 } from '#types/keccak.ts'
import {
  damage,
  fileOf,
  keep,
  makeMoved,
  makeOutlined,
  moveAbove,
  openReader,
  temporary,
} from './archive.fixture.ts'

test('a segment rebuilt for a damaged outline is used instead of it', async (t) => {
  const path = await makeOutlined(t)
  const chain = await moveAbove(t, path)
  const { store } = chain
  const headers = headersDown(chain, 15, 8)
  store.past.close()
  damage(path, '000000000008.outline')
  assert.throws(() => store.past.hash(9), { kind: 'SEGMENT_DAMAGED' })
  const history = damagedHistoryOf(store, testGenesis(), keccak256)
  assert.deepEqual(history.damaged(), [8])
  const source = { headers: async () => headers, contents: async () => assert.fail() }
  assert.equal((await history.repair(8, source, () => false))?.fetched, 8)
  assert.notEqual(store.past.hash(9), undefined)
  assert.deepEqual(history.damaged(), [])
})

test('a reader with an open outline uses a segment that is copied next to it', async (t) => {
  const s3 = await startFakeS3(t)
  const path = await makeMoved(t)
  const [copied, copy] = [fileOf(path, '000000000008.segment'), temporary(t)]
  copyFileSync(copied, copy)
  await keep(path, s3.place, 0)
  const { past } = await openReader(t, path)
  const body = () => past.read('body', 9, past.hash(9)!)
  assert.throws(body, { kind: 'ARCHIVE_UNAVAILABLE' })
  copyFileSync(copy, copied)
  past.refresh()
  assert.notEqual(body(), undefined)
})
