/**
 * Creates and stops nodes one after the other and prints what they left behind. Runs with --expose-gc.
 *
 *   node --expose-gc test/acceptance/process/embedded-nodes.ts 100
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { RpcThreads } from '#api/threads/rpc-threads.ts'
import { createNode } from '#node/create-node.ts'
import { TransactionPool } from '#pool/transaction-pool.ts'

const count = Number(process.argv[2])
/** They load modules and compile code, which stays. */
const FIRST_NODES = 3

async function useNode(): Promise<void> {
  await using node = await createNode({ network: 'dev' })
  const [from] = (await node.provider.request({ method: 'eth_accounts' })) as string[]
  const transfer = { from, to: from, value: '0x1' }
  await node.provider.request({ method: 'eth_sendTransaction', params: [transfer] })
}

/** Ended threads release memory some time after their exit. */
async function measure() {
  for (let round = 0; round < 5; round++) {
    globalThis.gc!()
    await sleep(50)
  }
  const objects = [TransactionPool, RpcThreads].map((type) => queryObjects(type, { format: 'count' }))
  return { objects, residentBytes: process.memoryUsage().rss, resources: process.getActiveResourcesInfo() }
}

for (let at = 0; at < FIRST_NODES; at++) await useNode()
const before = await measure()
for (let at = 0; at < count; at++) await useNode()
console.log(JSON.stringify({ nodes: count, before, after: await measure() }))
