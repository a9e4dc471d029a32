import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import type { BftMessage, CommitPayload, ProposedBlock, Signed } from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { sign } from '#types/curve.ts'
import { type NetworkSettings, TestNetwork, type TestNode } from './test-network.fixture.ts'

const LEARNING = createQbftRules({ maxRoundTimeoutMs: 60_000 })
/** Besu's form: the round in the block. */
const WITH_ROUND: BftRules = { ...LEARNING, sentForm: (block, round) => LEARNING.withRound(block, round) }
/** GoQuorum's form: always round 0. */
const PLAIN: BftRules = { ...LEARNING, sentForm: (block) => LEARNING.withRound(block, 0) }

async function network(
  rules: readonly BftRules[],
  settings: Partial<NetworkSettings> = {},
): Promise<TestNetwork> {
  const made = new TestNetwork({ protocol: 'qbft', validators: 4, ...settings })
  for (const [index, node] of made.nodes.entries()) await made.restart(node, { rules: rules[index]! })
  return made
}

function roundIn({ header }: ProposedBlock): number {
  return decodeBftExtraData('qbft', header.extraData).round
}

function proposals({ sent }: TestNode, height = 1): { readonly round: number; readonly says: number }[] {
  return sent
    .filter((message) => message.kind === 'proposal' && message.signed.payload.height === height)
    .map((message) => ({
      round: message.signed.payload.round,
      says: roundIn((message as BftMessage & { kind: 'proposal' }).block),
    }))
}

for (const [name, rules] of Object.entries({ besu: WITH_ROUND, goquorum: PLAIN })) {
  test(`a block proposed above round 0 in the form of ${name} is decided with its round in the chain`, async () => {
    const made = await network([LEARNING, rules, PLAIN, WITH_ROUND])
    made.nodes[0]!.isDown = true
    await made.advance(7_000)
    deepStrictEqual(proposals(made.nodes[1]!), [{ round: 1, says: rules === PLAIN ? 0 : 1 }])
    for (const node of made.nodes.slice(1)) {
      strictEqual(roundIn(node.imported[0]!), 1)
      const commit = node.sent.find(({ kind }) => kind === 'commit')!.signed as Signed<CommitPayload>
      strictEqual(LEARNING.sealAuthor(commit.payload, node.imported[0]!.digest), node.address)
    }
  })
}

test('a validator that received a plain proposal proposes plainly from then on, and not before', async () => {
  const made = await network([LEARNING, LEARNING, PLAIN, LEARNING], {
    isDelivered: ({ kind, signed: { payload } }) =>
      kind !== 'proposal' || payload.round > (payload.height === 1 ? 1 : 0),
  })
  await made.advance(40_000)
  const [v0, v1, v2] = made.nodes as [TestNode, TestNode, TestNode]
  deepStrictEqual(proposals(v1), [{ round: 1, says: 1 }])
  deepStrictEqual(proposals(v2), [{ round: 2, says: 0 }])
  deepStrictEqual(proposals(v0, 2), [{ round: 1, says: 0 }])
})

test('plain proposals end once the validators that need them are gone', async () => {
  const made = await network([LEARNING, LEARNING, PLAIN, WITH_ROUND], {
    isDelivered: ({ kind, signed: { payload } }) =>
      kind !== 'proposal' || payload.round > (payload.height === 1 ? 1 : 0),
  })
  const [v0, v1, v2] = made.nodes as [TestNode, TestNode, TestNode]
  while (v0.imported.length < 2) await made.advance(1_000)
  deepStrictEqual(proposals(v2), [{ round: 2, says: 0 }])
  v2.isDown = true
  const { length } = v0.imported
  await made.advance(60_000)
  const later = [v0, v1].flatMap((node) =>
    made.nodes[0]!.imported.slice(length + 1).flatMap(({ header }) => proposals(node, Number(header.number))),
  )
  ok(later.some(({ round }) => round > 0))
  for (const { round, says } of later) strictEqual(says, round)
})

test('a proposer learns from prepares for the plain hash of a block sent with its round', async () => {
  const made = await network([LEARNING, LEARNING, LEARNING, LEARNING])
  const [v0, v1, v2] = made.nodes as [TestNode, TestNode, TestNode]
  v0.isDown = true
  v2.isDown = true
  await made.advance(6_100)
  // A quorum for round 1 needs validator 2, which acts like GoQuorum.
  const change = { kind: 'roundChange', height: 1, round: 1, certificate: undefined } as const
  const signDigest = async (digest: Uint8Array) => sign(v2.key, digest)
  const say = async (message: BftMessage) => made.deliver(message, v1, v2.address)
  const signed = await made.codec.sign(change, v2.address, signDigest)
  await say({
    kind: 'roundChange',
    signed,
    block: undefined,
    prepares: [],
    generation: 'legacy',
  } as BftMessage)
  await made.advance(100)
  deepStrictEqual(proposals(v1), [{ round: 1, says: 1 }])
  const { block } = v1.sent.find(({ kind }) => kind === 'proposal') as BftMessage & { kind: 'proposal' }
  const message = { kind: 'prepare', height: 1, round: 1, digest: block.hash } as const
  await say({ kind: 'prepare', signed: await made.codec.sign(message, v2.address, signDigest) } as BftMessage)
  await made.advance(100)
  const again = await made.codec.sign({ ...change, round: 5 }, v2.address, signDigest)
  await say({
    kind: 'roundChange',
    signed: again,
    block: undefined,
    prepares: [],
    generation: 'legacy',
  } as BftMessage)
  const third = await made.codec.sign({ ...change, round: 5 }, v0.address, async (digest) =>
    sign(v0.key, digest),
  )
  await say({
    kind: 'roundChange',
    signed: third,
    block: undefined,
    prepares: [],
    generation: 'legacy',
  } as BftMessage)
  await made.advance(100)
  deepStrictEqual(proposals(v1).at(-1), { round: 5, says: 0 })
})

test('a block with the same digest in two rounds is reproposed with the prepares of the later one', async () => {
  const made = await network([PLAIN, PLAIN, PLAIN, PLAIN])
  const isDelivered: NetworkSettings['isDelivered'] = ({ kind, signed }, _, to) => {
    const { round } = signed.payload
    // Prepared by all in round 0 and by two in round 1, decided in round 2.
    if (kind === 'commit') return round > 1
    return !(kind === 'prepare' && round === 1 && (to === made.nodes[0] || to === made.nodes[3]))
  }
  Object.assign(made.settings, { isDelivered })
  await made.advance(40_000)
  for (const node of made.nodes) {
    strictEqual(node.imported[0]?.header.coinbase, made.nodes[0]!.address)
    strictEqual(roundIn(node.imported[0]!), 2)
    strictEqual(node.reports.filter(({ kind }) => kind === 'refused').length, 0)
  }
})

test('a seal over the plain hash does not count above round 0', async () => {
  const made = await network([LEARNING, PLAIN, LEARNING, LEARNING], {
    isDelivered: ({ kind, signed }) => kind !== 'commit' || signed.payload.round !== 1,
  })
  const [v0, v1, v2, v3] = made.nodes as [TestNode, TestNode, TestNode, TestNode]
  v0.isDown = true
  await made.advance(6_500)
  const { block } = v1.sent.find(({ kind }) => kind === 'proposal') as BftMessage & { kind: 'proposal' }
  strictEqual(block.digest, block.hash)
  const sealed = LEARNING.withRound(block, 1).digest
  const commit = async (by: TestNode, over: ProposedBlock['digest']) => {
    const draft = { kind: 'commit', height: 1, round: 1, digest: block.digest, sealed: over } as const
    const signed = await made.codec.sign(draft, by.address, async (digest) => sign(by.key, digest))
    made.deliver({ kind: 'commit', signed } as BftMessage, v3)
    await made.advance(10)
  }
  await commit(v2, block.digest)
  await commit(v1, sealed)
  strictEqual(v3.imported.length, 0)
  ok(v3.reports.some((report) => report.kind === 'refused' && /seal was not made/.test(report.sentence)))
  await commit(v0, sealed)
  strictEqual(v3.imported.length, 1)
})
