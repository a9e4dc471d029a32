import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { suite, test } from 'node:test'
import type { BftMessage, ProposalMessage } from '#consensus/bft/messages.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { encodeBlock } from '#types/block/block.ts'
import { sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { OwnPast } from './own-past.ts'
import { kindsSent, TestNetwork, type TestNode } from './test-network.fixture.ts'

/** The digests a node prepared in round 0 of a height. */
function preparesOf(node: TestNode, height: number): ReadonlySet<string> {
  const digests = node.sent.flatMap(({ signed: { payload } }) =>
    payload.kind === 'prepare' && payload.height === height && payload.round === 0 ? [payload.digest] : [],
  )
  return new Set(digests)
}

/** Imports the blocks of another node one after another, as sync does. */
async function synchronise(network: TestNetwork, node: TestNode, from: TestNode): Promise<void> {
  const height = Number(node.head.header.number)
  for (const block of from.imported.slice(height)) {
    node.head = block
    node.imported.push(block)
    network.tell(node, { type: 'headMoved', context: network.contextOf(node) })
    await network.advance(0)
  }
}

/** A second block for the round by its proposer. */
async function anotherProposal(network: TestNetwork, height: number): Promise<BftMessage> {
  const isWanted = (message: BftMessage): message is ProposalMessage =>
    message.kind === 'proposal' && message.signed.payload.height === height
  const proposer = network.nodes.find(({ sent }) => sent.some(isWanted))!
  const original = proposer.sent.find(isWanted)!
  const header = { ...original.block.header, gasUsed: 1n }
  const encoded = encodeBlock({ header, transactions: [], ommers: [], withdrawals: undefined })
  const block = decodeProposedBlock(network.settings.protocol, encoded, undefined, keccak256)
  const draft = { kind: 'proposal', height, round: 0, block } as const
  const signed = await network.codec.sign(draft, proposer.address, async (digest) =>
    sign(proposer.key, digest),
  )
  return { ...original, signed, block } as ProposalMessage
}

interface Scene {
  readonly network: TestNetwork
  /** It lost its data directory, or got an old one back, while block 4 is being made. */
  readonly node: TestNode
  /** Delivers messages again. */
  heal(): void
}

async function restored(protocol: 'qbft' | 'ibft2', kind: 'wiped' | 'restored'): Promise<Scene> {
  let isCut = false
  const network = new TestNetwork({
    protocol,
    validators: 4,
    isDelivered: ({ kind }) => !isCut || kind === 'proposal',
  })
  await network.start()
  const node = network.nodes[2]!
  const genesis = node.head
  await network.advance(3_000)
  const backup = { head: node.head, entry: node.entry }
  await network.advance(3_000)
  isCut = true
  await network.advance(2_500)
  strictEqual(preparesOf(node, 4).size, 1)
  node.entry = kind === 'wiped' ? undefined : backup.entry
  node.head = kind === 'wiped' ? genesis : backup.head
  await network.restart(node)
  return {
    network,
    node,
    heal: () => {
      isCut = false
    },
  }
}

for (const protocol of ['qbft', 'ibft2'] as const) {
  for (const kind of ['wiped', 'restored'] as const) {
    suite(`a validator of ${protocol} whose data directory was ${kind}`, () => {
      test('signs nothing for the block that it had signed before', async () => {
        const { network, node } = await restored(protocol, kind)
        await synchronise(network, node, network.nodes[0]!)
        network.deliver(await anotherProposal(network, 4), node)
        await network.advance(0)
        strictEqual(preparesOf(node, 4).size, 1)
        ok(node.reports.some((report) => report.kind === 'abstained' && report.height === 4))
      })

      test('takes part again after a block that was made since its start', async () => {
        const { network, node, heal } = await restored(protocol, kind)
        await synchronise(network, node, network.nodes[0]!)
        const before = kindsSent(node, 4)
        heal()
        for (const other of network.nodes) {
          for (const { address } of network.nodes)
            network.tell(other, { type: 'peerReconnected', validator: address })
        }
        await network.advance(40_000)
        deepStrictEqual(kindsSent(node, 4), before)
        const { height } = network.contextOf(node)
        ok(height > 8, `height ${height}`)
        ok(kindsSent(node, height - 1).some((sent) => sent.startsWith('commit')))
      })

      test('does not come nearer to its old signatures by being started again on the way', async () => {
        const { network, node } = await restored(protocol, kind)
        for (const block of network.nodes[0]!.imported.slice(Number(node.head.header.number))) {
          node.head = block
          network.tell(node, { type: 'headMoved', context: network.contextOf(node) })
          await network.advance(0)
          await network.restart(node)
        }
        network.deliver(await anotherProposal(network, 4), node)
        await network.advance(0)
        strictEqual(preparesOf(node, 4).size, 1)
      })
    })
  }

  suite(`validators of ${protocol} with their own logs`, () => {
    test('continue immediately after all ended, although two of four miss the last block', async () => {
      let isCut = false
      const network = new TestNetwork({
        protocol,
        validators: 4,
        isDelivered: ({ kind }, _from, to) =>
          !isCut || kind !== 'commit' || network.nodes.indexOf(to) < 2 || to.head.header.number < 2n,
      })
      await network.start()
      await network.advance(5_000)
      isCut = true
      await network.advance(1_500)
      const heights = network.nodes.map(({ head }) => Number(head.header.number))
      deepStrictEqual(heights, [3, 3, 2, 2])
      isCut = false
      for (const node of network.nodes) await network.restart(node)
      for (const node of network.nodes.slice(2)) await synchronise(network, node, network.nodes[0]!)
      await network.advance(4_000)
      ok(network.nodes.every(({ head }) => head.header.number >= 4n))
    })

    test('continue without an operator although one was offline for some blocks and another falls silent', async () => {
      const isAway = new Set<TestNode>()
      const network = new TestNetwork({
        protocol,
        validators: 4,
        isDelivered: (_message, from, to) => !isAway.has(from) && !isAway.has(to),
      })
      await network.start()
      await network.advance(3_000)
      const [first, , behind, silent] = network.nodes as [TestNode, TestNode, TestNode, TestNode]
      isAway.add(behind)
      behind.isDown = true
      await network.advance(8_000)
      isAway.clear()
      isAway.add(silent)
      await network.restart(behind)
      await synchronise(network, behind, first)
      const { height } = network.contextOf(first)
      await network.advance(90_000)
      ok(network.contextOf(first).height > height + 2)
    })

    test('continue within two rounds although the other validators cannot agree without the one that was offline', async () => {
      const isAway = new Set<TestNode>()
      let isMute = false
      const network = new TestNetwork({
        protocol,
        validators: 4,
        // The others ignore its messages: it only follows them from round to round.
        isDelivered: ({ kind }, from, to) =>
          !isAway.has(from) && !isAway.has(to) && (!isMute || from !== mute || kind === 'roundChange'),
      })
      await network.start()
      await network.advance(3_000)
      const [first, , behind, mute] = network.nodes as [TestNode, TestNode, TestNode, TestNode]
      isAway.add(behind)
      behind.isDown = true
      await network.advance(8_000)
      isAway.clear()
      isMute = true
      await network.restart(behind)
      await synchronise(network, behind, first)
      const { height } = network.contextOf(first)
      // Rounds of 4, 8 and 16 s: it signs in the third.
      await network.advance(30_000)
      ok(network.contextOf(first).height > height)
    })
  })
}

for (const protocol of ['qbft', 'ibft2'] as const) {
  suite(`a node of ${protocol} that followed the chain and was voted in for block 3`, () => {
    /** All stop at block 2, before it could sign; the first of the others is silent from then on. */
    const votedIn = async (change: (node: TestNode) => void) => {
      let isSilent = false
      const network = new TestNetwork({
        protocol,
        validators: 5,
        isDelivered: (_message, from) => !isSilent || from !== network.nodes[0],
        isValidatorAt: (each, height) => height >= 3 || each !== network.nodes[4],
      })
      const [silent, other, , , node] = network.nodes as [TestNode, TestNode, TestNode, TestNode, TestNode]
      await network.start()
      await network.advance(3_000)
      await synchronise(network, node, other)
      node.isDown = true
      await network.advance(2_500)
      strictEqual(network.contextOf(other).height, 3)
      isSilent = true
      silent.isDown = true
      node.head = other.head
      change(node)
      for (const each of network.nodes.slice(1)) await network.restart(each)
      await network.advance(90_000)
      return network.contextOf(other).height
    }

    test('signs after all validators restart, although no block is possible without it', async () => {
      const height = await votedIn(() => undefined)
      ok(height > 5, `height ${height}`)
    })

    test('signs nothing that early if its signature log is missing', async () => {
      const remove = (node: TestNode) => {
        node.entry = undefined
      }
      strictEqual(await votedIn(remove), 3)
    })
  })
}

test('a block is new by the current clock, not by the clock at start', () => {
  const network = new TestNetwork({ protocol: 'qbft', validators: 4 })
  const { parent, ...context } = network.contextOf(network.nodes[0]!)
  const past = new OwnPast('lost', false)
  const enter = (height: number, madeSeconds: number, wallMs: number, monotonicMs: number) => {
    const timed = { ...parent, timestampSeconds: madeSeconds }
    past.enter({ ...context, height, parent: timed }, { wallMs, monotonicMs }, true)
    return past.maySign
  }
  // The clock shows 1970 during boot; blocks of the last hour arrive after it was set.
  strictEqual(enter(10, 5_000, 1_000, 0), false)
  strictEqual(enter(11, 8_000, 10_000_000, 1_000), false)
  // Ahead of every clock, so it is not a new block.
  strictEqual(enter(12, 10_500, 10_001_000, 2_000), false)
  strictEqual(enter(13, 10_003, 10_003_000, 4_000), true)
})

test('a message signed with its own key that is not in the log keeps a validator silent at that height', async () => {
  let isCut = false
  const network = new TestNetwork({
    protocol: 'qbft',
    validators: 4,
    isDelivered: () => !isCut,
  })
  await network.start()
  await network.advance(3_000)
  const node = network.nodes[3]!
  isCut = true
  const twin = new TestNetwork({ protocol: 'qbft', validators: 4 })
  await twin.start()
  await twin.advance(5_000)
  const message = twin.nodes[3]!.sent.find(
    ({ kind, signed }) => kind === 'prepare' && signed.payload.height === 2,
  )!
  network.deliver(message, node)
  await network.advance(0)
  strictEqual(node.core.state()?.signsFrom, 3)
})

for (const protocol of ['qbft', 'ibft2'] as const) {
  suite(`a validator of ${protocol} whose directory came from a backup by the command`, () => {
    const mark = { signatureLog: 'restored' } as const

    test('signs nothing while its peers are gone, however long', async () => {
      const isAway = new Set<TestNode>()
      const network = new TestNetwork({
        protocol,
        validators: 4,
        isDelivered: (_message, from, to) => !isAway.has(from) && !isAway.has(to),
      })
      await network.start()
      await network.advance(3_000)
      const node = network.nodes[2]!
      isAway.add(node)
      const before = node.sent.length
      await network.restart(node, mark)
      await network.advance(600_000)
      strictEqual(node.sent.length, before)
      strictEqual(node.core.state()?.waitsAsRestored, true)
    })

    test('signs nothing if the others cannot continue without it', async () => {
      const network = new TestNetwork({ protocol, validators: 3 })
      await network.start()
      await network.advance(3_000)
      const node = network.nodes[2]!
      network.nodes[1]!.isDown = true
      const before = node.sent.length
      await network.restart(node, mark)
      await network.advance(600_000)
      strictEqual(node.sent.length, before)
    })

    test('signs nothing as the sole validator, until the operator permits it', async () => {
      const network = new TestNetwork({ protocol, validators: 1 })
      await network.start()
      await network.advance(3_000)
      const node = network.nodes[0]!
      const height = Number(node.head.header.number)
      await network.restart(node, mark)
      await network.advance(60_000)
      strictEqual(Number(node.head.header.number), height)
      await network.restart(node, { ...mark, signsWithoutLog: true })
      await network.advance(60_000)
      ok(Number(node.head.header.number) > height + 5)
    })

    test('takes part again after a block that the others made since its start', async () => {
      const network = new TestNetwork({ protocol, validators: 4 })
      await network.start()
      await network.advance(3_000)
      const node = network.nodes[2]!
      const { height } = network.contextOf(node)
      const before = kindsSent(node, height)
      await network.restart(node, mark)
      await network.advance(40_000)
      deepStrictEqual(kindsSent(node, height), before)
      const now = network.contextOf(node).height
      ok(kindsSent(node, now - 1).some((sent) => sent.startsWith('commit')))
    })
  })
}
