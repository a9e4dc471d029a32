import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { keccak256 } from '#types/keccak.ts'
import { call, makeBlocks, openTestChain, testGenesis } from './chain.fixture.ts'
import { createChainMetrics } from './chain-metrics.ts'
import { createChainView } from './read/create-chain-view.ts'

test('the head and the time of every step are read on request, and times add up', async () => {
  const chain = await openTestChain()
  const view = createChainView({ store: chain.store, genesis: testGenesis(), keccak: keccak256 })
  const snapshot = createChainMetrics(
    chain,
    view,
    createMetrics({ prefix: 'besu_', onSourceError: assert.fail }),
  )
  const valuesOf = async (name: string) =>
    (await snapshot()).find((metric) => metric.name === name)!.values.map(({ value }) => value)
  for (const block of await makeBlocks([call(0)], [call(1), call(2)])) {
    const verdict = await chain.importBlock(chain.receive(block), { validation: 'none' })
    assert.ok(verdict.ok)
  }
  const { header } = chain.head
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_timestamp'), [Number(header.timestamp)])
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_gas_used'), [Number(header.gasUsed)])
  assert.ok(header.gasUsed > 0n)
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_transaction_count'), [2])
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_transaction_count_counter_total'), [3])
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_gas_used_counter_total'), [63_000])
  assert.deepEqual(await valuesOf('besu_blockchain_difficulty'), [3])
  assert.deepEqual(await valuesOf('ethereum_blockchain_finalized_block'), [2])
  assert.deepEqual(await valuesOf('ethereum_blockchain_safe_block'), [2])
  const roots = await valuesOf('besu_block_processing_state_root_calculation_duration_seconds')
  assert.equal(roots.at(-1), 2, 'counted once for each block')
  await chain.unwind(1)
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_transaction_count'), [1])
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_transaction_count_counter_total'), [3])
  const steps = await valuesOf('besu_blockchain_import_step_seconds_total')
  assert.equal(steps.length, 7)
  assert.ok(steps.every((seconds) => seconds >= 0) && Math.max(...steps) > 0)
  assert.deepEqual(await valuesOf('besu_blockchain_import_step_seconds_total'), steps, 'counted once')
})
