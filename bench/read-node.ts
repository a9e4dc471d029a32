/**
 * The node that bench/read.ts and bench/growth.ts measure, in its own process. It receives the chain and its options
 * and reports its ports. On request it imports a large block every second and reports the delays.
 */
import { createNode, type EmbeddedNode } from '#node/create-node.ts'
import type { FeedReport, NodeOrder } from './read-jobs.ts'

const BLOCK_PERIOD_MS = 1_000

let node: EmbeddedNode | undefined
let further: readonly Uint8Array[] = []

process.on('message', async (order: NodeOrder) => {
  switch (order.kind) {
    case 'start': {
      node = await createNode({
        genesis: order.genesisText,
        ...(order.dataPath !== undefined && { dataPath: order.dataPath }),
        options: {
          logging: 'ERROR',
          'rpc-http-enabled': true,
          'rpc-http-port': 0,
          'rpc-http-max-active-connections': 200,
          ...order.options,
        },
      })
      for (const block of order.blocks) await give(node, block)
      further = order.further
      process.send!({ http: node.http!.port, websocket: node.websocket?.port })
      return
    }
    case 'feed':
      process.send!(await feed(node!, order.seconds))
      return
    case 'stop':
      await node?.stop()
      process.disconnect()
  }
})

async function feed(to: EmbeddedNode, seconds: number): Promise<FeedReport> {
  const importMs: number[] = []
  const start = performance.now()
  for (let count = 0; count < seconds && further.length > 0; count++) {
    const dueMs = start + count * BLOCK_PERIOD_MS
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
    const [block, ...rest] = further
    further = rest
    await give(to, block!)
    importMs.push(performance.now() - dueMs)
  }
  return { blocks: importMs.length, worstMs: Math.max(0, ...importMs) }
}

async function give(to: EmbeddedNode, block: Uint8Array): Promise<void> {
  const verdict = await to.importBlock(block, 'none')
  if (!verdict.ok) throw new Error(verdict.sentence)
}
