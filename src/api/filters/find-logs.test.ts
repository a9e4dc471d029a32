import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockLogQuery, LogQuery } from '#api/schema/log-filter.ts'
import { call, extend, LOGGER, openTestChain, SOMEBODY, testGenesis } from '#chain/chain.fixture.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { findLogs, type LogLimits } from './find-logs.ts'
import { ALL_LOGS } from './log-query.fixture.ts'

const UNLIMITED: LogLimits = { maxLogsRange: 0, maxLogsBlocks: 0 }

async function find(view: ChainView, query: LogQuery | BlockLogQuery, limits: Partial<LogLimits> = {}) {
  return JSON.parse((await Array.fromAsync(findLogs(view, query, { ...UNLIMITED, ...limits }))).join(''))
}

async function open() {
  const chain = await openTestChain()
  await extend(chain, [call(0), call(1, LOGGER), call(2, LOGGER)])
  await extend(chain, [call(3, LOGGER)])
  return { chain, view: createChainView({ store: chain.store, genesis: testGenesis() }) }
}

test('logs carry their place in the block and the hash of their transaction', async () => {
  const { chain, view } = await open()
  const logs = await find(view, ALL_LOGS)
  const places = logs.map((log: Record<string, string>) => [
    log.blockNumber,
    log.transactionIndex,
    log.logIndex,
  ])
  assert.deepEqual(places, [
    ['0x1', '0x1', '0x0'],
    ['0x1', '0x2', '0x1'],
    ['0x2', '0x0', '0x0'],
  ])
  assert.equal(logs[1].transactionHash, call(2, LOGGER).hash)
  await chain.close()
})

test('of one block they are found by its hash, canonical or not', async () => {
  const { chain, view } = await open()
  const blockHash = chain.head.hash
  await chain.unwind(1)
  const logs = await find(view, { kind: 'block', blockHash, addresses: [LOGGER], topics: [] })
  assert.equal(logs.length, 1)
  await chain.close()
})

test('a head that left the chain before that was announced does not spoil the answer', async () => {
  const { chain, view } = await open()
  const old = view.head()
  await chain.unwind(1)
  await extend(chain)
  const logs = await find({ ...view, head: () => old }, ALL_LOGS)
  assert.deepEqual(
    logs.map((log: { blockNumber: string }) => log.blockNumber),
    ['0x1', '0x1'],
  )
  await chain.close()
})

test('invalid ranges are refused', async () => {
  const { chain, view } = await open()
  const number = (value: bigint) => ({ kind: 'number', number: value }) as const
  const refused = (query: LogQuery, kind: string, maxLogsRange = 0) =>
    assert.rejects(find(view, query, { maxLogsRange }), { kind })
  await refused({ ...ALL_LOGS, fromBlock: number(2n), toBlock: number(1n) }, 'INVALID_PARAMS')
  await refused({ ...ALL_LOGS, toBlock: number(9n) }, 'INVALID_PARAMS')
  await refused(ALL_LOGS, 'EXCEEDS_RPC_MAX_BLOCK_RANGE', 1)
  assert.equal((await find(view, ALL_LOGS, { maxLogsRange: 2 })).length, 3)
  await chain.close()
})

test('a search that would read too many blocks is refused, with the part of the range that it may search', async () => {
  const { chain, view } = await open()
  for (let block = 0; block < 3; block++) await extend(chain)
  const byAddress = { ...ALL_LOGS, addresses: [LOGGER] }
  assert.equal((await find(view, byAddress, { maxLogsBlocks: 2 })).length, 3)
  const refused = (query: LogQuery, maxLogsBlocks: number, part: object) =>
    assert.rejects(find(view, query, { maxLogsBlocks }), ({ kind, data }) => {
      assert.equal(kind, 'EXCEEDS_RPC_MAX_LOGS_BLOCKS')
      assert.deepEqual(data.data, part)
      return true
    })
  await refused(byAddress, 1, { fromBlock: '0x0', toBlock: '0x1', blocks: 1 })
  const toBlock = { kind: 'number', number: 1n } as const
  assert.equal((await find(view, { ...byAddress, toBlock }, { maxLogsBlocks: 1 })).length, 2)
  // Without addresses and topics, every block of the range has to be read.
  await refused(ALL_LOGS, 4, { fromBlock: '0x0', toBlock: '0x3', blocks: 4 })
  await chain.close()
})

test('a search of the index ends when its client has left', async () => {
  const { chain, view } = await open()
  const nowhere = { ...ALL_LOGS, addresses: [SOMEBODY] }
  const limits = { maxLogsRange: 0, maxLogsBlocks: 1 }
  const signal = AbortSignal.abort(new Error('gone'))
  await assert.rejects(Array.fromAsync(findLogs(view, nowhere, limits, signal)), /gone/)
  await chain.close()
})

test('a search ends when its client has left', async () => {
  const { chain, view } = await open()
  for (let block = 0; block < 8; block++) await extend(chain)
  const signal = AbortSignal.abort(new Error('gone'))
  await assert.rejects(Array.fromAsync(findLogs(view, ALL_LOGS, UNLIMITED, signal)), /gone/)
  await chain.close()
})
