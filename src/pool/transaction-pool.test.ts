import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SelectionOrder, selectEach } from '#chain/build/candidates.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import type { Hash } from '#types/hash.ts'
import type { JudgeAdmission } from './judge-submission.ts'
import { type MayTransact, PERMISSION_DEADLINE_MS } from './may-transact.ts'
import { addressOf, FakeChain, SETTINGS, submission } from './pool.fixture.ts'
import type { PoolSettings } from './read-settings.ts'
import type { AdmissionVerdict, SubmittedTransaction } from './submitted-transaction.ts'
import { TransactionPool } from './transaction-pool.ts'

function openPool(
  changes: Partial<PoolSettings> = {},
  mayTransact?: MayTransact,
  judgeAdmission?: JudgeAdmission,
) {
  const chain = new FakeChain()
  const clock = createFakeClock()
  const building = () => ({ minGasPriceWei: 0n, minPriorityFeeWei: 0n })
  const log = createLog({ level: 'OFF' })
  const settings = { ...SETTINGS, ...changes }
  const pool = new TransactionPool({ clock, log, chain, settings, building, mayTransact, judgeAdmission })
  pool.headMoved(chain.move(0, []))
  const dropped: string[] = []
  pool.dropped.subscribe((batch) => {
    for (const { transaction, reason } of batch) dropped.push(`${transaction.nonce} ${reason}`)
  })
  return { chain, clock, pool, dropped }
}

function order(baseFeePerGas = 0n): SelectionOrder {
  const place = { parent: '0x' as Hash, number: 1n, timestamp: 0n, gasLimit: 30_000_000n }
  return { ...place, baseFeePerGas, deadlineAtMs: 0, signal: new AbortController().signal }
}

async function admit(pool: TransactionPool, ...transactions: SubmittedTransaction[]): Promise<string[]> {
  const verdicts: readonly AdmissionVerdict[] = await pool.admit(transactions, 'remote')
  return verdicts.map((verdict) => (verdict.ok ? 'ok' : verdict.reason))
}

async function noncesOf(pool: TransactionPool, transactions: readonly SubmittedTransaction[]) {
  const candidates = await Array.fromAsync(selectEach(pool, order()))
  return candidates.map(({ encoded }) => transactions.find((one) => one.encoded === encoded)!.nonce)
}

test('the same transaction twice in one batch is admitted once', async () => {
  const { pool } = openPool()
  const one = submission()
  assert.deepEqual(await admit(pool, one, one), ['ok', 'TRANSACTION_ALREADY_KNOWN'])
  assert.equal(pool.status().pending, 1)
})

test('a block that includes a replaced transaction removes its replacement', async () => {
  const { chain, pool, dropped } = openPool()
  const first = submission({ fee: 10 })
  await admit(pool, first)
  const selection = selectEach(pool, order())
  assert.equal((await selection.next()).value?.encoded, first.encoded)
  assert.deepEqual(await admit(pool, submission({ fee: 20 })), ['ok'])
  assert.equal((await selection.next()).done, true, 'no nonce is given twice')
  pool.headMoved(chain.move(0, [[first]]))
  assert.deepEqual(dropped, ['0 replaced', '0 nonceUsed'])
  assert.equal(pool.status().pending, 0)
})

test('a second selection for a block offers only transactions that arrived since the first', async () => {
  const { pool } = openPool()
  const early = [submission({ fee: 10 }), submission({ fee: 10, sender: addressOf(2) })]
  await admit(pool, ...early)
  const both = { ...order(), nextNonces: new Map() }
  const encoded = async () => (await Array.fromAsync(selectEach(pool, both))).map((each) => each.encoded)
  assert.equal((await encoded()).length, 2)
  const late = [
    submission({ nonce: 1, fee: 30, sender: addressOf(2) }),
    submission({ nonce: 2, fee: 30, sender: addressOf(2) }),
    submission({ fee: 20, sender: addressOf(3) }),
  ]
  const replacement = submission({ fee: 40 })
  assert.deepEqual(await admit(pool, replacement, ...late), ['ok', 'ok', 'ok', 'ok'])
  assert.deepEqual(
    await encoded(),
    late.map((each) => each.encoded),
  )
  assert.deepEqual(await encoded(), [])
})

test('a second selection asks a plugin again about a refused transaction, and before the later ones of its sender', async () => {
  const chain = new FakeChain()
  const building = () => ({ minGasPriceWei: 0n, minPriorityFeeWei: 0n })
  const log = createLog({ level: 'OFF' })
  const asked: string[] = []
  let isRefused = true
  const pool = new TransactionPool({
    clock: createFakeClock(),
    log,
    chain,
    settings: SETTINGS,
    building,
    mayTransact: undefined,
    judgeCandidates: () => async (transactions) =>
      transactions.map(({ nonce }) => {
        asked.push(`${nonce}`)
        return nonce !== 1n || !isRefused || 'not now'
      }),
  })
  pool.headMoved(chain.move(0, []))
  await admit(pool, submission(), submission({ nonce: 1 }), submission({ nonce: 2 }))
  const both = { ...order(), nextNonces: new Map() }
  assert.equal((await Array.fromAsync(selectEach(pool, both))).length, 1)
  isRefused = false
  assert.equal((await Array.fromAsync(selectEach(pool, both))).length, 2)
  assert.deepEqual(asked, ['0', '1', '2', '1', '2'])
})

test('a transaction of a block that left the chain returns with its origin, local or remote', async () => {
  const { chain, pool } = openPool({ hasLocalPriority: true })
  const [local, remote] = [submission(), submission({ sender: addressOf(2) })]
  await pool.admit([local], 'local')
  await admit(pool, remote)
  pool.headMoved(chain.move(0, [[local, remote]]))
  assert.equal(pool.status().local + pool.status().remote, 0)
  pool.headMoved(chain.move(1, [[]]))
  assert.deepEqual([pool.status().local, pool.status().remote], [1, 1])
  // The same again, as when two branches alternate.
  pool.headMoved(chain.move(0, [[local]]))
  pool.headMoved(chain.move(1, [[]]))
  assert.deepEqual([pool.status().local, pool.status().remote], [1, 1])
})

test('a builder that finds the nonce of a replacement used removes nothing before the chain includes it', async () => {
  const { pool } = openPool()
  const next = submission()
  await admit(pool, next)
  pool.leftOut([{ hash: next.hash, reason: 'NONCE_TOO_LOW', sentence: '' }])
  assert.equal(pool.get(next.hash), next)
})

test('a transaction that arrives during a selection is neither lost nor offered out of order', async () => {
  const { pool } = openPool()
  const all = [0, 1, 2].map((nonce) => submission({ nonce }))
  await admit(pool, all[0]!, all[2]!)
  const selection = selectEach(pool, order())
  await selection.next()
  await admit(pool, all[1]!)
  assert.equal((await selection.next()).value?.encoded, all[1]!.encoded)
  assert.equal((await selection.next()).value?.encoded, all[2]!.encoded)
})

test('the head may move while a permission check is pending', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { chain, pool } = openPool({}, () => promise)
  const mined = submission()
  const verdicts = admit(pool, mined, submission({ nonce: 1 }))
  pool.headMoved(chain.move(0, [[mined]]))
  resolve(true)
  assert.deepEqual(await verdicts, ['NONCE_TOO_LOW', 'ok'])
  assert.equal(pool.nextNonce(mined.sender), 2n)
})

test('a permission check that is late or fails refuses the transaction', async () => {
  const never = openPool({}, () => new Promise<boolean>(() => {}))
  const waiting = admit(never.pool, submission())
  never.clock.advance(PERMISSION_DEADLINE_MS)
  assert.deepEqual(await waiting, ['TX_SENDER_NOT_AUTHORIZED'])
  const failing = openPool({}, () => {
    throw new Error('no list')
  })
  assert.deepEqual(await admit(failing.pool, submission()), ['TX_SENDER_NOT_AUTHORIZED'])
})

test('a sender that is no longer permitted waits, and others continue', async () => {
  const forbidden = new Set<string>()
  const { pool } = openPool({}, async ({ sender }) => !forbidden.has(sender))
  const [one, two] = [submission({ fee: 20 }), submission({ sender: addressOf(2) })]
  await admit(pool, one, two)
  forbidden.add(one.sender)
  assert.deepEqual(await noncesOf(pool, [two]), [0n])
  forbidden.clear()
  assert.deepEqual(await noncesOf(pool, [one, two]), [0n, 0n])
})

test('a transaction that its sender cannot pay waits until it can', async () => {
  const { chain, pool } = openPool()
  const dear = submission({ cost: 900 })
  await admit(pool, dear)
  chain.balances.set(dear.sender, 800n)
  pool.leftOut([{ hash: dear.hash, reason: 'UPFRONT_COST_EXCEEDS_BALANCE', sentence: '' }])
  assert.deepEqual(await noncesOf(pool, [dear]), [])
  chain.balances.set(dear.sender, 900n)
  assert.deepEqual(await noncesOf(pool, [dear]), [0n])
})

test('a slow transaction is tried after all others, and three times', async () => {
  const { pool, dropped } = openPool()
  const slow = submission({ fee: 99 })
  const other = submission({ sender: addressOf(2), nonce: 0, fee: 1 })
  await admit(pool, slow, other)
  const timeout = [{ hash: slow.hash, reason: 'BLOCK_SELECTION_TIMEOUT', sentence: '' }] as const
  pool.leftOut(timeout)
  const given = await Array.fromAsync(selectEach(pool, order()))
  assert.deepEqual(
    given.map(({ encoded }) => encoded === slow.encoded),
    [false, true],
  )
  pool.leftOut(timeout)
  assert.deepEqual(dropped, [])
  pool.leftOut(timeout)
  assert.deepEqual(dropped, ['0 tooSlow'])
})

test('a replacement that cannot stay evicts no other transaction', async () => {
  const { pool, dropped } = openPool({ maxBytes: 250 })
  const [first, other] = [submission({ fee: 10 }), submission({ sender: addressOf(2), fee: 50 })]
  await admit(pool, first, other)
  assert.deepEqual(await admit(pool, submission({ fee: 11, bytes: 200 })), ['POOL_FULL'])
  assert.deepEqual([pool.get(first.hash), pool.get(other.hash), dropped], [first, other, []])
  assert.deepEqual(await admit(pool, submission({ fee: 60, bytes: 251 })), ['POOL_FULL'])
})

test('a transaction that cannot stay in a full pool evicts no other', async () => {
  const { pool, dropped } = openPool({ maxBytes: 300 })
  const fees = [10, 20, 50]
  const others = fees.map((fee, index) => submission({ sender: addressOf(2 + index), fee }))
  await admit(pool, ...others)
  assert.deepEqual(await admit(pool, submission({ fee: 30, bytes: 250 })), ['POOL_FULL'])
  assert.deepEqual([others.map(({ hash }) => pool.get(hash)), dropped], [others, []])
})

test('listeners do not lose a transaction that is replaced and returns in one batch', async () => {
  const { pool } = openPool({ priceBump: 0 })
  const [first, other] = [submission({ fee: 10 }), submission({ fee: 10 })]
  const known = new Set<Hash>()
  pool.added.subscribe((batch) => {
    for (const { transaction } of batch) known.add(transaction.hash)
  })
  pool.dropped.subscribe((batch) => {
    for (const { transaction } of batch) known.delete(transaction.hash)
  })
  await admit(pool, first)
  assert.deepEqual(await admit(pool, other, first), ['ok', 'ok'])
  assert.deepEqual([...known], [first.hash])
})

test('transactions expire after the configured time, and not before', async () => {
  const { clock, pool, dropped } = openPool({ retentionMs: 1_000 })
  clock.advance(5_000)
  await admit(pool, submission())
  clock.advance(999)
  pool.expire()
  assert.deepEqual(dropped, [])
  clock.advance(1)
  pool.expire()
  assert.deepEqual(dropped, ['0 expired'])
})

test('transactions with a pending permission check are bounded', async () => {
  const { pool } = openPool({}, undefined, () => new Promise(() => {}))
  void pool.admit(
    Array.from({ length: 16_384 }, (_, nonce) => submission({ nonce })),
    'remote',
  )
  assert.deepEqual(await admit(pool, submission({ sender: addressOf(2) })), ['POOL_BUSY'])
})

test('an account that may not send is refused with priority too', async () => {
  const { pool } = openPool({ prioritySenders: new Set([addressOf(1)]) }, () => false)
  assert.deepEqual(await admit(pool, submission(), submission({ sender: addressOf(2) })), [
    'TX_SENDER_NOT_AUTHORIZED',
    'TX_SENDER_NOT_AUTHORIZED',
  ])
})

test('one sender is not limited as long as no nonce is missing', async () => {
  const { pool } = openPool({ maxGap: 5 })
  const many = Array.from({ length: 1_000 }, (_, nonce) => submission({ nonce }))
  assert.ok((await admit(pool, ...many)).every((verdict) => verdict === 'ok'))
  assert.deepEqual(await admit(pool, submission({ nonce: 1_004 }), submission({ nonce: 1_005 })), [
    'ok',
    'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
  ])
})

test('a new head does not read accounts without transactions in the pool', async () => {
  const { chain, pool } = openPool()
  await admit(pool, submission())
  const before = chain.reads
  pool.headMoved(
    chain.move(0, [[submission({ sender: addressOf(2) }), submission({ sender: addressOf(3) })]]),
  )
  assert.equal(chain.reads, before)
})

test('a sender has at most 16 transactions with blobs, and replaces one of them', async () => {
  const { pool } = openPool()
  const all = Array.from({ length: 16 }, (_, nonce) => submission({ nonce, blobBytes: 1_000 }))
  assert.ok((await admit(pool, ...all)).every((verdict) => verdict === 'ok'))
  const more = submission({ nonce: 16, blobBytes: 1_000 })
  assert.deepEqual(await admit(pool, more, submission({ nonce: 16 })), ['POOL_FULL', 'ok'])
  assert.deepEqual(await admit(pool, submission({ nonce: 3, fee: 20, blobBytes: 1_000 })), ['ok'])
  const other = submission({ sender: addressOf(2), blobBytes: 1_000 })
  assert.deepEqual(await admit(pool, other), ['ok'])
})

test('blobs use half of the pool, and better ones displace only blobs', async () => {
  const { pool, dropped } = openPool({ maxBytes: 20_000 })
  const plain = submission({ sender: addressOf(9), fee: 1 })
  const of = (sender: number, fee: number) =>
    submission({ sender: addressOf(sender), fee, blobBytes: 3_000, nonce: 0 })
  await admit(pool, plain, of(1, 10), of(2, 11), of(3, 12))
  assert.deepEqual(await admit(pool, of(4, 9)), ['POOL_FULL'])
  assert.deepEqual(dropped, [])
  assert.deepEqual(await admit(pool, of(4, 13)), ['ok'])
  assert.deepEqual(dropped, ['0 evicted'])
  assert.equal(pool.nextNonce(addressOf(1)), undefined)
  assert.equal(pool.get(plain.hash), plain)
  assert.deepEqual(await admit(pool, submission({ sender: addressOf(5), fee: 99, blobBytes: 10_001 })), [
    'POOL_FULL',
  ])
})

test('a transaction with blobs returns with them after a reorg, and only with them', async () => {
  const { chain, pool } = openPool()
  const known = submission({ blobBytes: 1_000 })
  const foreign = submission({ sender: addressOf(2), blobBytes: 1_000 })
  await admit(pool, known)
  const inBlock = [known, foreign].map(({ blobs: _, ...rest }) => rest)
  pool.headMoved(chain.move(0, [inBlock]))
  assert.deepEqual(pool.findBlobs(known.blobs!.hashes), [known.blobs])
  pool.headMoved(chain.move(1, [[]]))
  assert.equal(pool.get(known.hash)?.blobs, known.blobs)
  assert.equal(pool.get(foreign.hash), undefined)
})

test('blobs are found by their hashes while they wait and after they were replaced', async () => {
  const { pool } = openPool()
  const [one, next] = [submission({ blobBytes: 1_000 }), submission({ fee: 20, blobBytes: 2_000 })]
  await admit(pool, one)
  await admit(pool, next)
  const unknown = `0x${'77'.repeat(32)}` as Hash
  assert.deepEqual(pool.findBlobs([next.blobs!.hashes[0]!, unknown, one.blobs!.hashes[0]!]), [
    next.blobs,
    undefined,
    one.blobs,
  ])
  assert.equal(pool.blobsOf(one.hash), one.blobs)
})

test('blobs that left the pool are forgotten by age, within 32 MiB', async () => {
  const { chain, pool } = openPool({ maxBytes: 2 ** 30 })
  const all = Array.from({ length: 5 }, (_, nonce) => submission({ nonce, blobBytes: 8 * 1024 * 1024 }))
  await admit(pool, ...all)
  pool.headMoved(chain.move(0, [all]))
  const found = pool.findBlobs(all.map(({ blobs }) => blobs!.hashes[0]!))
  assert.deepEqual(
    found.map((blobs) => blobs !== undefined),
    [false, true, true, true, true],
  )
})

test('a block is offered only blobs with the proofs of its fork', async () => {
  const { chain, pool } = openPool()
  const [blobs, plain] = [submission({ blobBytes: 1_000 }), submission({ sender: addressOf(2) })]
  await admit(pool, blobs, plain)
  chain.sidecarVersion = 0
  assert.deepEqual(
    (await Array.fromAsync(selectEach(pool, order()))).map(({ sender }) => sender),
    [plain.sender],
  )
  chain.sidecarVersion = 1
  assert.equal((await Array.fromAsync(selectEach(pool, order()))).length, 2)
})
