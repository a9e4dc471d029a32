import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { addressOf, FakeChain, SETTINGS, submission } from './pool.fixture.ts'
import { addPoolMetrics } from './pool-metrics.ts'
import { TransactionPool } from './transaction-pool.ts'

test('the pool metrics count additions, queued transactions and drops', async () => {
  const chain = new FakeChain()
  const building = () => ({ minGasPriceWei: 0n, minPriorityFeeWei: 0n })
  const parts = { clock: createFakeClock(), log: createLog({ level: 'OFF' }), chain, building }
  const pool = new TransactionPool({ ...parts, settings: { ...SETTINGS, maxCount: 100 } })
  pool.headMoved(chain.move(0, []))
  const metrics = createMetrics({ prefix: 'cairn_', onSourceError: () => {} })
  addPoolMetrics(metrics, pool)
  const read = async (name: string): Promise<unknown> => {
    const found = (await metrics.sample()).find((one) => one.name === `cairn_transaction_pool_${name}`)
    return found?.values.map(({ labels, value }) => [...Object.values(labels), value])
  }
  const [first, second] = [submission({ nonce: 0 }), submission({ nonce: 1 })]
  const gapped = submission({ nonce: 3 })
  const other = submission({ sender: addressOf(2), nonce: 5, bytes: 50 })
  await pool.admit([first, second], 'local')
  await pool.admit([gapped, other], 'remote')
  assert.deepEqual(await read('transactions'), [[4]])
  assert.deepEqual(await read('pending'), [[2]])
  assert.deepEqual(await read('unique_senders'), [[2]])
  assert.deepEqual(await read('space_used'), [[350]])
  assert.deepEqual(await read('limit'), [[100]])
  assert.deepEqual(await read('transactions_added_total'), [
    ['local', 2],
    ['remote', 2],
  ])
  await pool.admit([submission({ nonce: 1, fee: 20 })], 'remote')
  pool.headMoved(chain.move(0, [[first]]))
  assert.deepEqual(await read('transactions'), [[3]])
  assert.deepEqual(await read('pending'), [[1]])
  assert.deepEqual(await read('transactions_dropped_total'), [['replaced', 1]])
})
