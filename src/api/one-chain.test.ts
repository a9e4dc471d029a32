import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, LOGGER, openTestChain, SOMEBODY, testGenesis } from '#chain/chain.fixture.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import traceFilter from './methods/trace/trace_filter.ts'
import { ofOneBlock, ofOneChain, whileCanonical } from './one-chain.ts'
import type { Resources } from './resources.ts'
import { TraceFilter } from './schema/trace.ts'
import { LATEST } from './schema/values.ts'

/* A search of calls goes from the index to blocks; meanwhile the chain may be reorganised. */

interface Place {
  readonly blockNumber: number
  readonly blockHash: string
}

async function open() {
  const chain = await openTestChain()
  for (let nonce = 0; nonce < 3; nonce += 1) await extend(chain, [call(nonce, LOGGER)])
  return { chain, view: createChainView({ store: chain.store, genesis: testGenesis() }) }
}

/** Calls `onFound` when the index has told of the first block. */
function interrupted(view: ChainView, onFound: () => Promise<void>): ChainView {
  const { lookup } = view
  let isFirst = true
  async function* transactionsWithCalls(...args: Parameters<typeof lookup.transactionsWithCalls>) {
    for await (const found of lookup.transactionsWithCalls(...args)) {
      yield found
      if (isFirst) await onFound()
      isFirst = false
    }
  }
  const proxied = new Proxy(lookup, {
    get(target, name: keyof typeof lookup) {
      if (name === 'transactionsWithCalls') return transactionsWithCalls
      const member = target[name]
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { ...view, lookup: proxied }
}

async function search(chain: ChainView, filter: object): Promise<Place[]> {
  const limits = { maxTraceFilterRange: 0, maxRequestBytes: 2 ** 28 }
  const resources = { chain, engine: await createJsEngine(), limits } as unknown as Resources
  const decoded = TraceFilter.schema.parse(filter)
  const pieces = traceFilter.run(resources, { filter: decoded }, {
    signal: new AbortController().signal,
  } as never)
  return JSON.parse((await Array.fromAsync(pieces as AsyncIterable<string>)).join(''))
}

async function reorganise(chain: Chain): Promise<void> {
  await chain.unwind(1)
  await extend(chain, [call(1, SOMEBODY), call(2, LOGGER)])
  await extend(chain, [call(3, LOGGER)])
  await extend(chain)
}

for (const filter of [
  { fromBlock: '0x1', toBlock: '0x3' },
  { fromBlock: '0x1', toBlock: '0x3', toAddress: [LOGGER] },
  { fromBlock: '0x1', toBlock: 'latest', toAddress: [LOGGER] },
]) {
  test(`trace_filter answers from one chain during a reorg: ${JSON.stringify(filter)}`, async () => {
    const { chain, view } = await open()
    const seen = await search(
      interrupted(view, () => reorganise(chain)),
      filter,
    )
    const afterwards = await search(view, filter)
    assert.deepEqual(seen, afterwards)
    assert.ok(seen.every(({ blockHash }) => view.lookup.isCanonical(blockHash as never)))
    await chain.close()
  })
}

test('a short answer starts again if its block is gone after the only chunk', async () => {
  const { chain, view } = await open()
  let attempts = 0
  async function* read() {
    attempts++
    yield `attempt ${attempts}`
    if (attempts > 1) return
    await reorganise(chain)
    throw new Error('the state is gone')
  }
  const answer = ofOneChain(view, (current) => whileCanonical(current, current.head().hash, read()))
  assert.deepEqual(await Array.fromAsync(answer), ['attempt 2'])
})

test('a read of a block whose later blocks were rewound meanwhile starts again', async () => {
  const { chain, view } = await open()
  const head = view.head()
  let reads = 0
  const chunks = ofOneBlock(view, LATEST, async function* ({ stateAt }, { hash }) {
    const state = stateAt(Number(head.header.number), hash)
    if (reads++ === 0) {
      await extend(chain, [call(3, LOGGER)])
      await chain.unwind(Number(head.header.number))
    }
    yield 'read'
    state.confirm()
  })
  assert.deepEqual(await Array.fromAsync(chunks), ['read'])
  assert.equal(reads, 2)
  await chain.close()
})
