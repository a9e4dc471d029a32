/* Behaviour of height.ts whose mutations no simulation noticed. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { kindsSent, roundChangesTo, START_SECONDS, startedNetwork } from './test-network.fixture.ts'

const SEVEN = 7

test('a quorum of round changes does not interrupt an import', async () => {
  const network = await startedNetwork({
    importTrouble: (by) => (by === network.nodes[3] ? 'unending' : undefined),
  })
  const last = network.nodes[3]!
  await network.advance(2_000)
  strictEqual(last.core.state()?.stage, 'importing')
  for (const change of (await roundChangesTo(1)).slice(0, 3)) network.deliver(change, last)
  await network.advance(0)
  deepStrictEqual(
    [last.core.state()?.round, last.core.state()?.stage, kindsSent(last).includes('roundChange 1')],
    [0, 'importing', false],
  )
})

test('a validator that followed others to a higher round does not leave it alone', async () => {
  // Of four validators, those who bring one more to a round are a quorum with it.
  const network = await startedNetwork({ validators: SEVEN, isDelivered: () => false })
  const [first] = network.nodes
  await network.advance(3_000)
  const changes = await roundChangesTo(2, SEVEN)
  for (const change of changes.slice(1, 4)) network.deliver(change, first!)
  await network.advance(120_000)
  strictEqual(first!.core.state()?.round, 2)
  ok(kindsSent(first!).filter((kind) => kind === 'roundChange 2').length > 2, 'it says again where it is')
  ok(!kindsSent(first!).includes('roundChange 3'))
})

test('a block with transactions is not delayed by the empty block period', async () => {
  const network = await startedNetwork({ transactions: 1, context: { emptyBlockPeriodSeconds: 30 } })
  await network.advance(6_000)
  deepStrictEqual(
    network.nodes[0]!.imported.map(({ header }) => Number(header.timestamp) - START_SECONDS),
    [2, 4, 6],
  )
})

test('round changes to the current round count for a proposer that must validate their block first', async () => {
  const network = await startedNetwork({
    isDelivered: ({ kind, signed }, _from, to) => {
      if (signed.payload.round > 0) return kind !== 'roundChange' || to !== network.nodes[1]
      return kind !== 'commit' && (kind !== 'proposal' || to !== network.nodes[1])
    },
  })
  const [first, proposer, ...others] = network.nodes
  await network.advance(7_000)
  strictEqual(proposer!.core.state()?.round, 1)
  for (const { sent } of [first!, ...others]) {
    network.deliver(sent.find(({ kind }) => kind === 'roundChange')!, proposer!)
  }
  await network.advance(0)
  ok(kindsSent(proposer!).includes('proposal 1'), 'it proposes what the others prepared')
  ok(network.nodes.every(({ imported }) => imported[0]?.header.coinbase === first!.address))
})

test('a failed import is retried without leaving the round', async () => {
  let isFull = true
  const network = await startedNetwork({
    importTrouble: (by) => (isFull && by === network.nodes[3] ? 'failed' : undefined),
  })
  const last = network.nodes[3]!
  await network.advance(30_000)
  strictEqual(last.imported.length, 0)
  strictEqual(last.core.state()?.stage, 'importing')
  ok(!kindsSent(last).some((kind) => kind.startsWith('roundChange')))
  isFull = false
  await network.advance(10_000)
  strictEqual(last.imported[0]?.hash, network.nodes[0]!.imported[0]?.hash)
})
