import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Resources } from '#api/resources.ts'
import { extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Method } from '#jsonrpc/method.ts'
import { runSettled } from './run-settled.ts'

test('a method is run again as often as the chain leaves its head and comes back to it meanwhile', async () => {
  const chain = await openTestChain()
  const block = await extend(chain)
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  let runs = 0
  const readWhileItMoves = async (): Promise<number> => {
    runs += 1
    if (runs > 3) return view.stateAt(1).number
    await chain.unwind(0)
    try {
      return view.stateAt(1).number
    } finally {
      await chain.importBlock(chain.receive(block))
    }
  }
  const method = { run: readWhileItMoves } as unknown as Method
  assert.equal(
    await runSettled(method, { chain: view } as Resources, {}, { signal: new AbortController().signal }),
    1,
  )
  assert.equal(runs, 4)
})

test('a state that is not kept is not asked for without end', async () => {
  const chain = await openTestChain()
  const view = createChainView({ store: chain.store, genesis: testGenesis() })
  let runs = 0
  const method = {
    run: () => {
      runs += 1
      return view.stateAt(7)
    },
  } as unknown as Method
  const context = { signal: new AbortController().signal }
  assert.throws(() => runSettled(method, { chain: view } as Resources, {}, context), {
    kind: 'STATE_UNAVAILABLE',
  })
  assert.equal(runs, 2)
})
