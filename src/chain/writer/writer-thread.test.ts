import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { CandidateSource, LeftOut, SelectionOrder } from '#chain/build/candidates.ts'
import {
  call,
  candidatesOf,
  GENESIS_TEXT,
  LOOPER,
  makeBlocks,
  openTestChain,
  RICH,
  SOMEBODY,
  silentLog,
  templateOf,
} from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { type HeadChange, readIncluded } from '#chain/write/head-change.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { createPortPair } from '#platform/channel/port-pair.ts'
import { systemClock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { openStoreReader } from '#store/open-store.ts'
import { decodeBlock } from '#types/block/block.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { openImportLine, type PeersImport } from './import-line.ts'
import { startTestWriter } from './writer-thread.fixture.ts'

function sourceOf(transactions: readonly Transaction[]): CandidateSource & { readonly told: LeftOut[] } {
  const told: LeftOut[] = []
  return { select: () => candidatesOf(transactions), leftOut: (candidates) => told.push(...candidates), told }
}

test('the writer asks once for the senders of a block, trusts the answer and recovers the rest', async (context) => {
  const { writer } = await startTestWriter(context)
  const asked: string[] = []
  const [block, next] = await makeBlocks([call(0), call(1)], [call(2)])
  writer.askForSenders((hash) => {
    asked.push(hash)
    return hash === call(0).hash ? RICH : undefined
  })
  assert.deepEqual(await writer.validate(block!, 'full'), { ok: true })
  assert.ok((await writer.importBlock(block!, 'full')).ok)
  assert.deepEqual(asked, [call(0).hash, call(1).hash])
  // A wrong answer is trusted as well, which shows that senders are not recovered.
  writer.askForSenders(() => SOMEBODY)
  assert.equal((await writer.validate(next!, 'full')).ok, false)
  // A failing source counts as one that knows nothing.
  writer.askForSenders(() => {
    throw new Fault('THREAD_DIED', { sentence: 'No.' })
  })
  assert.ok((await writer.importBlock(next!, 'full')).ok)
})

test('the writer imports, builds, rewinds and announces heads, and readers see the durable state', async (context) => {
  const { writer, config } = await startTestWriter(context)
  const reader = await openStoreReader(config)
  const events: HeadChange[] = []
  writer.headMoved.subscribe((each) => events.push(each))
  const [first, second] = await makeBlocks([call(0)], [call(1)])
  const verdict = await writer.importBlock(first!, 'full')
  assert.ok(verdict.ok)
  const bulk = { blocks: [first!, second!], senders: undefined, validation: 'full' } as const
  assert.deepEqual(await writer.importBlocks(bulk), { ok: true, imported: 1 })
  const head = await writer.head()
  assert.equal(new Lookup(reader).header(head.number)?.hash, head.hash)
  const timestamp = BigInt(head.timestamp + 1)
  const template = { ...templateOf(await openTestChain()), parent: head.hash, timestamp }
  const built = await writer.build(template, sourceOf([call(2)]))
  assert.deepEqual(await writer.validate(built.block, 'light'), { ok: true })
  assert.ok((await writer.importBlock(built.block, 'full')).ok)
  await writer.unwind(1)
  assert.ok((await writer.setHead(built.hash, 'full')).ok)
  assert.equal(new Lookup(reader).header(head.number + 1)?.hash, built.hash)
  assert.deepEqual(
    events.map(({ number, removed, added }) => [number, removed.length, added.length]),
    [
      [1, 0, 1],
      [2, 0, 1],
      [3, 0, 1],
      [1, 2, 0],
      [3, 0, 2],
    ],
  )
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [2, 3, 4, 5, 6],
  )
  const { added, removed } = events[3]!
  const gone = removed.flatMap(({ included }) => readIncluded(included!).map(({ nonce }) => nonce))
  assert.deepEqual([added, gone], [[], [1n, 2n]])
  await reader.close()
  assert.deepEqual(await writer.stop(), { how: 'stopped' })
})

function knownHeaderOf(block: Uint8Array): KnownHeader {
  const { header } = decodeBlock(block)
  return { hash: hashHeader(header), header }
}

/** Waits until exactly these outcomes have reached main. */
async function untilTold(outcomes: readonly PeersImport[], expected: readonly PeersImport[]): Promise<void> {
  while (outcomes.length < expected.length) await nextTurn()
  assert.deepEqual(outcomes, expected)
}

test('blocks arrive on a line from another thread, and main learns only the outcome', async (context) => {
  const { writer } = await startTestWriter(context)
  const outcomes: PeersImport[] = []
  writer.peersImported.subscribe((outcome) => outcomes.push(outcome))
  const open = () => {
    const [ours, theirs] = createPortPair()
    writer.openImportLine(theirs)
    return openImportLine(ours, { clock: systemClock, log: silentLog })
  }
  const line = open()
  const [first, second, third, fourth] = await makeBlocks([call(0)], [call(1)], [call(2)], [])
  const part = (blocks: readonly Uint8Array[], remaining: number) => ({
    blocks,
    headers: blocks.map(knownHeaderOf),
    senders: [[RICH], [RICH]].slice(0, blocks.length),
    remaining,
  })
  assert.deepEqual(await line.importBlocks(part([first!, second!], 7)), { ok: true, imported: 2 })
  await untilTold(outcomes, [{ imported: 2, remaining: 7 }])

  // The header sent along counts, not the one in the bytes.
  const known = knownHeaderOf(third!)
  const wrong = { ...known, header: { ...known.header, gasLimit: 1n } }
  assert.equal((await line.importBlock({ block: third!, known: wrong })).ok, false)
  assert.equal((await writer.head()).number, 2)
  line.close()

  // Closing one line does not affect the next.
  const next = open()
  assert.ok((await next.importBlock({ block: third!, known })).ok)
  const notABlock = next.importBlock({ block: Uint8Array.of(0xc0), known: knownHeaderOf(fourth!) })
  await assert.rejects(notABlock, (error) => error instanceof Fault && error.kind === 'INVALID_BLOCK')
  assert.deepEqual(await next.importBlocks(part([first!], 3)), { ok: true, imported: 0 })
  await untilTold(outcomes, [
    { imported: 2, remaining: 7 },
    { imported: 0, remaining: 3 },
  ])
  next.close()
})

test('work that takes too long is ended, and the writer continues with the next request', async (context) => {
  const { writer } = await startTestWriter(context)
  const chain = await openTestChain()
  const candidates = sourceOf([call(0, LOOPER, 30_000_000n)])
  const isLate = (error: unknown) => error instanceof Fault && error.kind === 'DEADLINE_EXCEEDED'
  await assert.rejects(writer.build(templateOf(chain), candidates, { deadlineMs: 20 }), isLate)
  const [block] = await makeBlocks([call(0)])
  assert.ok((await writer.importBlock(block!, 'full')).ok)
})

/** More gas than any engine uses up within the test. */
const ENDLESS_GAS = 10n ** 12n
const ENDLESS_GENESIS = JSON.stringify({
  ...JSON.parse(GENESIS_TEXT),
  gasLimit: `0x${(2n * ENDLESS_GAS).toString(16)}`,
})
/** Enough for a transfer on a busy machine. */
const MIN_BUDGET_MS = 600

for (const engine of ['js', 'native'] as const) {
  const skip = engine === 'native' && !createNativeEngine().ok ? 'not built' : false
  test(`an endless transaction leaves a block of the earlier ones, on time: ${engine}`, {
    skip,
  }, async (context) => {
    const { writer } = await startTestWriter(context, { engine, genesisText: ENDLESS_GENESIS })
    const template = { ...templateOf(await openTestChain()), parent: (await writer.head()).hash }
    const build = async () => {
      const source = sourceOf([call(0), call(1, LOOPER, ENDLESS_GAS), call(2)])
      const startMs = systemClock.monotonicMs()
      const built = await writer.build(template, source, { budgetMs: MIN_BUDGET_MS })
      return { ...built, source, tookMs: systemClock.monotonicMs() - startMs }
    }
    const ranLong = ({ leftOut }: Awaited<ReturnType<typeof build>>) =>
      (leftOut[0]?.runMs ?? 0) > MIN_BUDGET_MS / 2
    let built = await build()
    // On a busy machine the writer may begin when the time is almost up, though hardly every time.
    for (let tries = 0; tries < 4 && !ranLong(built); tries++) built = await build()
    const { block, leftOut, source, tookMs } = built
    assert.ok(tookMs >= MIN_BUDGET_MS && tookMs < 20 * MIN_BUDGET_MS, `${tookMs} ms`)
    assert.equal(decodeBlock(block).transactions.length, 1)
    assert.equal(leftOut.length, 1)
    assert.match(leftOut[0]!.reason, /^(BLOCK_SELECTION_TIMEOUT|TX_EVALUATION_TOO_LONG)$/)
    assert.ok(
      ranLong(built) && leftOut[0]!.runMs! < tookMs,
      `it ran for ${leftOut[0]!.runMs} of ${tookMs} ms`,
    )
    assert.deepEqual(source.told, leftOut)
    assert.ok((await writer.importBlock(block, 'light')).ok)
  })
}

test('candidates are requested with their selection terms, and a late candidate is not awaited', async (context) => {
  const { writer } = await startTestWriter(context)
  const template = templateOf(await openTestChain())
  const orders: SelectionOrder[] = []
  let isEnded = false
  const source: CandidateSource = {
    async *select(order) {
      orders.push(order)
      try {
        yield* candidatesOf([call(0)])
        await new Promise((resolve) => order.signal.addEventListener('abort', resolve, { once: true }))
      } finally {
        isEnded = true
      }
    },
    leftOut: (candidates) => assert.deepEqual(candidates, []),
  }
  const askedMs = systemClock.monotonicMs()
  const { block } = await writer.build(template, source, { budgetMs: MIN_BUDGET_MS })
  const { header, transactions } = decodeBlock(block)
  const [{ signal, deadlineAtMs, ...terms }] = orders as [SelectionOrder]
  assert.deepEqual(terms, {
    parent: template.parent,
    number: 1n,
    timestamp: template.timestamp,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas,
  })
  assert.ok(deadlineAtMs >= askedMs + MIN_BUDGET_MS && signal.aborted && isEnded)
  assert.equal(transactions.length, 1)
})

test('a build that may wait appends later candidates, and its wait uses up no budget', async (context) => {
  const { writer } = await startTestWriter(context)
  const template = templateOf(await openTestChain())
  const selections = [[call(0)], [call(1), call(2)]]
  const deadlinesMs: number[] = []
  const source: CandidateSource = {
    select: ({ deadlineAtMs }) => {
      deadlinesMs.push(deadlineAtMs)
      return candidatesOf(selections[deadlinesMs.length - 1]!)
    },
    leftOut: (candidates) => assert.deepEqual(candidates, []),
  }
  const executed: number[] = []
  const waitForMore = async (count: number): Promise<boolean> => {
    executed.push(count)
    await new Promise((resolve) => systemClock.after(MIN_BUDGET_MS, () => resolve(undefined)))
    return true
  }
  const { block } = await writer.build(template, source, { budgetMs: MIN_BUDGET_MS, waitForMore })
  assert.equal(decodeBlock(block).transactions.length, 3)
  assert.deepEqual(executed, [1])
  assert.ok(deadlinesMs[1]! - deadlinesMs[0]! >= MIN_BUDGET_MS - 1)
  assert.ok((await writer.importBlock(block, 'light')).ok)
})

test('a build that need not wait longer, or is cancelled meanwhile, requests candidates once', async (context) => {
  const { writer } = await startTestWriter(context)
  const template = templateOf(await openTestChain())
  const source = sourceOf([call(0)])
  const { transactions } = await writer.build(template, source, { waitForMore: async () => false })
  assert.equal(transactions, 1)
  const cancel = new AbortController()
  const waitForMore = async (): Promise<boolean> => {
    cancel.abort()
    return new Promise(() => undefined)
  }
  await assert.rejects(writer.build(template, source, { waitForMore, signal: cancel.signal }))
  assert.ok((await writer.build(template, source)).transactions === 1, 'The writer is free again.')
})

test('a failing candidate source costs transactions, but not the block', async (context) => {
  const { writer } = await startTestWriter(context)
  const template = templateOf(await openTestChain())
  const source: CandidateSource = {
    async *select() {
      yield* candidatesOf([call(0)])
      await nextTurn()
      throw new Error('the pool failed')
    },
    leftOut: () => {
      throw new Error('the pool failed')
    },
  }
  const { block } = await writer.build(template, source, { budgetMs: 20 * MIN_BUDGET_MS })
  assert.equal(decodeBlock(block).transactions.length, 1)
  const dumb = { select: () => assert.fail('no candidates'), leftOut: () => {} }
  const { block: empty } = await writer.build(template, dumb, { budgetMs: 20 * MIN_BUDGET_MS })
  assert.equal(decodeBlock(empty).transactions.length, 0)
})
