import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  call,
  candidatesOf,
  GENESIS_TEXT,
  LOOPER,
  openArchive,
  RICH,
  SOMEBODY,
  templateOf,
} from '#chain/chain.fixture.ts'
import { MAX_BODY_BYTES } from '#chain/rules/block-size.ts'
import { CANCEL, type Engine, INTERRUPT } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { LOOKUP, LOOKUP_KEY, type LookupKind } from '#evm/state-lookup.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { type Address, addressToBytes, parseAddress } from '#types/address.ts'
import { bodyBytesIn } from '#types/block/block.ts'
import { equalBytes } from '#types/bytes.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { MAX_TRANSACTION_BYTES } from '#types/transaction/transaction.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import type { BuiltBlock } from './build-block.ts'
import type { Candidate } from './candidates.ts'

const native = createNativeEngine()
const engines: Engine[] = [
  await createJsEngine(),
  // Tests also run without the native engine.
  ...(native.ok ? [native.engine] : []),
]

/** Counts the transactions handed to the engine. */
function counting(engine: Engine): { readonly engine: Engine; readonly handed: () => number } {
  let handed = 0
  const open: Engine['open'] = (...args) => {
    const session = engine.open(...args)
    const run = session.run.bind(session)
    session.run = (transactions, trace) => {
      handed += transactions.length
      return run(transactions, trace)
    }
    return session
  }
  return { engine: { name: engine.name, open }, handed: () => handed }
}

/** Advances only if a test moves it. */
const clock = createFakeClock()
const BIG_GAS_LIMIT = 10n ** 12n

interface Build {
  readonly gasLimit?: bigint
  readonly cancel?: Int32Array
  readonly budgetMs?: number
  /** Called before each slice is delivered. */
  readonly onSlice?: () => void
}

async function build(
  engine: Engine,
  candidates: readonly Candidate[],
  options: Build = {},
): Promise<BuiltBlock> {
  const { gasLimit = BIG_GAS_LIMIT, cancel, budgetMs, onSlice } = options
  const verdict = parseGenesis(
    JSON.stringify({ ...JSON.parse(GENESIS_TEXT), gasLimit: `0x${gasLimit.toString(16)}` }),
  )
  assert.ok(verdict.ok)
  const chain = await openArchive(verdict.genesis, createMemoryKv(), { engine, clock })
  const slices = async function* () {
    for (let from = 0; from < candidates.length; from += 512) {
      onSlice?.()
      yield candidates.slice(from, from + 512)
    }
  }
  return chain.build(templateOf(chain), { candidates: slices, cancel, budgetMs })
}

const TRANSFER = { ...call(0), gasLimit: 21_000n }

/** A transfer from RICH without a valid signature: the sender of a candidate is trusted. */
function transfer(nonce: number): Candidate {
  const fields = { ...TRANSFER, nonce: BigInt(nonce) }
  return { encoded: completeTransaction(fields, { r: 1n, s: 1n, yParity: 0 }).encoded, sender: RICH }
}

/** Every other nonce is ahead of its sender's. */
function halfRefused(count: number): Candidate[] {
  return Array.from({ length: count }, (_, index) =>
    transfer(index % 2 === 0 ? index / 2 : 1_000_000 + index),
  )
}

function reasonsOf({ leftOut }: BuiltBlock): string[] {
  return leftOut.map(({ reason }) => reason)
}

test('5,000 candidates, half of them refused, cost ten times as much as 500, equally in both engines', async () => {
  const hashes = new Set<string>()
  for (const each of engines) {
    const [small, large] = [counting(each), counting(each)]
    await build(small.engine, halfRefused(500))
    const built = await build(large.engine, halfRefused(5_000))
    assert.equal(built.executed.block.transactions.length, 2_500)
    assert.deepEqual(new Set(reasonsOf(built)), new Set(['NONCE_TOO_HIGH']))
    assert.equal(built.leftOut.length, 2_500)
    hashes.add(built.executed.hash)
    assert.ok(large.handed() <= 3 * 5_000, `${large.handed()} were handed to the engine`)
    assert.ok(large.handed() <= 10.1 * small.handed(), `${large.handed()} for ten times ${small.handed()}`)
  }
  assert.equal(hashes.size, 1)
})

test('a long run without a refusal goes to the engine in few batches, each candidate once', async () => {
  const { engine, handed } = counting(engines[0]!)
  const { executed } = await build(
    engine,
    Array.from({ length: 1_500 }, (_, nonce) => transfer(nonce)),
  )
  assert.equal(executed.block.transactions.length, 1_500)
  assert.equal(handed(), 1_500)
})

/** Runs a function when the engine first reads the account whose code never ends. */
function onEndless(engine: Engine, run: () => void): Engine {
  const endless = addressToBytes(LOOPER)
  return {
    name: engine.name,
    open: (block, rules, { scratch, lookup }, options) => {
      const watched = (kind: LookupKind): number => {
        const isEndless = equalBytes(scratch.subarray(LOOKUP_KEY, LOOKUP_KEY + endless.length), endless)
        if (kind === LOOKUP.account && isEndless) run()
        return lookup(kind)
      }
      return engine.open(block, rules, { scratch, lookup: watched }, options)
    },
  }
}

for (const each of engines) {
  test(`a transaction that runs when the time is up is left out, and the block keeps the earlier ones: ${each.name}`, async () => {
    const transactions = [call(0), call(1), call(2, LOOPER, 10n ** 11n), call(3)]
    const cancel = new Int32Array(new SharedArrayBuffer(4))
    const engine = onEndless(each, () => {
      clock.advance(700)
      Atomics.or(cancel, 0, INTERRUPT)
    })
    const { executed, leftOut } = await build(engine, candidatesOf(transactions), { cancel, budgetMs: 1_000 })
    const expected = await build(engine, candidatesOf(transactions.slice(0, 2)))
    assert.equal(executed.hash, expected.executed.hash)
    assert.deepEqual(
      leftOut.map(({ hash, reason, runMs }) => [hash, reason, runMs]),
      [[transactions[2]!.hash, 'BLOCK_SELECTION_TIMEOUT', 700]],
    )
  })

  test(`a transaction that takes the time of a complete block is distinguished from one that started late: ${each.name}`, async () => {
    const cancel = new Int32Array(new SharedArrayBuffer(4))
    const engine = onEndless(each, () => {
      clock.advance(700)
      Atomics.or(cancel, 0, INTERRUPT)
    })
    const candidates = candidatesOf([call(0, LOOPER, 10n ** 11n)])
    const [culprit] = (await build(engine, candidates, { cancel, budgetMs: 750 })).leftOut
    assert.deepEqual([culprit?.reason, culprit?.runMs], ['TX_EVALUATION_TOO_LONG', 700])
    assert.match(culprit!.sentence, /longer than a block may: it ran for 700 ms/)
  })

  test(`a build that is cancelled ends, whether its time is up or not: ${each.name}`, async () => {
    const cancel = new Int32Array(new SharedArrayBuffer(4))
    const engine = onEndless(each, () => Atomics.or(cancel, 0, CANCEL | INTERRUPT))
    const candidates = candidatesOf([call(0, LOOPER, 10n ** 11n)])
    await assert.rejects(build(engine, candidates, { cancel }), { kind: 'ENGINE_CANCELLED' })
  })
}

test('a block whose time is up before it begins is empty and asks for one slice at most', async () => {
  const cancel = new Int32Array(new SharedArrayBuffer(4)).fill(INTERRUPT)
  let slices = 0
  const { executed, leftOut } = await build(engines[0]!, halfRefused(2_000), {
    cancel,
    onSlice: () => slices++,
  })
  assert.deepEqual([executed.block.transactions.length, leftOut.length, slices], [0, 0, 1])
})

/** A free, unsigned transaction of an account without funds. */
function free(from: number, fields: { nonce?: number; gasLimit?: bigint; bytes?: number } = {}): Candidate {
  const { nonce = 0, gasLimit = 21_000n, bytes = 0 } = fields
  const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, accessList: [] }
  const content = { to: SOMEBODY, value: 0n, data: new Uint8Array(bytes) }
  const { encoded } = completeTransaction(
    { type: 2, chainId: 1337n, nonce: BigInt(nonce), gasLimit, ...content, ...fees },
    { r: BigInt(1 + from), s: 1n, yParity: 0 },
  )
  return { encoded, sender: parseAddress((0x1000 + from).toString(16).padStart(40, '0')) }
}

function sendersOf({ executed }: BuiltBlock): Address[] {
  return [...executed.senders]
}

for (const each of engines) {
  test(`transactions that ask for the gas of a complete block do not keep others out: ${each.name}`, async () => {
    const gasLimit = 30_000_000n
    const greedy = Array.from({ length: 1_600 }, (_, from) => free(from, { gasLimit }))
    const later = [free(5, { nonce: 1 }), ...Array.from({ length: 10 }, (_, from) => free(5_000 + from))]
    const { engine, handed } = counting(each)
    const built = await build(engine, [...greedy, ...later], { gasLimit })
    assert.deepEqual(
      sendersOf(built),
      [greedy[0]!, ...later.slice(1)].map(({ sender }) => sender),
    )
    assert.deepEqual(new Set(reasonsOf(built)), new Set(['TX_TOO_LARGE_FOR_REMAINING_GAS']))
    assert.equal(built.leftOut.length, 1_000)
    assert.ok(handed() <= 3 * 11, `${handed()} were handed to the engine`)
  })
}

test('a block never exceeds the size that validators accept, and a shorter transaction uses the room that is left', async () => {
  const long = { gasLimit: 50_000_000n, bytes: 2_000_000 }
  const candidates = [
    ...Array.from({ length: 12 }, (_, from) => free(from, long)),
    free(11, { nonce: 1 }),
    free(100, { ...long, bytes: 900_000 }),
    free(101),
  ]
  const built = await build(engines.at(-1)!, candidates)
  assert.deepEqual(
    sendersOf(built),
    [0, 1, 2, 3, 13, 14].map((index) => candidates[index]!.sender),
  )
  assert.deepEqual(reasonsOf(built), new Array(8).fill('TOO_LARGE_FOR_REMAINING_BLOCK_SIZE'))
  assert.ok(bodyBytesIn(built.encoded) <= MAX_BODY_BYTES)
})

test('a long transaction that is refused leaves its room to the next one', async () => {
  const long = { gasLimit: 50_000_000n, bytes: 4_000_000 }
  const built = await build(engines.at(-1)!, [
    free(0, long),
    free(1, { ...long, nonce: 7 }),
    free(2, { ...long, nonce: 7 }),
    free(3, long),
    free(4, long),
  ])
  assert.equal(built.executed.block.transactions.length, 2)
  assert.deepEqual(reasonsOf(built), [
    'NONCE_TOO_HIGH',
    'NONCE_TOO_HIGH',
    'TOO_LARGE_FOR_REMAINING_BLOCK_SIZE',
  ])
})

test('a transaction above the maximum size never enters a block of this node', async () => {
  const longest = { gasLimit: 50_000_000n, bytes: MAX_TRANSACTION_BYTES - 200 }
  const built = await build(engines.at(-1)!, [
    free(0, { ...longest, bytes: MAX_TRANSACTION_BYTES }),
    free(1, longest),
  ])
  assert.deepEqual(reasonsOf(built), ['INVALID_TRANSACTION_FORMAT'])
  assert.equal(built.executed.block.transactions.length, 1)
})

test('a full block requests no more candidates, even if its remaining gas fits none', async () => {
  const many = Array.from({ length: 3_000 }, (_, nonce) => transfer(nonce))
  let slices = 0
  const full = await build(engines[0]!, many, { gasLimit: 21_000n * 100n, onSlice: () => slices++ })
  assert.equal(full.executed.block.transactions.length, 100)
  assert.equal(slices, 1)
  slices = 0
  // Four fifths of the gas are used, and each of the others might need 100,000.
  const large = Array.from({ length: 3_000 }, (_, from) => free(from, { gasLimit: 100_000n }))
  const rest = [...many.slice(0, 4), ...large]
  const partial = await build(engines[0]!, rest, { gasLimit: 105_000n, onSlice: () => slices++ })
  assert.equal(partial.executed.block.transactions.length, 4)
  assert.equal(slices, 1)
})

test('later nonces of a candidate that does not fit cost nothing, and selection ends after too many misfits', async () => {
  const { engine, handed } = counting(engines[0]!)
  const many = [call(0), call(1)]
  const later = Array.from({ length: 2_000 }, (_, index) => transfer(2 + index))
  const partial = await build(engine, [...candidatesOf(many), ...later], { gasLimit: 100_000n })
  assert.equal(partial.executed.block.transactions.length, 1)
  assert.deepEqual([partial.leftOut.length, handed()], [1, 1])
  const vain = Array.from({ length: 12_000 }, (_, index) => transfer(1 + index))
  const { leftOut } = await build(engines.at(-1)!, vain)
  assert.equal(leftOut.length, 10_000)
})

test('a candidate belongs to the given sender, and undecodable bytes are left out', async () => {
  const { executed, leftOut } = await build(engines[0]!, [
    { encoded: transfer(0).encoded, sender: SOMEBODY },
    { encoded: Uint8Array.of(1, 2, 3), sender: RICH },
    transfer(0),
  ])
  assert.deepEqual(
    leftOut.map(({ reason }) => reason),
    ['INVALID_TRANSACTION_FORMAT', 'UPFRONT_COST_EXCEEDS_BALANCE'],
  )
  assert.equal(executed.block.transactions.length, 1)
})
