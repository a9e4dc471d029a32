/** The node that bench/trace.ts measures, in its own process. It receives a chain and reports its port. */
import { createNode } from '#node/create-node.ts'
import type { TraceChain } from './trace-chain.ts'

process.on('message', async ({ genesisText, blocks }: Pick<TraceChain, 'genesisText' | 'blocks'>) => {
  const node = await createNode({
    genesis: genesisText,
    options: { 'rpc-http-enabled': true, 'rpc-http-port': 0, 'rpc-http-api': ['ETH', 'TRACE', 'DEBUG'] },
  })
  for (const block of blocks) {
    const verdict = await node.importBlock(block, 'none')
    if (!verdict.ok) throw new Error(verdict.sentence)
  }
  process.once('disconnect', () => void node.stop().then(() => process.exit()))
  process.send!({ port: node.http!.port })
})
