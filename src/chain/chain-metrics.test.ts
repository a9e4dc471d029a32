import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, makeBlocks, openTestChain } from './chain.fixture.ts'
import { createChainMetrics } from './chain-metrics.ts'

test('the head and the time of every step are read when somebody asks, and times add up', async () => {
  const chain = await openTestChain()
  const snapshot = createChainMetrics(chain, 'besu_')
  const valuesOf = async (name: string) =>
    (await snapshot()).find((metric) => metric.name === name)!.values.map(({ value }) => value)
  for (const block of await makeBlocks([call(0)])) {
    const verdict = await chain.importBlock(chain.receive(block), { validation: 'none' })
    assert.ok(verdict.ok)
  }
  const { header } = chain.head
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_timestamp'), [Number(header.timestamp)])
  assert.deepEqual(await valuesOf('besu_blockchain_chain_head_gas_used'), [Number(header.gasUsed)])
  assert.ok(header.gasUsed > 0n)
  const steps = await valuesOf('besu_blockchain_import_step_seconds_total')
  assert.equal(steps.length, 7)
  assert.ok(steps.every((seconds) => seconds >= 0) && Math.max(...steps) > 0)
  assert.deepEqual(await valuesOf('besu_blockchain_import_step_seconds_total'), steps, 'counted once')
})
