import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, GENESIS_TEXT, makeBlocks, openTestChain, RICH } from '#chain/chain.fixture.ts'
import { createNode } from '#node/create-node.ts'
import { encodeBlock } from '#types/block/block.ts'
import { formatData } from '#types/hex.ts'

test('a block that was refused is shown by debug_getBadBlocks until the node stops', async (t) => {
  const [encoded] = await makeBlocks([call(0)])
  const { block } = (await openTestChain()).receive(encoded!)
  const bad = encodeBlock({ ...block, header: { ...block.header, gasUsed: 1n } })
  const node = await createNode({ genesis: GENESIS_TEXT })
  t.after(() => node.stop())
  const verdict = await node.importBlock(bad, 'none')
  assert.equal(verdict.ok, false)
  const shown = (await node.provider.request({ method: 'debug_getBadBlocks' })) as readonly BadBlock[]
  assert.equal(shown.length, 1)
  const [{ rlp, hash, block: presented }] = shown as [BadBlock]
  assert.equal(rlp, formatData(bad))
  assert.equal(hash, presented.hash)
  assert.equal(presented.gasUsed, '0x1')
  assert.equal(presented.transactions[0]!.from, RICH)
  assert.deepEqual(Object.keys(shown[0]!), ['block', 'hash', 'rlp'])
})

test("debug_metrics shows every thread's metrics", async (t) => {
  const options = {
    'rpc-http-enabled': true,
    'rpc-http-port': 0,
    'rpc-http-api': 'ETH,DEBUG',
    'rpc-threads': 2,
  }
  const node = await createNode({ genesis: GENESIS_TEXT, options })
  t.after(() => node.stop())
  await node.provider.request({ method: 'eth_blockNumber' })
  const shown = (await node.provider.request({ method: 'debug_metrics' })) as Partial<Metrics>
  assert.equal(shown.ethereum?.blockchain_height, 0)
  assert.equal(shown.rpc?.request_time.eth_blockNumber?.count, 1)
})

interface Metrics {
  readonly ethereum: { readonly blockchain_height: number }
  readonly rpc: { readonly request_time: Readonly<Record<string, { readonly count: number }>> }
}

interface BadBlock {
  readonly rlp: string
  readonly hash: string
  readonly block: {
    readonly hash: string
    readonly gasUsed: string
    readonly transactions: readonly { readonly from: string }[]
  }
}
