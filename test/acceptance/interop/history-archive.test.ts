/*
 * Nodes that share an archive on a real S3 server: two with the chain, and a fresh one that begins with a state file. The
 * archive goes away and comes back while they run.
 */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { exportState, importState } from '#chain/snapshot/state-file.fixture.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import {
  answersOf,
  ask,
  HOT_BLOCKS,
  hex,
  MOVED,
  makeChain,
  SEGMENTS,
  segmentsIn,
  useSmallSegments,
  withNode,
} from '../../support/old-blocks.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { findS3Server, startS3Server } from '../../support/s3-server.ts'

const program = findS3Server()
const skip = program === undefined && 'Go is missing, which builds versitygw'
const POLL_MS = 100
const WAIT_MS = 60_000
const UNAVAILABLE = /^History archive unavailable \(Retry later\. The node log has the reason\)$/

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += POLL_MS) {
    assert.ok(waited < WAIT_MS, what)
    await setTimeout(POLL_MS)
  }
}

test('nodes share an archive, delete their copies, survive its absence, and a fresh node reads from it', {
  skip,
  timeout: 200_000,
}, async (context) => {
  const server = await startS3Server(context, program!)
  const data = temporaryDirectory(context)
  const database = join(data, 'database')
  const { hashes, format } = await makeChain(database)
  const second = temporaryDirectory(context)
  cpSync(data, second, { recursive: true })
  const still = [`--data-storage-format=${format}`]
  const archive = [
    ...still,
    `--history-hot-blocks=${HOT_BLOCKS}`,
    `--history-archive=${server.url}/test`,
    `--history-archive-credentials-file=${server.credentialsFile}`,
    '--history-local-bytes=0',
  ]
  const objects = () => readdirSync(server.bucket, { recursive: true }).map(String).sort()
  const stamps = () => objects().map((name) => statSync(join(server.bucket, name)).mtimeMs)
  const isDone = (path: string) =>
    segmentsIn(path, '.outline').length === SEGMENTS && segmentsIn(path).length === 0

  // The first node moves, uploads and deletes; every answer stays the same.
  const before = await withNode(context, archive, data, async (client, node) => {
    const answers = await answersOf(client, hashes)
    await until('the first node has deleted its copies', () => isDone(database))
    assert.deepEqual(await answersOf(client, hashes), answers)
    assert.doesNotMatch(node.output(), /History archive failed/)
    assert.ok(!node.output().includes(server.secretKey))
    return answers
  })
  assert.equal(objects().filter((name) => name.endsWith('.segment')).length, SEGMENTS)

  // The second has the same blocks, so it finds all segments in the archive and writes none. Then the archive goes away:
  // recent blocks are served, and old ones as soon as it returns.
  const uploaded = stamps()
  const secondDatabase = join(second, 'database')
  await withNode(context, [...archive, '--history-cache-bytes=0'], second, async (client, node) => {
    await until('the second node has deleted its copies', () => isDone(secondDatabase))
    assert.deepEqual(stamps(), uploaded)
    await server.kill()
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', hex(3), true],
      ['eth_getLogs', { fromBlock: '0x1', toBlock: '0x10' }],
      ['trace_block', hex(3)],
      ['debug_traceBlockByNumber', hex(3)],
    ] as const) {
      const { error } = await client.call(method, ...params)
      assert.equal(error?.code, -32603, method)
      assert.match(error.message, UNAVAILABLE)
    }
    assert.ok(await ask(client, 'eth_getBlockByNumber', hex(MOVED + 1), true))
    await server.restart()
    // Servers and engines ask the archive on their own.
    for (const method of ['eth_getBlockReceipts', 'trace_block'])
      await until(`${method} is back`, async () => (await client.call(method, hex(3))).error === undefined)
    assert.deepEqual(await answersOf(client, hashes), before)
    assert.ok(!node.output().includes(server.secretKey))
  })
  const command = [`--data-path=${data}`, `--genesis-file=${join(data, 'genesis.json')}`, ...still, 'history']
  const verified = cairn([...command, 'verify'])
  assert.equal(
    verified.stdout,
    `The ${SEGMENTS} segments are intact: checksums, blocks and indexes.\n`,
    verified.stderr,
  )
  assert.match(cairn([...command, 'list']).stdout, /the rest is in the archive/)

  // A fresh node begins with a state file and reads old blocks from the archive without copying them.
  const fresh = temporaryDirectory(context)
  const freshDatabase = join(fresh, 'database')
  const stateFile = await exportState(database)
  await importState(stateFile, { database: freshDatabase, format, genesisText: GENESIS_TEXT })
  const kv = await openLevelKv(freshDatabase, { createIfMissing: false })
  await useSmallSegments(kv)
  await kv.close()
  cpSync(join(data, 'key'), join(fresh, 'key'))
  await withNode(context, archive, fresh, async (client) => {
    await until(
      'the fresh node has all outlines',
      () => segmentsIn(freshDatabase, '.outline').length === SEGMENTS,
    )
    const isKnown = (result: unknown) => before.some((answer) => isDeepStrictEqual(answer, result))
    assert.ok(isKnown(await ask(client, 'eth_getBlockByNumber', hex(3), true)))
    assert.ok(isKnown(await ask(client, 'eth_getTransactionReceipt', hashes[1]![0])))
    assert.ok(isKnown(await ask(client, 'trace_transaction', hashes[1]![0])))
    assert.ok(readdirSync(join(freshDatabase, 'segments', 'cache')).length > 0)
    const range = { fromBlock: '0x1', toBlock: hex(MOVED - 1) }
    assert.ok(isKnown(await ask(client, 'eth_getLogs', range)))
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', hex(MOVED + 1), true],
      ['eth_getLogs', { ...range, toBlock: hex(MOVED) }],
    ] as const) {
      assert.equal((await client.call(method, ...params)).error?.code, 4444, method)
    }
  })
})
