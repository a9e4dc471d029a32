import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  call,
  extend,
  LOOPER,
  makeBlocks,
  offer,
  openTestChain,
  REVERTER,
  RICH,
  SOMEBODY,
  templateOf,
} from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { encodeBlock } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes } from '#types/hash.ts'
import type { Chain } from './create-chain.ts'
import { type BlockChange, type HeadChange, readIncluded } from './head-change.ts'

const balanceOf = (chain: Chain) =>
  chain.store.headState().account(Buffer.from(SOMEBODY.slice(2), 'hex'))?.balance

const contentOf = ({ number, hash, included }: BlockChange) => [
  number,
  hash,
  readIncluded(included!).map((each) => [each.hash, each.sender, each.nonce]),
]

test('a block on the head is imported, becomes the head and is announced', async () => {
  const [block] = await makeBlocks([call(0)])
  const chain = await openTestChain()
  const events: HeadChange[] = []
  chain.headMoved.subscribe((each) => events.push(each))
  const received = chain.receive(block!)
  assert.deepEqual(await chain.importBlock(received), { ok: true, status: 'imported', hash: received.hash })
  assert.equal(chain.head.hash, received.hash)
  assert.equal(balanceOf(chain), 5n)
  const [{ hash, removed, added }] = events as [HeadChange]
  assert.deepEqual([events.length, hash, removed], [1, received.hash, []])
  assert.deepEqual(added.map(contentOf), [[1, received.hash, [[call(0).hash, RICH, 0n]]]])
  const again = await chain.importBlock(chain.receive(block!))
  assert.deepEqual(again, { ok: true, status: 'known', hash: received.hash })
})

test('a block that comes alone is one line of the log', async () => {
  const blocks = await makeBlocks([call(0)], [])
  const clock = createFakeClock()
  const lines: { msg: string; level: string; fields: Record<string, unknown> }[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const chain = await openTestChain({ clock, log: createLog({ level: 'INFO', destination }) })
  for (const block of blocks) {
    await chain.importBlock(chain.receive(block))
    clock.advance(2_000)
  }
  assert.deepEqual(
    lines.map(({ msg, level }) => [msg, level]),
    [
      ['Imported block', 'INFO'],
      ['Imported block', 'INFO'],
    ],
  )
  const { hash, header } = chain.head
  assert.deepEqual(lines[1]?.fields, {
    number: 2,
    hash,
    transactions: 0,
    gasUsed: 0,
    sinceLastMs: 2_000,
    proposer: header.coinbase,
  })
  assert.deepEqual([lines[0]?.fields.transactions, lines[0]?.fields.sinceLastMs], [1, undefined])
})

test('a block with an unknown parent is refused and changes nothing', async () => {
  const [, second] = await makeBlocks([call(0)], [call(1)])
  const chain = await openTestChain()
  const verdict = await chain.importBlock(chain.receive(second!))
  assert.equal(!verdict.ok && verdict.reason, 'UNKNOWN_PARENT')
  assert.equal(chain.head.header.number, 0n)
})

test('every root, gas total and bloom of a header is compared', async () => {
  const [encoded] = await makeBlocks([call(0)])
  const chain = await openTestChain()
  const { block } = chain.receive(encoded!)
  const wrong = `0x${'99'.repeat(32)}` as typeof block.header.stateRoot
  const bloom = block.header.logsBloom.slice().fill(1)
  for (const [change, reason] of [
    [{ stateRoot: wrong }, 'WRONG_STATE_ROOT'],
    [{ receiptsRoot: wrong }, 'WRONG_RECEIPTS_ROOT'],
    [{ transactionsRoot: wrong }, 'INVALID_BODY'],
    [{ ommersHash: wrong }, 'INVALID_BODY'],
    [{ withdrawalsRoot: wrong }, 'INVALID_BODY'],
    [{ logsBloom: bloom }, 'WRONG_BLOOM'],
    [{ gasUsed: 1n }, 'WRONG_GAS_USED'],
    [{ number: 2n }, 'INVALID_HEADER'],
    [{ gasLimit: block.header.gasLimit * 2n }, 'INVALID_HEADER'],
  ] as const) {
    const header = { ...block.header, ...change }
    const verdict = await chain.importBlock(chain.receive(encodeBlock({ ...block, header })))
    assert.equal(!verdict.ok && verdict.reason, reason, JSON.stringify(Object.keys(change)))
  }
  assert.equal(chain.head.header.number, 0n)
  assert.ok((await chain.importBlock(chain.receive(encoded!))).ok)
})

test('a block that was built is imported without being executed again', async () => {
  const chain = await openTestChain()
  const { executed } = await chain.build(templateOf(chain), offer([call(0)]))
  const before = chain.timings.totalMs('execution')
  const verdict = await chain.importBlock(chain.receive(encodeBlock(executed.block)))
  assert.ok(verdict.ok)
  assert.equal(chain.timings.totalMs('execution'), before)
  assert.equal(balanceOf(chain), 5n)
})

test('the body of a built block is decoded again only if it differs', async () => {
  const [, other] = await makeBlocks([call(0)], [call(1)])
  const chain = await openTestChain()
  const { executed, encoded } = await chain.build(templateOf(chain), offer([call(0)]))
  const { block } = executed
  assert.deepEqual(encoded, encodeBlock(block))
  const again = chain.receive(encoded)
  assert.equal(again.block.transactions, block.transactions)
  assert.equal(again.hash, executed.hash)
  const { transactions } = chain.receive(other!).block
  const changed = chain.receive(encodeBlock({ ...block, transactions }))
  assert.deepEqual(changed.block.transactions, transactions)
  assert.throws(() => chain.receive(encodeBlock(block).subarray(0, -1)), /Malformed block/)
})

test('a transaction that cannot be included is left out with its reason, and the others are included', async () => {
  const chain = await openTestChain()
  const candidates = [call(0), call(5), call(1), call(1)]
  const { executed, leftOut } = await chain.build(templateOf(chain), offer(candidates))
  assert.deepEqual(
    executed.block.transactions.map(({ nonce }) => nonce),
    [0n, 1n],
  )
  assert.deepEqual(
    leftOut.map(({ reason }) => reason),
    ['NONCE_TOO_HIGH', 'NONCE_TOO_LOW'],
  )
})

test('a proposal that was validated is refused with another body under the same header', async () => {
  const [encoded, other] = await makeBlocks([call(0)], [call(1)])
  const chain = await openTestChain()
  const received = chain.receive(encoded!)
  assert.deepEqual(await chain.validate(received), { ok: true })
  const { header } = received.block
  const { transactions } = chain.receive(other!).block
  const changed = chain.receive(encodeBlock({ ...received.block, header, transactions }))
  assert.equal(changed.hash, received.hash)
  const verdict = await chain.validate(changed)
  assert.equal(!verdict.ok && verdict.reason, 'INVALID_BODY')
  assert.deepEqual(await chain.validate(received), { ok: true })
})

test('a proposal is validated once and committed with its final seals', async () => {
  const [encoded] = await makeBlocks([call(0)])
  const chain = await openTestChain()
  const received = chain.receive(encoded!)
  assert.deepEqual(await chain.validate(received), { ok: true })
  assert.equal(chain.head.header.number, 0n)
  const before = chain.timings.totalMs('execution')
  const { block } = received
  // In QBFT, the hash does not cover the round.
  const extraData = block.header.extraData.slice()
  const round = extraData.lastIndexOf(0x80)
  extraData[round] = 1
  const sealed = chain.receive(encodeBlock({ ...block, header: { ...block.header, extraData } }))
  assert.equal(sealed.hash, received.hash)
  assert.ok((await chain.importBlock(sealed)).ok)
  assert.equal(chain.timings.totalMs('execution'), before)
  const stored = new Lookup(chain.store).header(1)!
  assert.deepEqual(Uint8Array.from(stored.header.extraData), extraData)
})

test('a sibling of the head is kept, and becomes the head on request', async () => {
  const kv = createMemoryKv()
  const chain = await openTestChain({}, kv)
  const [a1, a2] = await makeBlocks([call(0)], [call(1)])
  const other = await openTestChain()
  const b1 = await extend(other, [])
  const b2 = await extend(other, [call(0), call(1)])
  for (const block of [a1!, a2!]) await chain.importBlock(chain.receive(block))
  const [headA, b1Hash, b2Hash] = [chain.head.hash, chain.receive(b1).hash, chain.receive(b2).hash]
  for (const [block, hash] of [
    [b1, b1Hash],
    [b2, b2Hash],
  ] as const) {
    assert.deepEqual(await chain.importBlock(chain.receive(block)), { ok: true, status: 'sibling', hash })
  }
  const events: HeadChange[] = []
  chain.headMoved.subscribe((each) => events.push(each))
  assert.ok((await chain.setHead(b2Hash)).ok)
  assert.equal(chain.head.hash, b2Hash)
  assert.equal(hashFromBytes(chain.store.headState().root), chain.head.header.stateRoot)
  // Removed and added blocks are listed with their transactions.
  const [{ removed, added }] = events as [HeadChange]
  assert.deepEqual(removed.map(contentOf), [
    [1, chain.receive(a1!).hash, [[call(0).hash, RICH, 0n]]],
    [2, headA, [[call(1).hash, RICH, 1n]]],
  ])
  assert.deepEqual(
    added.map(({ hash }) => hash),
    [b1Hash, b2Hash],
  )
  const included = added.flatMap((block) => readIncluded(block.included!))
  assert.deepEqual(new Set(included.map(({ nonce }) => nonce)), new Set([0n, 1n]))
  assert.ok((await chain.setHead(headA)).ok)
  assert.equal(chain.head.hash, headA)
  await chain.unwind(0)
  assert.equal(balanceOf(chain), undefined)
  // The blocks of both branches survive a restart.
  const restarted = await openTestChain({}, kv.crash())
  assert.ok((await restarted.setHead(b2Hash)).ok)
  assert.equal(balanceOf(restarted), 10n)
})

test('a branch with an invalid block leaves the chain as it was', async () => {
  const chain = await openTestChain()
  const [a1] = await makeBlocks([call(0)])
  await chain.importBlock(chain.receive(a1!))
  const head = chain.head.hash
  const other = await openTestChain()
  const b1 = await extend(other, [])
  const { block } = other.receive(await extend(other, [call(0)]))
  const wrong = { ...block, header: { ...block.header, stateRoot: `0x${'99'.repeat(32)}` as typeof head } }
  const b2 = chain.receive(encodeBlock(wrong))
  await chain.importBlock(chain.receive(b1))
  assert.equal((await chain.importBlock(b2)).ok, true, 'only execution shows what is wrong')
  const verdict = await chain.setHead(b2.hash)
  assert.equal(!verdict.ok && verdict.reason, 'WRONG_STATE_ROOT')
  assert.equal(chain.head.hash, head)
  assert.equal(balanceOf(chain), 5n)
  assert.ok(await extend(chain, [call(1)]))
})

test('execution ends when another thread sets the cell, and the chain continues', async () => {
  const chain = await openTestChain()
  const cancel = new Int32Array(new SharedArrayBuffer(4)).fill(1)
  const candidates = offer([call(0, LOOPER, 20_000_000n)])
  await assert.rejects(
    chain.build(templateOf(chain), { ...candidates, cancel }),
    (error) => error instanceof Fault && error.kind === 'ENGINE_CANCELLED',
  )
  assert.ok(await extend(chain, [call(0)]))
})

test('the reason of a revert is kept only if the option is set', async () => {
  const [block] = await makeBlocks([call(0, REVERTER)])
  for (const keepRevertReasons of [false, true]) {
    const chain = await openTestChain({ revertReasonEnabled: keepRevertReasons })
    await chain.importBlock(chain.receive(block!))
    const lookup = new Lookup(chain.store)
    const [receipt] = lookup.receipts(1)!
    assert.equal(receipt?.outcome, 0)
    assert.equal(receipt?.revertReason?.at(-1), keepRevertReasons ? 0xaa : undefined)
    const tree = lookup.callTreesAt(1, [0])?.get(0)
    assert.equal(tree?.frames[0]?.error, 'reverted')
    assert.equal(tree?.frames[0]?.output.at(-1), 0xaa)
  }
})

test('many blocks are imported in batches, and the first invalid one ends the import', async () => {
  const blocks = await makeBlocks(...Array.from({ length: 70 }, (_, index) => [call(index)]))
  const chain = await openTestChain()
  const received = blocks.map((block) => chain.receive(block))
  const progress: number[] = []
  const verdict = await chain.importMany(received, { onCommitted: ({ imported }) => progress.push(imported) })
  assert.deepEqual(verdict, { ok: true, imported: 70, known: 0 })
  assert.deepEqual(progress, [32, 64, 70])
  const again = await chain.importMany(received)
  assert.deepEqual(again, { ok: true, imported: 0, known: 70 })
  const fresh = await openTestChain()
  const refused = await fresh.importMany([...received.slice(0, 40), received[41]!])
  assert.ok(!refused.ok)
  assert.deepEqual([refused.reason, refused.imported], ['UNKNOWN_PARENT', 40])
  assert.equal(fresh.head.hash, received[39]!.hash)
})
