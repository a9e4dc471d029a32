import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFrames } from '#evm/call-tree.ts'
import {
  BLOCK,
  COINBASE,
  CONTRACT,
  ETHER,
  type FixtureAccount,
  OTHER,
  SENDER,
  SHANGHAI,
  stateOf,
  transaction,
} from '#evm/engine.fixture.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { precompilesOf } from '#evm/precompiles.ts'
import { callTreeTexts, collectedLogs } from './call-tracer.ts'
import { TraceEventReader } from './event-reader.ts'
import { prestate, prestateDifference } from './prestate-tracer.ts'
import type { Shape } from './shape.ts'
import { stateDiff } from './state-diff.ts'
import { type StructLogOptions, StructLogs, structLogWants } from './struct-logs.ts'
import { TextBuffer } from './text-buffer.ts'
import { framesThatRanOff, VM_TRACE_WANTS, VmTrace } from './vm-trace.ts'

const GAS_LIMIT = 100_000n
const OTHER_DIGITS = OTHER.slice(2)
/** CALL of OTHER with value 0, all gas, output of 32 bytes at 0. */
const CALL_OTHER = `60205f5f5f5f73${OTHER_DIGITS}5af1`

async function run(
  code: string,
  accounts: Readonly<Record<string, FixtureAccount>>,
  shapesOf: (out: TextBuffer) => Shape,
) {
  const engine = await createJsEngine()
  const state = stateOf({ [SENDER]: { balance: ETHER }, [CONTRACT]: { code, nonce: 1n }, ...accounts })
  const session = engine.open(BLOCK, SHANGHAI, state)
  const out = new TextBuffer()
  const { wants, visitor } = shapesOf(out)
  const reader = new TraceEventReader(visitor)
  const call = transaction({ to: CONTRACT, gasLimit: GAS_LIMIT })
  const { outcomes } = await session.run([call], { wants, onEvents: (chunk) => reader.read(chunk) })
  const outcome = decodeOutcome(outcomes[0]!)
  return { text: out.take(), outcome, frames: decodeFrames(outcome.frames!) }
}

async function vmTraceOf(code: string, accounts: Readonly<Record<string, FixtureAccount>> = {}) {
  const { shape, ranOff } = framesThatRanOff()
  const { frames } = await run(code, accounts, () => shape)
  const precompiles = precompilesOf(SHANGHAI)
  const known = { frames, ranOff, isPrecompile: precompiles.has.bind(precompiles) }
  const { text } = await run(code, accounts, (out) => ({
    wants: VM_TRACE_WANTS,
    visitor: new VmTrace(out, known),
  }))
  return JSON.parse(text)
}

const ALL: StructLogOptions = {
  stack: true,
  memory: true,
  storage: 'written',
  returnData: true,
  limit: 0,
  opcodes: new Set(),
}

async function structLogsOf(code: string, options: Partial<StructLogOptions> = {}, other = '') {
  const told = { ...ALL, ...options }
  const { text } = await run(code, { [OTHER]: { code: other, nonce: 1n } }, (out) => ({
    wants: structLogWants(told),
    visitor: new StructLogs(out, told),
  }))
  return JSON.parse(text)
}

test('vmTrace prints a call with its result before its steps', async () => {
  const { ops } = await vmTraceOf(`${CALL_OTHER}00`, { [OTHER]: { code: '602a5f5260205ff3' } })
  const call = ops.find(({ sub }: { sub: unknown }) => sub !== null)
  assert.deepEqual(call.ex.push, ['0x1'])
  assert.deepEqual(call.ex.mem, { data: `0x${'2a'.padStart(64, '0')}`, off: 0 })
  assert.equal(call.sub.ops.length, 6)
})

test('vmTrace prints the output range of a callee that ran off its end, and nothing of one that stopped', async () => {
  const [ranOff, stopped] = await Promise.all(
    ['602a50', '602a5000'].map((code) => vmTraceOf(`${CALL_OTHER}00`, { [OTHER]: { code } })),
  )
  const memOf = (trace: { ops: { sub: unknown; ex: { mem: unknown } }[] }) =>
    trace.ops.find(({ sub }) => sub !== null)?.ex.mem
  assert.deepEqual(memOf(ranOff), { data: `0x${'00'.repeat(32)}`, off: 0 })
  assert.equal(memOf(stopped), null)
})

test('vmTrace: a call that never began has no callee, and a precompile costs the gas it took', async () => {
  const poor = await vmTraceOf(`5f5f5f5f600173${OTHER_DIGITS}5af100`)
  const refused = poor.ops.at(-2)
  assert.equal(refused.sub, null)
  assert.deepEqual(refused.ex.push, ['0x0'])
  const identity = await vmTraceOf('5f5f5f5f60045afa00')
  assert.equal(identity.ops.at(-2).cost, 100 + 15)
  assert.deepEqual(identity.ops.at(-2).sub, { code: '0x', ops: [] })
})

test('vmTrace: failed steps in a callee have no result, and unknown instructions are omitted', async () => {
  const failed = async (code: string) =>
    (await vmTraceOf(`${CALL_OTHER}00`, { [OTHER]: { code } })).ops.find(({ sub }: { sub: unknown }) => sub)
      .sub.ops
  const outOfGas = await failed('5b5f56')
  assert.equal(outOfGas.at(-1).ex, null)
  assert.deepEqual((await failed('600356')).at(-1).ex.push, [])
  assert.equal((await failed('5f0c')).length, 1)
})

test("struct logs show the account's writes from the write on, also by its callees, and not after a revert", async () => {
  const logs = await structLogsOf('60015f55602a50')
  assert.deepEqual(
    logs.map(({ op, storage }: { op: string; storage?: object }) => [op, Object.keys(storage ?? {}).length]),
    [
      ['PUSH1', 0],
      ['PUSH0', 0],
      ['SSTORE', 1],
      ['PUSH1', 1],
      ['POP', 1],
      ['STOP', 1],
    ],
  )
  const calling = `5f5f5f5f73${OTHER_DIGITS}5af400`
  const [kept, reverted] = await Promise.all(
    ['60015f5500', '60015f555f5ffd'].map((other) => structLogsOf(calling, {}, other)),
  )
  assert.equal(Object.keys(kept.at(-1).storage ?? {}).length, 1)
  assert.equal(reverted.at(-1).storage, undefined)
})

test('struct logs show accessed slots only at the steps that read or write them', async () => {
  const logs = await structLogsOf('5f5450600160015500', { storage: 'accessed' })
  const shown = logs.filter(({ storage }: { storage?: object }) => storage !== undefined)
  assert.deepEqual(
    shown.map(({ op, storage }: { op: string; storage: object }) => [op, Object.keys(storage).length]),
    [
      ['SLOAD', 1],
      ['SSTORE', 2],
    ],
  )
})

test('struct logs: a creation returns data if it reverts, but not the deployed code', async () => {
  const creating = (initCode: string): string => `63${initCode}5f526004601c5ff05000`
  const [made, reverted] = await Promise.all(
    ['60015ff3', '60015ffd'].map((initCode) => structLogsOf(creating(initCode))),
  )
  assert.equal(made!.at(-1).returnData, undefined)
  assert.equal(reverted!.at(-1).returnData, '0x00')
})

test('struct logs: memory is in words, return data follows a call, and forwarded gas counts', async () => {
  const logs = await structLogsOf(`${CALL_OTHER}00`, {}, '602a5f5260205ff3')
  const call = logs.find(({ op }: { op: string }) => op === 'CALL')
  const last = logs.at(-1)
  assert.ok(call.gasCost > 70_000)
  assert.deepEqual(last.memory, [`0x${'2a'.padStart(64, '0')}`])
  assert.equal(last.returnData, `0x${'2a'.padStart(64, '0')}`)
  assert.equal(call.memory, undefined)
})

test('struct logs stop at the limit and show the requested instructions', async () => {
  assert.equal((await structLogsOf('5f5f5f5f00', { limit: 2 })).length, 2)
  const logs = await structLogsOf('60015f5500', { opcodes: new Set(['SSTORE', 'STOP']) })
  assert.deepEqual(
    logs.map(({ op }: { op: string }) => op),
    ['SSTORE', 'STOP'],
  )
})

test('prestateTracer shows no empty account, whether it exists or not', async () => {
  const looking = `73${OTHER_DIGITS}3100`
  const options = { disableCode: false, disableStorage: false }
  const [empty, rich] = await Promise.all(
    [0n, 1n].map((balance) =>
      run(looking, { [OTHER]: { balance } }, (out) => prestate((text) => out.text(text), options)),
    ),
  )
  assert.equal(JSON.parse(empty!.text)[OTHER], undefined)
  assert.deepEqual(JSON.parse(rich!.text)[OTHER], { balance: '0x1' })
})

test('stateDiff and prestateTracer report a created account', async () => {
  const { text } = await run('5f5f5ff000', {}, (out) => stateDiff((part) => out.text(part)))
  const difference = JSON.parse(text)
  const created = Object.entries<{ nonce: object }>(difference).find(
    ([address, { nonce }]) => address !== COINBASE && '+' in nonce,
  )
  assert.deepEqual(created?.[1], {
    balance: { '+': '0x0' },
    code: { '+': '0x' },
    nonce: { '+': '0x1' },
    storage: {},
  })
  const after = JSON.parse(
    (
      await run('5f5f5ff000', {}, (out) =>
        prestateDifference((part) => out.text(part), { disableCode: false, disableStorage: false }),
      )
    ).text,
  )
  assert.deepEqual(after.post[created![0]], { nonce: 1 })
  assert.equal(after.pre[created![0]], undefined)
})

test('callTracer has logs at the calls that emitted them, and none of a reverted call', async () => {
  const other = '5f5fa05f5ffd'
  const code = `5f5fa0${CALL_OTHER}5f5fa000`
  const collected = collectedLogs()
  const { frames, outcome } = await run(code, { [OTHER]: { code: other } }, () => collected.shape)
  const totals = { gasLimit: GAS_LIMIT, gasUsed: outcome.gasUsed }
  const tree = JSON.parse(
    [...callTreeTexts(frames, totals, { onlyTopCall: false, logs: collected.logs })].join(''),
  )
  assert.deepEqual(
    tree.logs.map(({ position }: { position: string }) => position),
    ['0x0', '0x1'],
  )
  assert.equal(tree.calls[0].logs, undefined)
  assert.equal(tree.calls[0].error, 'execution reverted')
  const top = JSON.parse([...callTreeTexts(frames, totals, { onlyTopCall: true, logs: undefined })].join(''))
  assert.equal(top.calls, undefined)
})
