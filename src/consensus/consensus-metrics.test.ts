import { ok } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { createConsensusMetrics } from './consensus-metrics.ts'

test('the reports of the machine set the height, round, counters and commit time', async () => {
  const clock = createFakeClock()
  const metrics = createMetrics({ prefix: 'cairn_', clock, onSourceError: () => undefined })
  const author = parseAddress('11'.repeat(20))
  const count = createConsensusMetrics(metrics, clock, author)
  const block = parseHash('22'.repeat(32))
  for (const round of [0, 1]) {
    count({ kind: 'roundStarted', height: 7, round, why: 'timeout', proposer: author })
    count({ kind: 'proposalAccepted', height: 7, round, block, author })
    clock.advance(250)
  }
  count({ kind: 'equivocation', height: 7, round: 1, author, what: 'prepare' })
  count({ kind: 'committed', height: 7, round: 1, block, seals: 3 })
  // The duration of a round is unknown if this node did not accept its proposal.
  count({ kind: 'committed', height: 8, round: 0, block, seals: 3 })
  const { body } = await metrics.exposition()
  for (const line of [
    'cairn_consensus_height 7',
    'cairn_consensus_round 1',
    'cairn_consensus_round_changes_total 1',
    `cairn_consensus_equivocations_total{validator="${author}"} 1`,
    'cairn_consensus_own_blocks_total 1',
    'cairn_consensus_commit_time_count 1',
    'cairn_consensus_commit_time_sum 0.25',
  ]) {
    ok(body.split('\n').includes(line), `${line} in\n${body}`)
  }
})
