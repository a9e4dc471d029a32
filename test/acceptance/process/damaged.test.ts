/*
 * A node with a damaged database reports it and stops, at the start or when a request reads the damaged part.
 *
 * CAIRN_CRASH_SEED repeats a run.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { call, GENESIS_TEXT, makeBlocks } from '#chain/chain.fixture.ts'
import { createNode } from '#node/create-node.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { TABLE } from '#store/kv/keys.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'

const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
const BLOCKS = 12
const DAMAGED_BYTES = 200
const DAMAGED = /The database.* is damaged.*import or sync the chain again/

/** Writes a chain and reopens it, so the database moves its log into a table. */
async function makeChain(context: TestContext): Promise<string> {
  const dataPath = join(temporaryDirectory(context), 'node')
  const node = await createNode({ genesis: GENESIS_TEXT, dataPath })
  const blocks = await makeBlocks(...Array.from({ length: BLOCKS }, (_, nonce) => [call(nonce)]))
  for (const block of blocks) assert.ok((await node.importBlock(block, 'none')).ok)
  await node.stop()
  await (await createNode({ genesis: GENESIS_TEXT, dataPath })).stop()
  return dataPath
}

test(`random bytes in a table stop the start with a sentence (CAIRN_CRASH_SEED=${SEED})`, async (context) => {
  const dataPath = await makeChain(context)
  const random = createSeededRandom(SEED)
  const database = join(dataPath, 'database')
  const tables = readdirSync(database).filter((name) => name.endsWith('.ldb'))
  assert.ok(tables.length > 0)
  for (const name of tables) {
    const bytes = readFileSync(join(database, name))
    const count = Math.min(DAMAGED_BYTES, bytes.length)
    bytes.set(random.randomBytes(count), random.randomBelow(bytes.length - count + 1))
    writeFileSync(join(database, name), bytes)
  }
  await assert.rejects(createNode({ genesis: GENESIS_TEXT, dataPath }), DAMAGED)
})

test('damage that somebody reads while the node runs ends the node with the same sentence', async (context) => {
  const dataPath = await makeChain(context)
  const node = await createNode({ genesis: GENESIS_TEXT, dataPath, options: { logging: 'OFF' } })
  context.after(() => node.stop())
  const kv = await openLevelKv(join(dataPath, 'database'), { createIfMissing: false })
  const headers = { gte: Uint8Array.of(TABLE.header), lt: Uint8Array.of(TABLE.header + 1), limit: BLOCKS }
  for await (const [key, value] of kv.range(headers)) {
    const batch = kv.batch()
    batch.put(key, value.subarray(0, value.length >> 1))
    await batch.write({ sync: true })
  }
  await kv.close()
  const params = ['0x5', false]
  await assert.rejects(node.provider.request({ method: 'eth_getBlockByNumber', params }))
  assert.match((await node.failed).message, DAMAGED)
})

test('a database without its file CURRENT is not created again', async (context) => {
  const dataPath = await makeChain(context)
  rmSync(join(dataPath, 'database', 'CURRENT'))
  const before = readdirSync(join(dataPath, 'database')).sort()
  const genesis = join(temporaryDirectory(context), 'genesis.json')
  writeFileSync(genesis, GENESIS_TEXT)
  const { code, stderr } = cairn([`--data-path=${dataPath}`, `--genesis-file=${genesis}`])
  assert.equal(code, 2)
  assert.match(stderr, /is damaged: its file \S+CURRENT is missing.*import or sync the chain again/)
  assert.deepEqual(readdirSync(join(dataPath, 'database')).sort(), before)
})
