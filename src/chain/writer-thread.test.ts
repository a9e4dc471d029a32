import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { openStoreReader } from '#store/open-store.ts'
import { Fault } from '#types/fault.ts'
import {
  call,
  GENESIS_TEXT,
  LOOPER,
  makeBlocks,
  openTestChain,
  silentLog,
  templateOf,
} from './chain.fixture.ts'
import { Lookup } from './lookup.ts'
import type { HeadNews, WriterConfig } from './writer-protocol.ts'
import { startWriterThread } from './writer-thread.ts'

function configOf(context: TestContext): WriterConfig {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-writer-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    genesisText: GENESIS_TEXT,
    headerRulesModule: undefined,
    path: join(folder, 'database'),
    format: 'BONSAI',
    historyBlocks: 512,
    keepRevertReasons: false,
    keepCallTrees: true,
    reorgLoggingThreshold: 6,
    engine: 'js',
    metricsPrefix: 'cairn_',
    log: { level: 'OFF' },
  }
}

const ports = { clock: systemClock, log: silentLog }

test('the writer imports, builds, goes back and tells its news, and others read what is durable', async (context) => {
  const config = configOf(context)
  const writer = await startWriterThread(config, ports)
  const reader = await openStoreReader(config)
  const news: HeadNews[] = []
  writer.headMoved.subscribe((each) => news.push(each))
  const [first, second] = await makeBlocks([call(0)], [call(1)])
  const verdict = await writer.importBlock(first!, 'full')
  assert.ok(verdict.ok)
  const bulk = { blocks: [first!, second!], senders: undefined, validation: 'full' } as const
  assert.deepEqual(await writer.importBlocks(bulk), { ok: true, imported: 1 })
  const head = await writer.head()
  assert.equal(new Lookup(reader).head()?.hash, head.hash)
  const timestamp = BigInt(head.timestamp + 1)
  const template = { ...templateOf(await openTestChain(), [call(2)]), parent: head.hash, timestamp }
  const built = await writer.build(template)
  assert.deepEqual(await writer.validate(built.block, 'light'), { ok: true })
  assert.ok((await writer.importBlock(built.block, 'full')).ok)
  await writer.unwind(1)
  assert.ok((await writer.setHead(built.hash, 'full')).ok)
  assert.equal(new Lookup(reader).head()?.hash, built.hash)
  assert.deepEqual(
    news.map(({ number, removed, added }) => [number, removed.length, added]),
    [
      [1, 0, 1],
      [2, 0, 1],
      [3, 0, 1],
      [1, 2, 0],
      [3, 0, 2],
    ],
  )
  await reader.close()
  assert.deepEqual(await writer.stop(), { how: 'stopped' })
})

test('work that takes too long ends, and the writer takes the next', async (context) => {
  const writer = await startWriterThread(configOf(context), ports)
  const chain = await openTestChain()
  const template = templateOf(chain, [call(0, LOOPER, 30_000_000n)])
  const isLate = (error: unknown) => error instanceof Fault && error.kind === 'DEADLINE_EXCEEDED'
  await assert.rejects(writer.build(template, { deadlineMs: 20 }), isLate)
  const [block] = await makeBlocks([call(0)])
  assert.ok((await writer.importBlock(block!, 'full')).ok)
  await writer.stop()
})
