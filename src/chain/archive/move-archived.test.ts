/* The mover next to an archive thread that deletes segments and takes outlines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openIn } from '#chain/ledger/history.fixture.ts'
import { indexedBlock } from '#chain/write/indexed-block.ts'
import { growChain, moverOf, SEGMENT_BLOCKS } from '#chain/write/move-history.fixture.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { blockKey, TABLE } from '#store/kv/keys.ts'
import { keccak256 } from '#types/keccak.ts'
import {
  damage,
  filesOf,
  keeperOf,
  makeOutlined,
  moveAbove,
  openReader,
  temporary,
} from './archive.fixture.ts'

test('entries of moved blocks are deleted although their segment is only in the archive already', async (t) => {
  const s3 = await startFakeS3(t)
  const path = temporary(t)
  const chain = await openIn(path)
  t.after(() => chain.close())
  await growChain(chain, 30)
  const { store } = chain
  const batch = store.kv.batch()
  // A block without call traces: its part is not in the database before it moves either.
  for (let number = 1; number < SEGMENT_BLOCKS; number++)
    batch.delete(blockKey(TABLE.callTrees, number, store.canonicalHash(number)!))
  await batch.write({ sync: true })
  const blockAt = (number: number) => indexedBlock(store, number, keccak256)
  const work = { isStopped: () => false, pause: () => undefined }
  await store.moveBlocks({ segmentBlocks: SEGMENT_BLOCKS, blockAt, ...work })
  await keeperOf(await openReader(t, path), s3.place, 0).run()
  assert.deepEqual(filesOf(path), ['000000000000.outline'])
  await moverOf(chain).moveAll()
  assert.equal(store.past.mark()?.cleared, 24)
})

test('blocks of a node that took outlines move later', async (t) => {
  const path = await makeOutlined(t)
  await moveAbove(t, path)
  assert.deepEqual(filesOf(path).slice(0, 3), [
    '000000000000.outline',
    '000000000008.outline',
    '000000000016.outline',
  ])
})

test('headers stay if the outline that has them is damaged: they move to a segment', async (t) => {
  const path = await makeOutlined(t)
  damage(path, '000000000008.outline')
  await moveAbove(t, path)
  assert.deepEqual(filesOf(path).slice(0, 3), [
    '000000000000.outline',
    '000000000008.segment',
    '000000000016.outline',
  ])
})
