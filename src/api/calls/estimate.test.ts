import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineResources } from '#api/resources.ts'
import { PENDING } from '#api/schema/values.ts'
import {
  extend,
  LOGGER,
  LOOPER,
  openTestChain,
  REVERTER,
  RICH,
  SOMEBODY,
  testGenesis,
} from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Engine } from '#evm/engine.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import { estimateGas } from './estimate.ts'

const native = createNativeEngine()
const skip = native.ok ? false : native.sentence
const LIMITS = { gasCap: 50_000_000, estimateGasTolerance: 0.015 } as EngineResources['limits']

/** Succeeds only with more than a million gas left, so the first guess fails and the search is long. */
const HUNGRY = parseData('0x620f42405a11600e5760006000fd5b00')

const CALLS: Readonly<Record<string, CallRequest>> = {
  'a transfer': { from: RICH, to: SOMEBODY, value: 1n },
  'a transfer to a contract': { from: RICH, to: LOGGER, value: 0n },
  'a call that logs': { from: RICH, to: LOGGER, data: parseData('0x01') },
  'a call that reverts': { from: RICH, to: REVERTER, data: parseData('0x01') },
  'a call without end': { from: RICH, to: LOOPER, data: parseData('0x01') },
  'a creation': { from: RICH, data: parseData('0x600160005500') },
  'a creation that needs much gas': { from: RICH, data: HUNGRY },
  'a transfer without funds': { from: SOMEBODY, to: RICH, value: 10n ** 30n },
  'a call with little gas': { from: RICH, to: LOGGER, data: parseData('0x01'), gas: 21_000n },
}

async function outcomeOf(resources: EngineResources, call: CallRequest): Promise<unknown> {
  const context = { signal: new AbortController().signal }
  try {
    return await estimateGas(resources, { call, block: PENDING, stateOverrides: undefined }, context)
  } catch (error) {
    assert.ok(error instanceof Fault)
    return `${error.kind} ${error.message}`
  }
}

test('a brief engine estimates like any other, or leaves the estimate to it', { skip }, async () => {
  assert.ok(native.ok)
  const { engine } = native
  const brief: Engine = {
    ...engine,
    isBrief: true,
    open: (block, rules, state, options) => engine.open(block, rules, state, { ...options, isBrief: true }),
  }
  const chain = await openTestChain()
  await extend(chain, [])
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const left: string[] = []
  for (const [name, call] of Object.entries(CALLS)) {
    const expected = await outcomeOf({ chain: view, engine, limits: LIMITS } as EngineResources, call)
    const found = await outcomeOf({ chain: view, engine: brief, limits: LIMITS } as EngineResources, call)
    if (String(found).startsWith('ENGINE_EXHAUSTED')) left.push(name)
    else assert.deepEqual(found, expected, name)
  }
  assert.deepEqual(left, ['a call without end', 'a creation that needs much gas'])
  await chain.close()
})
