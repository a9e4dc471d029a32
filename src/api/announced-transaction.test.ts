/* A block is stored before this thread is told of it. Until then its transactions wait, whoever asks for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { RunContext } from '#jsonrpc/method.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { createSignal } from '#platform/signal.ts'
import getByHash from './methods/eth/eth_getTransactionByHash.ts'
import getReceipt from './methods/eth/eth_getTransactionReceipt.ts'
import sendSync from './methods/eth/eth_sendRawTransactionSync.ts'
import explain from './methods/txpool/txpool_explain.ts'
import type { Resources } from './resources.ts'

const CONTEXT = { signal: new AbortController().signal } as RunContext
const TURNS = 20

async function open() {
  const chain = await openTestChain()
  let announced: HeadMark = { number: 0, hash: chain.head.hash }
  const view = createChainView({ store: chain.store, genesis: testGenesis(), announcedHead: () => announced })
  const moved = createSignal<HeadMark>((error) => assert.fail(String(error)))
  const transaction = call(0)
  const resources = {
    chain: view,
    // It left the pool, which is nearer to the writer, when the block was stored.
    pool: { get: async () => undefined, explain: async () => undefined },
    intake: { submit: async () => ({ ok: true, hash: transaction.hash }) },
    heads: { onMoved: (listener: (head: HeadMark) => void) => moved.subscribe(listener) },
  } as unknown as Resources
  await extend(chain, [transaction])
  const announce = (): void => {
    announced = { number: 1, hash: chain.head.hash }
    moved.emit(announced)
  }
  return { chain, resources, hash: transaction.hash, announce }
}

test('a receipt is shown when its block is announced', async () => {
  const { chain, resources, hash, announce } = await open()
  const ask = async () =>
    (await getReceipt.run(resources, { hash }, CONTEXT)) as { blockNumber: string } | null
  assert.equal(await ask(), null)
  announce()
  assert.equal((await ask())?.blockNumber, '0x1')
  await chain.close()
})

test('a transaction has no block until that is announced, and is never unknown', async () => {
  const { chain, resources, hash, announce } = await open()
  const ask = async () =>
    (await getByHash.run(resources, { hash }, CONTEXT)) as { hash: string; blockNumber: string | null } | null
  const before = await ask()
  assert.equal(before?.hash, hash)
  assert.equal(before?.blockNumber, null)
  announce()
  assert.equal((await ask())?.blockNumber, '0x1')
  await chain.close()
})

test('a transaction waits, and is not called mined, until its block is announced', async () => {
  const { chain, resources, hash, announce } = await open()
  const ask = async () =>
    (await explain.run(resources, { hash }, CONTEXT)) as { state: string; sentence: string }
  const before = await ask()
  assert.equal(before.state, 'pending')
  assert.match(before.sentence, /in a block/)
  announce()
  const { state, sentence } = await ask()
  assert.deepEqual([state, sentence], ['mined', 'It is transaction 0 of block 1.'])
  await chain.close()
})

test('a client that waits for a receipt gets it when its block is announced', async () => {
  const { chain, resources, announce } = await open()
  let isAnswered = false
  const params = { transaction: '0x00', timeoutMs: 60_000 }
  const answer = Promise.resolve(sendSync.run(resources, params as never, CONTEXT)).finally(() => {
    isAnswered = true
  })
  for (let turn = 0; turn < TURNS; turn++) await nextTurn()
  assert.equal(isAnswered, false)
  announce()
  assert.equal(((await answer) as { blockNumber: string }).blockNumber, '0x1')
  await chain.close()
})
