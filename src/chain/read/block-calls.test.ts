import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredCallTree } from '#chain/block/stored-call-trees.ts'
import { call, extend, LOGGER, openTestChain, REVERTER, testGenesis } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { callsOfBlock } from './block-calls.ts'
import { createChainView } from './create-chain-view.ts'

const MAX_BYTES = 1024 * 1024

async function callsIn(
  chain: Chain,
  number: number,
  request: { positions?: number[]; maxBytes?: number } = {},
) {
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const known = view.lookup.block(number)!
  return callsOfBlock(view, await createJsEngine(), known, {
    maxBytes: MAX_BYTES,
    cancel: undefined,
    ...request,
  })
}

async function chainOf(keepCallTrees: boolean): Promise<Chain> {
  const chain = await openTestChain({ traceStoreEnabled: keepCallTrees })
  await extend(chain, [call(0)])
  await extend(chain, [call(1), call(2, LOGGER), call(3, REVERTER)])
  return chain
}

/** Converts bytes to text, because bytes from the store have another class. */
function plain(trees: ReadonlyMap<number, StoredCallTree>) {
  return [...trees].map(([position, { frames, isCut }]) => ({
    position,
    isCut,
    frames: frames.map((frame) => ({
      ...frame,
      input: formatData(frame.input),
      output: formatData(frame.output),
    })),
  }))
}

test('calls are the same whether they are stored or replayed', async () => {
  const [stored, without] = [await chainOf(true), await chainOf(false)]
  assert.deepEqual(plain(await callsIn(without, 2)), plain(await callsIn(stored, 2)))
  const some = await callsIn(stored, 2, { positions: [1] })
  assert.deepEqual([...some.keys()], [1])
  const again = plain(await callsIn(without, 2, { positions: [1] }))
  assert.deepEqual(again[1], plain(some)[0])
})

test('calls beyond the byte limit are cut and marked as cut', async () => {
  const cut = await callsIn(await chainOf(false), 2, { maxBytes: 10 })
  assert.deepEqual(
    [...cut.values()].map(({ isCut }) => isCut),
    [true, true, true],
  )
})

test('calls that are neither stored nor replayable are a fault', async () => {
  const chain = await chainOf(false)
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  const known = view.lookup.block(2)!
  await chain.unwind(0)
  const engine = await createJsEngine()
  await assert.rejects(
    callsOfBlock(view, engine, known, { maxBytes: MAX_BYTES, cancel: undefined }),
    (error) => error instanceof Fault && error.kind === 'STATE_UNAVAILABLE',
  )
})
