import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, CONTRACT, ETHER, OTHER, SENDER, SHANGHAI, stateOf, transaction } from './engine.fixture.ts'
import { type Engine, type EngineSession, INTERRUPT } from './engine.ts'
import { createJsEngine } from './engine-js.ts'
import { createNativeEngine } from './engine-native.ts'
import { decodeOutcome } from './outcome.ts'
import { LOOKUP, type LookupKind } from './state-lookup.ts'
import { NO_WANTS } from './trace/events.ts'

const native = createNativeEngine()
const engines: Engine[] = [
  await createJsEngine(),
  // Tests also run without the native engine.
  ...(native.ok ? [native.engine] : []),
]
/** Stores 1 in slot 0, sends 5 wei to a missing account, and loops forever. */
const ENDLESS = '6001600055600060006000600060056112345af1505b601556'
/** Stores 1 in slot 0. */
const BRIEF = '600160005500'
const GAS_LIMIT = 10n ** 9n

/** Opens a session whose time is up when it reads a slot. */
function open(engine: Engine, code: string): { readonly session: EngineSession; readonly cell: Int32Array } {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const accounts = { [SENDER]: { balance: ETHER }, [CONTRACT]: { balance: 10n, code } }
  const state = stateOf(accounts)
  const lookup = (kind: LookupKind): number => {
    if (kind === LOOKUP.storage) Atomics.or(cell, 0, INTERRUPT)
    return state.lookup(kind)
  }
  const block = { ...BLOCK, gasLimit: 2n * GAS_LIMIT }
  return { session: engine.open(block, SHANGHAI, { scratch: state.scratch, lookup }, { cancel: cell }), cell }
}

for (const engine of engines) {
  test(`an interrupted transaction leaves nothing behind, and the session continues: ${engine.name}`, async () => {
    const { session, cell } = open(engine, ENDLESS)
    const first = transaction({ value: 3n })
    const endless = transaction({ nonce: 1n, to: CONTRACT, gasLimit: GAS_LIMIT })
    const second = transaction({ nonce: 1n, value: 4n, to: OTHER })
    const { outcomes, refusal, isInterrupted } = await session.run([first, endless, second])
    assert.deepEqual([outcomes.length, refusal, isInterrupted], [1, undefined, true])
    assert.equal(session.gasUsed, 21_000n)
    const again = await session.run([second])
    assert.deepEqual(
      [again.outcomes.length, again.isInterrupted],
      [0, true],
      'the time is up until it is not',
    )
    Atomics.store(cell, 0, 0)
    session.credit(CONTRACT, 1n)
    const after = await session.run([second])

    const { session: plain } = open(engine, ENDLESS)
    await plain.run([first])
    plain.credit(CONTRACT, 1n)
    const expected = await plain.run([second])
    assert.deepEqual(after, expected)
    assert.deepEqual(session.finish(), plain.finish())
  })

  test(`system calls and traced transactions are not interrupted: ${engine.name}`, async () => {
    const { session } = open(engine, BRIEF)
    assert.ok(decodeOutcome(await session.systemCall(CONTRACT, new Uint8Array(0))).isSuccess)
    const trace = { wants: NO_WANTS, onEvents: () => {} }
    const { outcomes, isInterrupted } = await session.run([transaction({ to: CONTRACT })], trace)
    assert.deepEqual([outcomes.length, isInterrupted], [1, false])
    session.finish()
  })
}
