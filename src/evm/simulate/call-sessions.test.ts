import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, bytes, CONTRACT, SHANGHAI, sourceOf, transaction } from '#evm/engine.fixture.ts'
import type { EngineTransaction } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { wordAt } from '#types/state-changes.ts'
import { CALL_POLICIES } from './call-request.ts'
import type { Simulation } from './call-sessions.ts'
import { simulateCall } from './call-sessions.ts'

const native = createNativeEngine()
const engines = [await createJsEngine(), ...(native.ok ? [native.engine] : [])]
/** Adds one to a slot and returns it. */
const COUNTER = '5f54600101805f555f5260205ff3'
/** Creates an account with the code 00 and returns its address. */
const CREATOR = '5f6001525f60215ff05f5260205ff3'

/** A state that counts its slot reads. */
function countedState(stored: number) {
  const slots = { ['0'.repeat(64)]: stored.toString(16).padStart(64, '0') }
  const source = sourceOf({ [CONTRACT]: { code: COUNTER, storage: slots } })
  const seen = { reads: 0 }
  const storage: typeof source.storage = (address, slot) => {
    seen.reads++
    return source.storage(address, slot)
  }
  return { state: { ...source, storage, isFixed: true } as const, seen }
}

const FREE = transaction({ to: CONTRACT, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
const block = { ...BLOCK, baseFeePerGas: 0n }

async function count(simulation: Omit<Simulation, 'rules' | 'block' | 'policy'>): Promise<bigint> {
  const { freeCall: policy } = CALL_POLICIES
  const { output } = await simulateCall({ rules: SHANGHAI, block, policy, ...simulation }, FREE)
  return wordAt(output, 0)
}

for (const engine of engines) {
  test(`a call sees nothing of the call before, whose session it reuses (${engine.name})`, async () => {
    const { state, seen } = countedState(41)
    assert.equal(await count({ engine, state }), 42n)
    assert.equal(await count({ engine, state }), 42n)
    assert.equal(seen.reads, 1)
  })

  test(`calls on another state, with a cell or with options open their own session (${engine.name})`, async () => {
    const { state, seen } = countedState(1)
    assert.equal(await count({ engine, state }), 2n)
    assert.equal(await count({ engine, state: countedState(7).state }), 8n)
    await count({ engine, state, options: { cancel: new Int32Array(1) } })
    await count({ engine, state, options: { callTree: true } })
    assert.equal(seen.reads, 3)
    const { state: passing, seen: asked } = countedState(1)
    for (const _ of [1, 2]) await count({ engine, state: { ...passing, isFixed: undefined } as never })
    assert.equal(asked.reads, 2)
  })

  test(`an account that a call created is absent from the next (${engine.name})`, async () => {
    const state = { ...sourceOf({ [CONTRACT]: { code: CREATOR } }), isFixed: true } as const
    const made = [await count({ engine, state }), await count({ engine, state })]
    assert.notEqual(made[0], 0n)
    assert.equal(made[1], made[0])
  })

  test(`concurrent calls do not share a session (${engine.name})`, async () => {
    const { state } = countedState(3)
    const counts = await Promise.all([count({ engine, state }), count({ engine, state })])
    assert.deepEqual(counts, [4n, 4n])
  })
}

test('a failed session is not reused', { skip: !native.ok }, async () => {
  const engine = native.ok ? native.engine : undefined
  const { state } = countedState(5)
  const options = { isBrief: true }
  const failing = { ...FREE, transaction: { ...FREE.transaction, to: null, data: bytes('5b600056') } }
  const simulation = { engine: engine!, rules: SHANGHAI, block, state, policy: CALL_POLICIES.freeCall }
  assert.throws(() => simulateCall({ ...simulation, options }, failing as EngineTransaction), {
    kind: 'ENGINE_EXHAUSTED',
  })
  assert.equal(await count({ engine: engine!, state }), 6n)
})
