import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { parseAddress } from '#types/address.ts'
import { addStatusMetrics, type WatchedConsensus } from './status-metrics.ts'

const [self, near, far] = [11, 22, 33].map((byte) => parseAddress(`${byte}`.repeat(20)))

test('the metrics reflect bft_status, including validators never heard since the start', async () => {
  const clock = createFakeClock()
  const metrics = createMetrics({ prefix: 'cairn_', clock, onSourceError: () => undefined })
  const startedMs = clock.wallMs()
  let status: ReturnType<WatchedConsensus['status']>
  addStatusMetrics(metrics, clock, {
    status: () => status,
    isAbstaining: () => true,
    clockAheadMs: () => 1_500,
  })
  const told = async () => {
    const { body } = await metrics.exposition()
    return body.split('\n').filter((line) => line.startsWith('cairn_'))
  }
  const before = await told()
  deepEqual(
    before.filter((line) => line.includes('silent')),
    [],
  )

  clock.advance(60_000)
  status = {
    self: self!,
    isValidator: true,
    quorum: { validators: 3, needed: 2 },
    validators: [
      { address: self!, isSelf: true, isConnected: true, lastHeardMs: undefined },
      { address: near!, isSelf: false, isConnected: true, lastHeardMs: startedMs + 58_000 },
      { address: far!, isSelf: false, isConnected: false, lastHeardMs: undefined },
    ],
  }
  deepEqual(await told(), [
    'cairn_consensus_is_validator 1',
    'cairn_consensus_validators 3',
    'cairn_consensus_quorum 2',
    'cairn_consensus_connected_validators 2',
    'cairn_consensus_abstaining 1',
    'cairn_consensus_clock_ahead_seconds 1.5',
    `cairn_consensus_identity{validator="${self}"} 1`,
    `cairn_consensus_silent_seconds{validator="${near}"} 2`,
    `cairn_consensus_silent_seconds{validator="${far}"} 60`,
  ])
  // A node that is not a validator hears no one and blames no one.
  status = { ...status, isValidator: false }
  deepEqual(
    (await told()).filter((line) => line.includes('silent')),
    [],
  )
})
