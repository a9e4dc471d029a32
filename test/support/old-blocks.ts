/** A chain whose first blocks move to small segments, and everything that clients ask about them. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { extend, openTestChain } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { growChain } from '#chain/write/move-history.fixture.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { openRpcClient, type RpcClient } from './rpc-client.ts'
import { type RunningNode, startNode } from './running-node.ts'

export const HOT_BLOCKS = 256
export const SEGMENT_BLOCKS = 16
export const SEGMENTS = 4
export const MOVED = SEGMENTS * SEGMENT_BLOCKS
const API = ['--rpc-http-enabled', '--rpc-http-api=ETH,TRACE,DEBUG']

export const hex = (number: number): string => `0x${number.toString(16)}`

/** Small segments, because the real size would need 8,192 blocks; a database keeps the size of its first segment. */
export async function useSmallSegments(kv: Kv): Promise<void> {
  const batch = kv.batch()
  META.moved.write(batch, { end: 0, cleared: 0, segmentBlocks: SEGMENT_BLOCKS })
  await batch.write({ sync: true })
}

/** Writes a chain whose first blocks have transactions, and returns their hashes by block and the storage format. */
export async function makeChain(database: string) {
  const chain = await openTestChain({}, await openLevelKv(database, { createIfMissing: true }))
  await growChain(chain, MOVED)
  for (let block = 0; block < HOT_BLOCKS; block++) await extend(chain)
  const lookup = new Lookup(chain.store)
  const hashes = Array.from({ length: MOVED }, (_, number) =>
    lookup.block(number)!.block.transactions.map(({ hash }) => hash),
  )
  const { format } = chain.store
  await useSmallSegments(chain.store.kv)
  await chain.close()
  // A node with a chain generates no key.
  writeFileSync(join(database, '..', 'key'), '11'.repeat(32), { mode: 0o600 })
  return { hashes, format }
}

export async function ask(client: RpcClient, method: string, ...params: unknown[]): Promise<unknown> {
  const { result, error } = await client.call(method, ...params)
  assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
  return result
}

/** Everything about the blocks that move. */
export async function answersOf(
  client: RpcClient,
  hashes: readonly (readonly string[])[],
): Promise<unknown[]> {
  const answers: Promise<unknown>[] = []
  for (const [number, transactions] of hashes.entries()) {
    answers.push(ask(client, 'eth_getBlockByNumber', hex(number), true))
    for (const hash of transactions) {
      for (const method of ['eth_getTransactionReceipt', 'trace_transaction', 'debug_traceTransaction'])
        answers.push(ask(client, method, hash))
    }
  }
  const range = { fromBlock: '0x1', toBlock: hex(MOVED - 1) }
  answers.push(ask(client, 'eth_getLogs', range), ask(client, 'trace_filter', range))
  return Promise.all(answers)
}

export function segmentsIn(database: string, kind = '.segment'): string[] {
  const folder = join(database, 'segments')
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(kind)) : []
}

export async function withNode<Value>(
  context: TestContext,
  args: readonly string[],
  data: string,
  use: (client: RpcClient, node: RunningNode) => Promise<Value>,
): Promise<Value> {
  const node = await startNode([...API, ...args], data)
  context.after(() => node.kill())
  const client = openRpcClient(node.http)
  try {
    return await use(client, node)
  } finally {
    client.close()
    await node.stop()
  }
}
