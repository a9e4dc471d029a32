import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { formatDigits } from '#types/hex.ts'
import { wordAt } from '#types/state-changes.ts'
import {
  BLOCK,
  bytes,
  COINBASE,
  CONTRACT,
  ETHER,
  OTHER,
  rulesOf,
  SENDER,
  SHANGHAI,
  stateOf,
  transaction,
} from './engine.fixture.ts'
import type { Engine, EngineSession, SessionOptions } from './engine.ts'
import { createJsEngine } from './engine-js.ts'
import { createNativeEngine } from './engine-native.ts'
import { nativeSupports } from './native/encode-settings.ts'
import type { Addon } from './native/load-addon.ts'
import { decodeOutcome } from './outcome.ts'
import { LOOKUP, type LookupKind } from './state-lookup.ts'

const verdict = createNativeEngine()
/** Tests also run without the native engine; `.ci/run` builds it and fails without it. */
const skip = verdict.ok ? false : `not built: ${verdict.sentence}`
const engine = (verdict as { engine: Engine }).engine
const addon = (verdict as { addon: Addon }).addon
const ENDLESS = { code: '5b600056' }
const STATE = { [SENDER]: { balance: ETHER } }

function open(accounts: Parameters<typeof stateOf>[0], options: Partial<SessionOptions> = {}) {
  return engine.open(BLOCK, SHANGHAI, stateOf({ ...STATE, ...accounts }), options)
}

test('a file that is not an engine is reported in a sentence', () => {
  const missing = createNativeEngine('/nowhere/cairn_engine.node')
  assert.equal(missing.ok, false)
  assert.match((missing as { sentence: string }).sentence, /no \/nowhere/)
})

test('both engines report the same bytes', { skip }, async () => {
  const accounts = {
    ...STATE,
    // Stores the value, logs, and makes a call with half of the gas.
    [CONTRACT]: { code: `346001556000600060a1${`6000600060006000345f3560021c`}`, balance: 3n },
  }
  const records = []
  for (const one of [await createJsEngine(), engine]) {
    const session = one.open(BLOCK, SHANGHAI, stateOf(accounts), {})
    const { outcomes } = await session.run([
      transaction({ to: CONTRACT, value: 5n }),
      transaction({ to: OTHER, value: 1n, nonce: 1n }),
      transaction({ to: null, data: bytes('60aa5f5360015ff3'), nonce: 2n }),
    ])
    records.push(outcomes.map((outcome) => Buffer.from(outcome).toString('hex')))
  }
  assert.equal(records[0]!.length, 3)
  assert.deepEqual(records[1], records[0])
})

test('a panic in any entry point becomes an error and ends its session', { skip }, async () => {
  const calls: readonly ((session: EngineSession) => unknown)[] = [
    () => open({}),
    (session) => session.run([transaction()]),
    (session) => session.systemCall(OTHER, new Uint8Array(0)),
    (session) => session.credit(OTHER, 1n),
    (session) => session.sweep(OTHER, SENDER),
    (session) => session.hasCode(OTHER),
    (session) => session.checkpoint(),
    (session) => session.revert(0),
    (session) => session.changes(),
    (session) => session.finish(),
  ]
  for (const call of calls) {
    const session = open({})
    session.checkpoint()
    addon.panicNextForTest()
    await assert.rejects(async () => call(session), /asked to panic/)
    if (call !== calls[0]) assert.throws(() => session.changes(), /finished or failed/)
  }
  addon.panicNextForTest()
  await assert.rejects(addon.recoverSenders(new Uint8Array(97)), /panicked/)
  assert.equal((await addon.recoverSenders(new Uint8Array(97))).length, 21)
})

test('an exception of the state reader ends the session and is rethrown', { skip }, async () => {
  const failure = new Error('the disk is gone')
  for (const failing of [LOOKUP.account, LOOKUP.storage, LOOKUP.code, LOOKUP.blockHash]) {
    // BLOCKHASH of block 0 and SLOAD of slot 0; the code is different each time, so it is not cached.
    const source = stateOf({ ...STATE, [CONTRACT]: { code: `5f405f5460${failing.toString(16)}f000` } })
    const lookup = (kind: LookupKind): number => {
      if (kind === failing) throw failure
      return source.lookup(kind)
    }
    const session = engine.open(BLOCK, SHANGHAI, { scratch: source.scratch, lookup })
    assert.throws(
      () => session.run([transaction({ to: CONTRACT })]),
      (error) => error === failure,
    )
    assert.throws(() => session.changes(), /finished or failed/)
  }
})

test('a session that is called from its own lookup refuses and ends', { skip }, async () => {
  const state = stateOf(STATE)
  let inner: unknown
  const lookup = (kind: LookupKind): number => {
    try {
      session.changes()
    } catch (error) {
      inner = error
    }
    return state.lookup(kind)
  }
  const session = engine.open(BLOCK, SHANGHAI, { scratch: state.scratch, lookup })
  const { outcomes } = await session.run([transaction()])
  assert.equal(outcomes.length, 1)
  assert.match(String(inner), /finished or failed/)
})

test('invalid arguments are refused without being read', { skip }, () => {
  const { scratch, lookup } = stateOf(STATE)
  assert.throws(() => new addon.NativeSession(new Uint8Array(3)), /ends too early/)
  const over = engine.open(BLOCK, SHANGHAI, { scratch, lookup })
  over.finish()
  assert.throws(() => over.finish(), /finished or failed/)
  const small = engine.open(BLOCK, SHANGHAI, { scratch: new Uint8Array(10), lookup })
  assert.throws(() => small.hasCode(OTHER), /too small/)
  const noFunction = engine.open(BLOCK, SHANGHAI, { scratch, lookup: 5 as never })
  assert.throws(() => noFunction.hasCode(OTHER), /is a function/)
  const emptyCell = engine.open(BLOCK, SHANGHAI, { scratch, lookup }, { cancel: new Int32Array(0) })
  assert.throws(() => emptyCell.hasCode(OTHER), /cell is empty/)
})

test('a cell set by another thread ends endless code', { skip }, async () => {
  const cells = new Int32Array(new SharedArrayBuffer(8))
  const cancel = cells.subarray(0, 1)
  // The other thread waits for the code lookup, which happens just before the code runs.
  const worker = new Worker(
    'const { workerData: cells } = require("node:worker_threads"); Atomics.wait(cells, 1, 0); Atomics.store(cells, 0, 1)',
    { eval: true, workerData: cells },
  )
  const endless = stateOf({ [SENDER]: { balance: 10n ** 30n }, [CONTRACT]: ENDLESS })
  const lookup = (kind: LookupKind): number => {
    if (kind === LOOKUP.account) {
      Atomics.store(cells, 1, 1)
      Atomics.notify(cells, 1)
    }
    return endless.lookup(kind)
  }
  const block = { ...BLOCK, gasLimit: 10n ** 14n }
  const session = engine.open(block, SHANGHAI, { scratch: endless.scratch, lookup }, { cancel })
  const run = (): unknown => session.run([transaction({ to: CONTRACT, gasLimit: 10n ** 13n })])
  assert.throws(run, { kind: 'ENGINE_CANCELLED' })
  await worker.terminate()
})

const LONG = {
  'jumps without end': '5b600056',
  'calls itself twice, and so on': '5f5f5f5f5f305af15f5f5f5f5f305af1',
  'calls code without end, with little gas each time': `5b5f5f5f5f5f73${OTHER.slice(2)}611388f1505f56`,
  'uses more memory than is little': '5f6202000052',
  'calls code that uses such memory': `5f5f5f5f5f73${COINBASE.slice(2)}5af1`,
  'reads many slots': Array.from(
    { length: 65 },
    (_, slot) => `60${formatDigits(Uint8Array.of(slot))}5450`,
  ).join(''),
  'calls a precompile that may take long': '5f5f5f5f5f60055af1',
}

for (const [name, code] of Object.entries(LONG)) {
  test(`a brief session ends code that ${name}, and no other does`, { skip }, async () => {
    const accounts = { [CONTRACT]: { code }, [OTHER]: ENDLESS, [COINBASE]: { code: '5f6202000052' } }
    const call = transaction({ to: CONTRACT, gasLimit: 1_000_000n })
    const brief = open(accounts, { isBrief: true })
    assert.throws(() => brief.run([call]), { kind: 'ENGINE_EXHAUSTED' })
    const { outcomes } = await open(accounts).run([call])
    assert.equal(outcomes.length, 1)
  })
}

test('code cannot detect a brief session', { skip }, async () => {
  // Returns the gas left in a call that reads a slot and calls a short precompile.
  const accounts = { [CONTRACT]: { code: '5f54505f5f5f5f5f60045af15a5f5260405ff3' } }
  const call = transaction({ to: CONTRACT, gasLimit: 20_000_000n })
  const [brief, other] = await Promise.all(
    [true, false].map(async (isBrief) => (await open(accounts, { isBrief }).run([call])).outcomes[0]!),
  )
  assert.equal(decodeOutcome(brief!).isSuccess, true)
  assert.deepEqual(brief, other)
})

test('impossible amounts of memory run out of gas, however much gas there is', { skip }, async () => {
  const session = engine.open(
    { ...BLOCK, gasLimit: 2n ** 53n },
    SHANGHAI,
    stateOf({ [SENDER]: { balance: 10n ** 30n }, [CONTRACT]: { code: '5f64100000000052' } }),
    {},
  )
  const { outcomes } = await session.run([transaction({ to: CONTRACT, gasLimit: 2n ** 52n })])
  assert.equal(decodeOutcome(outcomes[0]!).error, 'outOfGas')
})

test('prices, base fees and chain ids have 256 bits', { skip }, async () => {
  const huge = 2n ** 200n + 7n
  // GASPRICE, BASEFEE and CHAINID.
  const state = stateOf({
    [SENDER]: { balance: 2n ** 250n },
    [CONTRACT]: { code: '3a5f52486020524660405260605ff3' },
  })
  const session = engine.open({ ...BLOCK, baseFeePerGas: huge }, { ...SHANGHAI, chainId: huge - 1n }, state)
  const fields = { to: CONTRACT, maxFeePerGas: huge + 5n, maxPriorityFeePerGas: 3n, gasLimit: 100_000n }
  const { outcomes } = await session.run([transaction(fields)])
  const { output } = decodeOutcome(outcomes[0]!)
  assert.deepEqual(
    [0, 32, 64].map((at) => wordAt(output, at)),
    [huge + 3n, huge, huge - 1n],
  )
})

test('in a system call nothing is warm, and SELFBALANCE warms nothing', { skip }, async () => {
  for (const one of [await createJsEngine(), engine]) {
    const session = one.open(BLOCK, SHANGHAI, stateOf({ [CONTRACT]: { code: '473031', balance: 5n } }))
    const outcome = decodeOutcome(await session.systemCall(CONTRACT, new Uint8Array(0)))
    // SELFBALANCE 5, ADDRESS 2, BALANCE of a cold account 2,600.
    assert.equal(outcome.gasUsed, 2_607n)
  }
})

test('only Constantinople is left to the other engine', { skip }, () => {
  const alone = rulesOf({ constantinopleBlock: 0 })
  assert.equal(nativeSupports(alone), false)
  assert.throws(() => engine.open(BLOCK, alone, stateOf(STATE)), { kind: 'UNSUPPORTED_FORK' })
  for (const config of [
    {},
    { petersburgBlock: 0 },
    { muirGlacierBlock: 0 },
    { osakaTime: 0 },
    { bpo2Time: 0 },
  ]) {
    assert.equal(nativeSupports(rulesOf(config)), true)
  }
})

test('a session that ran nothing changes nothing', { skip }, () => {
  assert.equal(open({ [CONTRACT]: ENDLESS }).finish().length, 0)
})

test('a closed session has released its memory, whether open, finished or failed', {
  skip,
}, async () => {
  const failed = open({ [CONTRACT]: ENDLESS }, { cancel: new Int32Array(new SharedArrayBuffer(4)).fill(1) })
  assert.throws(() => failed.run([transaction({ to: CONTRACT })]), { kind: 'ENGINE_CANCELLED' })
  const finished = open(STATE)
  finished.finish()
  for (const over of [failed, finished]) over[Symbol.dispose]()
  const before = process.memoryUsage.rss()
  for (let count = 0; count < 5_000; count++) {
    const session = open(STATE)
    session[Symbol.dispose]()
    if (count === 0) assert.throws(() => session.changes(), /finished or failed/)
  }
  // Open sessions would hold some 60 KB each until garbage collection.
  assert.ok(process.memoryUsage.rss() - before < 100 * 2 ** 20)
})
