/* One Byzantine validator of four, and a body that does not belong to its header. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BftMessage, ProposalMessage } from '#consensus/bft/messages.ts'
import { sign } from '#types/curve.ts'
import { MAX_IMPORT_REFUSALS } from './agreement.ts'
import { TestNetwork, type TestNode, withFalseBody } from './test-network.fixture.ts'

/** Rounds of 4, 8, 16, 32 and 60 s: enough for a turn of every validator. */
const PATIENCE_MS = 180_000

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`${protocol}: a round change without its block does not stop the others`, async () => {
    // Only the first validator receives prepares in round 0, so it alone is prepared.
    const isDelivered = (message: BftMessage, from: TestNode, to: TestNode): boolean => {
      const [byzantine] = network.nodes
      const { round } = message.signed.payload
      if (from !== byzantine) return message.kind !== 'prepare' || round > 0 || to === byzantine
      if (message.kind === 'proposal') return round === 0
      if (message.kind === 'roundChange' && message.block !== undefined) {
        network.deliver({ ...message, block: withFalseBody(message.block) }, to, from.address)
      }
      return false
    }
    const network = new TestNetwork({ protocol, validators: 4, isDelivered })
    await network.start()
    await network.advance(3_000)
    assert.equal(network.nodes[0]!.core.state()?.preparedRound, 0)
    await requireBlock(network, network.nodes.slice(1))
  })

  test(`${protocol}: a block reproposed with a false body is refused and never kept`, async () => {
    const network = reproposal(protocol)
    await network.start()
    await network.advance(7_000)
    assert.ok(network.nodes[0]!.entry?.certificate !== undefined, 'the block was prepared')
    for (const { entry } of network.nodes) {
      const block = entry?.certificate?.block
      assert.ok(block === undefined || block.encoded.at(-2) === 0xc0, 'every body that was kept is true')
    }
    network.nodes[1]!.isDown = true
    network.settings.isDelivered = (_message, from) => from !== network.nodes[1]
    for (const index of [0, 2, 3]) await network.restart(network.nodes[index]!)
    await requireBlock(
      network,
      [0, 2, 3].map((index) => network.nodes[index]!),
    )
  })

  test(`${protocol}: a committed block that is refused is not retried forever`, async () => {
    const importProblem = (_block: unknown, by: TestNode) =>
      by === network.nodes[3] ? 'It is refused.' : undefined
    const network = new TestNetwork({ protocol, validators: 4, importProblem })
    await network.start()
    await network.advance(20_000)
    const { reports } = network.nodes[3]!
    const refused = reports.filter((report) => report.kind === 'failed' && report.what === 'import')
    assert.equal(refused.length, MAX_IMPORT_REFUSALS)
    assert.ok(reports.some((report) => report.kind === 'roundStarted' && report.why === 'importRefused'))
  })
}

test('ibft2: a false body that arrives first does not block the true one', async () => {
  const isDelivered = (message: BftMessage, from: TestNode, to: TestNode): boolean => {
    if (message.kind === 'proposal') {
      const changed: ProposalMessage = { ...message, block: withFalseBody(message.block) }
      network.deliver(changed, to, from === network.nodes[1] ? 'another' : 'relay')
    }
    return true
  }
  const network = new TestNetwork({ protocol: 'ibft2', validators: 4, isDelivered })
  await network.start()
  await network.advance(8_000)
  for (const { imported, core } of network.nodes) {
    assert.ok(imported.length >= 3, `${imported.length} blocks in four periods`)
    assert.equal(core.state()?.round, 0)
  }
})

async function requireBlock(network: TestNetwork, nodes: readonly TestNode[]): Promise<void> {
  const isDone = () => nodes.every(({ imported }) => imported.length > 0)
  for (let ms = 0; ms < PATIENCE_MS && !isDone(); ms += 1_000) await network.advance(1_000)
  assert.deepEqual(
    nodes.map(({ imported }) => imported.length > 0),
    nodes.map(() => true),
    'a block was made',
  )
}

/** All except the last prepare the block of round 0, and commits are lost; round 1 is the turn of the second. */
function reproposal(protocol: 'qbft' | 'ibft2'): TestNetwork {
  const network: TestNetwork = new TestNetwork({
    protocol,
    validators: 4,
    isDelivered: (message, from, to) => {
      const [, byzantine, , late] = network.nodes
      if (from === late || to === late || message.kind === 'commit') return false
      if (from !== byzantine || message.kind !== 'proposal') return true
      network.waitFor(proposeFalse(network, message, byzantine!, to))
      return false
    },
  })
  return network
}

async function proposeFalse(
  network: TestNetwork,
  message: ProposalMessage,
  by: TestNode,
  to: TestNode,
): Promise<void> {
  const { height, round } = message.signed.payload
  const block = withFalseBody(message.block)
  const draft = { kind: 'proposal', height, round, block } as const
  const signed = await network.codec.sign(draft, by.address, async (digest) => sign(by.key, digest))
  network.deliver({ ...message, signed, block } as ProposalMessage, to, by.address)
}
