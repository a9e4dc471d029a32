import { ok } from 'node:assert'
import { it } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { createConsensusMetrics } from './consensus-metrics.ts'

it('the reports of the machine become a height, a round, counts and a time to commit', async () => {
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
  // Of a round whose proposal this node did not accept, nobody knows how long it took.
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
