import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLevelKv } from '#store/kv.ts'
import { call, extend, GENESIS_TEXT, openTestChain } from './chain.fixture.ts'
import type { Chain } from './create-chain.ts'
import { type AnnouncedHead, openChainReader } from './open-chain-reader.ts'

async function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-reader-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const chain = await openTestChain({}, await openLevelKv(folder, { createIfMissing: true }))
  const config = { genesisText: GENESIS_TEXT, path: folder, historyBlocks: 512 }
  const reader = await openChainReader(config, headOf(chain, 1))
  t.after(async () => {
    await reader.close()
    await chain.close()
  })
  return { chain, reader }
}

function headOf({ head }: Chain, sequence: number): AnnouncedHead {
  return { sequence, number: Number(head.header.number), hash: head.hash }
}

test('the head is the one that was announced, and never an older one', async (t) => {
  const { chain, reader } = await setUp(t)
  await extend(chain, [call(0)])
  assert.equal(reader.view.head().header.number, 0n)
  const first = headOf(chain, 2)
  reader.announce(first)
  assert.equal(reader.view.head().header.number, 1n)
  await extend(chain, [call(1)])
  reader.announce(headOf(chain, 3))
  reader.announce(first)
  assert.equal(reader.view.head().header.number, 2n)
  assert.equal(reader.announced().sequence, 3)
})

test('a reader that caught up with the store is not taken back by news that were on their way', async (t) => {
  const { chain, reader } = await setUp(t)
  await extend(chain, [call(0)])
  reader.announce(headOf(chain, 2))
  await chain.unwind(0)
  const unwound = headOf(chain, 3)
  await extend(chain, [call(0), call(1)])
  const replaced = headOf(chain, 4)

  reader.view.catchUp()
  assert.equal(reader.view.head().hash, replaced.hash)
  reader.announce(unwound)
  assert.equal(reader.view.head().hash, replaced.hash)
  reader.announce(replaced)
  await extend(chain, [])
  assert.equal(reader.view.head().hash, replaced.hash)
})
