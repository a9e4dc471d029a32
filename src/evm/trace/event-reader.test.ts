import assert from 'node:assert/strict'
import { test } from 'node:test'
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
import type { Engine } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { formatData } from '#types/hex.ts'
import { TraceEventReader } from './event-reader.ts'
import { CHUNK_BYTES, NO_WANTS, type TraceWants } from './events.ts'
import type { TouchedAccount, TraceVisitor } from './trace-visitor.ts'

/** Every engine that loads here. */
const native = createNativeEngine()
const ENGINES: readonly Engine[] = [await createJsEngine(), ...(native.ok ? [native.engine] : [])]

/** PUSH1 7, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const RETURNS_SEVEN = '600760005260206000f3'
/** Writes memory, calls OTHER with room for a word, and stores the result in slot 1. */
const CALLS_OTHER = '602a60005260206000600060006000732000000000000000000000000000000000000002' + '5af1600155'

interface Run {
  readonly wants: Partial<TraceWants>
  readonly visitor?: TraceVisitor
  readonly onEvents?: (chunk: Uint8Array) => void
  readonly accounts?: Record<string, FixtureAccount>
  readonly gasLimit?: bigint
}

async function trace(engine: Engine, run: Run) {
  const accounts = { [SENDER]: { balance: ETHER }, ...run.accounts }
  const session = engine.open(BLOCK, SHANGHAI, stateOf(accounts))
  const reader = new TraceEventReader(run.visitor ?? {})
  const onEvents = run.onEvents ?? ((chunk: Uint8Array) => reader.read(chunk))
  const sent = transaction({ to: CONTRACT, gasLimit: run.gasLimit ?? 200_000n })
  return await session.run([sent], { wants: { ...NO_WANTS, ...run.wants }, onEvents })
}

for (const engine of ENGINES) {
  test(`${engine.name}: a step shows stack and memory before and after it`, async () => {
    const lines: string[] = []
    const visitor: TraceVisitor = {
      step: ({ pc, gas, cost, stack, memoryLength }) =>
        lines.push(`${pc} ${gas} ${cost} [${stack.items().join(' ')}] ${memoryLength}`),
      stepped: ({ gasAfter, stack, writtenFrom, writtenLength }) =>
        lines.push(`  ${gasAfter} [${stack.items().join(' ')}] ${writtenFrom} ${writtenLength}`),
    }
    const wants = { steps: true, stack: true, memory: true }
    await trace(engine, { wants, visitor, accounts: { [CONTRACT]: { code: RETURNS_SEVEN } } })
    assert.deepEqual(lines.slice(2, 8), [
      '2 178997 3 [0x7] 0',
      '  178994 [0x7 0x0] 0 0',
      '4 178994 6 [0x7 0x0] 0',
      '  178988 [] 0 32',
      '5 178988 3 [] 32',
      '  178985 [0x20] 0 0',
    ])
  })

  test(`${engine.name}: a call consists of a step, a frame, and its effect on the caller`, async () => {
    const told: string[] = []
    const visitor: TraceVisitor = {
      enter: ({ type, depth, to, gas }) => told.push(`enter ${type} ${depth} ${to} ${gas}`),
      exit: ({ error, gasUsed, output }) => told.push(`exit ${error} ${gasUsed} ${output.length}`),
      step: ({ op, cost, isOpen }) => told.push(`${op.toString(16)} ${cost} ${isOpen}`),
      stepped: ({ op, gasAfter, stack, memory }) =>
        op === 0xf1 && told.push(`called ${gasAfter} ${stack.item(1)} ${memory[31]}`),
    }
    const accounts = { [CONTRACT]: { code: CALLS_OTHER }, [OTHER]: { code: RETURNS_SEVEN } }
    await trace(engine, {
      wants: { steps: true, stack: true, memory: true, calls: true },
      visitor,
      accounts,
    })
    const from = told.indexOf('f1 2600 true')
    assert.equal(told[from + 1], `enter call 1 ${OTHER} 173613`)
    const end = told.indexOf('exit none 18 32')
    assert.equal(told[end + 1], 'called 176350 0x1 7')
  })

  test(`${engine.name}: an instruction without gas for it has the cost it would have had`, async () => {
    const faults: string[] = []
    const visitor: TraceVisitor = {
      step: ({ pc, cost, isFault }) => isFault && faults.push(`${pc} ${cost}`),
      exit: ({ error }) => faults.push(error),
    }
    const accounts = { [CONTRACT]: { code: '6001600255' } }
    await trace(engine, { wants: { steps: true }, visitor, accounts, gasLimit: 30_000n })
    assert.deepEqual(faults, ['4 22100', 'outOfGas'])
  })

  test(`${engine.name}: values that were not requested are not reported`, async () => {
    const told: string[] = []
    const tell = (name: string) => (): void => void told.push(name)
    const visitor: TraceVisitor = {
      code: tell('code'),
      step: tell('step'),
      log: tell('log'),
      account: tell('account'),
      enter: ({ input }) => told.push(`enter ${input.length}`),
      exit: ({ output }) => told.push(`exit ${output.length}`),
      end: ({ gasUsed }) => told.push(`end ${gasUsed}`),
    }
    await trace(engine, { wants: {}, visitor, accounts: { [CONTRACT]: { code: RETURNS_SEVEN } } })
    assert.deepEqual(told, ['enter 0', 'exit 0', 'end 21018'])
  })

  test(`${engine.name}: accounts and slots are reported before and after a transaction`, async () => {
    const found: TouchedAccount[] = []
    const visitor: TraceVisitor = { account: (account) => found.push(account) }
    const slot = '00'.repeat(31)
    const storage = { [`${slot}01`]: `${slot}05` }
    const accounts = { [CONTRACT]: { code: '60015450600260015560025450', storage } }
    await trace(engine, { wants: { touched: true }, visitor, accounts })
    assert.deepEqual(
      found.map(({ address, before, after }) => [address, before?.nonce, after?.nonce]),
      [
        [SENDER, 0n, 1n],
        [COINBASE, undefined, 0n],
        [CONTRACT, 0n, 0n],
      ],
    )
    const { slots, codeBefore, codeAfter } = found[2]!
    assert.equal(formatData(codeBefore!), '0x60015450600260015560025450')
    assert.equal(codeAfter, undefined)
    assert.deepEqual(
      slots.map((entry) => [entry.slot[31], entry.before[31], entry.after[31]]),
      [
        [1, 5, 2],
        [2, 0, 0],
      ],
    )
  })

  test(`${engine.name}: chunks are bounded, and their receiver may end the work`, async () => {
    // An endless loop: JUMPDEST, PUSH1 0, JUMP.
    const accounts = { [CONTRACT]: { code: '5b600056' } }
    const lengths: number[] = []
    const enough = new Error('enough')
    const onEvents = (chunk: Uint8Array): void => {
      lengths.push(chunk.length)
      if (lengths.length === 3) throw enough
    }
    const run = trace(engine, { wants: { steps: true }, onEvents, accounts, gasLimit: 20_000_000n })
    await assert.rejects(run, (error) => error === enough)
    assert.equal(lengths.length, 3)
    assert.ok(Math.max(...lengths) <= CHUNK_BYTES)
  })

  test(`${engine.name}: an event longer than a chunk arrives complete`, async () => {
    // CALLDATACOPY of 100,000 bytes to 0.
    const accounts = { [CONTRACT]: { code: '620186a06000600037' } }
    let written = 0
    const visitor: TraceVisitor = {
      stepped: ({ writtenLength }) => {
        written = Math.max(written, writtenLength)
      },
    }
    await trace(engine, { wants: { steps: true, memory: true }, visitor, accounts })
    assert.equal(written, 100_000)
  })
}

test('both engines write the same bytes', async () => {
  const streams: string[] = []
  const wants = Object.fromEntries(Object.keys(NO_WANTS).map((name) => [name, true]))
  const accounts = { [CONTRACT]: { code: CALLS_OTHER }, [OTHER]: { code: RETURNS_SEVEN } }
  for (const engine of ENGINES) {
    let stream = ''
    await trace(engine, { wants, accounts, onEvents: (chunk) => (stream += formatData(chunk)) })
    streams.push(stream)
  }
  assert.equal(new Set(streams).size, 1)
})
