import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { suite, test } from 'node:test'
import type { SignatureEntry } from '#consensus/bft/events.ts'
import type { BftMessage } from '#consensus/bft/messages.ts'
import {
  kindsSent,
  roundChangesTo,
  START_SECONDS,
  startedNetwork,
  TestNetwork,
} from './test-network.fixture.ts'

for (const protocol of ['qbft', 'ibft2'] as const) {
  suite(`four validators of ${protocol}`, () => {
    test('produce a block per period, each executed once by every other validator', async () => {
      const network = await startedNetwork({ protocol })
      await network.advance(10_000)
      for (const node of network.nodes) {
        strictEqual(node.imported.length, 5)
        deepStrictEqual(
          node.imported.map(({ header }) => Number(header.timestamp) - START_SECONDS),
          [2, 4, 6, 8, 10],
        )
        deepStrictEqual(
          node.imported.map(({ hash }) => hash),
          network.nodes[0]!.imported.map(({ hash }) => hash),
        )
      }
      strictEqual(network.validated.length, 15)
      deepStrictEqual(
        network.nodes[0]!.imported.map(({ header }) => header.coinbase),
        [0, 1, 2, 3, 0].map((index) => network.nodes[index]!.address),
      )
    })

    test('send what the protocol says and no more', async () => {
      const network = await startedNetwork({ protocol })
      await network.advance(2_000)
      const own = protocol === 'qbft' ? ['proposal 0', 'prepare 0', 'commit 0'] : ['proposal 0', 'commit 0']
      deepStrictEqual(kindsSent(network.nodes[0]!), own)
      deepStrictEqual(kindsSent(network.nodes[1]!), ['prepare 0', 'commit 0'])
    })

    test('continue without a proposer that is down, in the next round', async () => {
      const network = await startedNetwork({ protocol })
      network.nodes[0]!.isDown = true
      await network.advance(7_000)
      const [block] = network.nodes[1]!.imported
      strictEqual(block?.header.coinbase, network.nodes[1]!.address)
      ok(network.nodes.slice(1).every(({ imported }) => imported[0]?.hash === block.hash))
    })

    test('propose again what was prepared, with its author, and execute it no second time', async () => {
      const network = await startedNetwork({
        protocol,
        isDelivered: ({ kind, signed }) => kind !== 'commit' || signed.payload.round > 0,
      })
      await network.advance(7_000)
      for (const { imported } of network.nodes) {
        strictEqual(imported[0]?.header.coinbase, network.nodes[0]!.address)
      }
      strictEqual(network.validated.filter(({ header }) => header.number === 1n).length, 3)
      const proposal = network.nodes[1]!.sent.find(({ kind }) => kind === 'proposal')
      ok(proposal?.kind === 'proposal')
      strictEqual(proposal.roundChanges.length, 3)
      ok(proposal.roundChanges.every(({ payload }) => payload.prepared?.round === 0))
    })

    test('stop with two of four, meet in one round when they return, and produce blocks', async () => {
      let isSplit = true
      const network = await startedNetwork({
        protocol,
        isDelivered: (_message, from, to) =>
          !isSplit || network.nodes.indexOf(from) < 2 === network.nodes.indexOf(to) < 2,
      })
      await network.advance(100_000)
      ok(network.nodes.every(({ imported }) => imported.length === 0))
      isSplit = false
      for (let second = 0; second < 130 && network.nodes[0]!.imported.length === 0; second++) {
        await network.advance(1_000)
      }
      ok(network.nodes.every(({ imported }) => imported.length > 0))
    })
  })
}

suite('a round', () => {
  test('takes twice as long as the one before, up to the ceiling', async () => {
    const network = await startedNetwork({ isDelivered: ({ kind }) => kind === 'roundChange' })
    await network.advance(400_000)
    const rounds = network.nodes[3]!.sent.filter(({ kind }) => kind === 'roundChange').length
    // Rounds take 2, 4, 8, 16, 32 and then 60 s: four are over at 62 s, and 338 s contain five more.
    strictEqual(rounds, 9)
  })

  test('above 0 is not left alone: the node repeats its round change', async () => {
    const network = await startedNetwork()
    const [first] = network.nodes
    for (const node of network.nodes.slice(1)) node.isDown = true
    await network.advance(40_000)
    strictEqual(first!.core.state()?.round, 1)
    const changes = first!.sent.filter(({ kind }) => kind === 'roundChange')
    deepStrictEqual(
      changes.map(({ signed }) => signed.payload.round),
      [1, 1, 1, 1, 1],
    )
  })

  test('is left for a higher one when so many are there that one is honest', async () => {
    const network = await startedNetwork({ isDelivered: () => false })
    await network.advance(3_000)
    const [first] = network.nodes
    network.deliver((await roundChangesTo(3))[1]!, first!)
    await network.advance(0)
    strictEqual(first!.core.state()?.round, 0)
    network.deliver((await roundChangesTo(2))[2]!, first!)
    await network.advance(0)
    strictEqual(first!.core.state()?.round, 2)
    strictEqual(kindsSent(first!).at(-1), 'roundChange 2')
  })

  test('has one change of each validator to it: a second that claims something else is reported', async () => {
    const honest = await startedNetwork({ isDelivered: ({ kind }) => kind !== 'commit' })
    const forgetful = await startedNetwork({ isDelivered: () => false })
    const [to, , from] = forgetful.nodes
    await honest.advance(7_000)
    await forgetful.advance(7_000)
    const changeOf = (network: TestNetwork) =>
      network.nodes[2]!.sent.find(({ kind }) => kind === 'roundChange')
    forgetful.deliver(changeOf(forgetful)!, to!)
    forgetful.deliver(changeOf(honest)!, to!)
    await forgetful.advance(0)
    deepStrictEqual(
      to!.reports.filter(({ kind }) => kind === 'equivocation'),
      [{ kind: 'equivocation', height: 1, round: 1, author: from!.address, what: 'roundChange' }],
    )
  })

  test('ends a proposal that is not valid, without a prepare for it', async () => {
    const network = await startedNetwork({
      blockProblem: ({ header }) =>
        header.coinbase === network.nodes[0]!.address ? 'Its state root is wrong.' : undefined,
    })
    await network.advance(7_000)
    ok(network.nodes.slice(1).every((node) => !kindsSent(node).includes('prepare 0')))
    strictEqual(network.nodes[1]!.imported[0]?.header.coinbase, network.nodes[1]!.address)
  })
})

suite('a validator', () => {
  test('produces blocks without peers as the sole validator', async () => {
    const network = await startedNetwork({ validators: 1 })
    await network.advance(6_000)
    strictEqual(network.nodes[0]!.imported.length, 3)
  })

  test('produces a block every 100 ms with such a period', async () => {
    const network = await startedNetwork({ validators: 1, context: { period: { milliseconds: 100 } } })
    await network.advance(1_000)
    strictEqual(network.nodes[0]!.imported.length, 10)
  })

  for (const protocol of ['qbft', 'ibft2'] as const) {
    test(`of ${protocol} says which block it will ask for and when, if it is its turn`, async () => {
      const network = await startedNetwork({ protocol })
      const context = { ...network.contextOf(network.nodes[0]!), height: 1 }
      const announced = network.nodes.map(({ address }) => {
        const { core } = new TestNetwork({ protocol, validators: 4 }).nodes.find(
          (node) => node.address === address,
        )!
        const actions = core.handle({ type: 'headMoved', context, now: network.now })
        return actions.filter(({ type }) => type === 'buildSoon')
      })
      const { hash: parent } = context.parent
      const block = { height: 1, parent, timestampSeconds: START_SECONDS + 2, inMs: 2_000, periodMs: 2_000 }
      deepStrictEqual(announced, [[{ type: 'buildSoon', ...block }], [], [], []])
    })
  }

  test('holds back empty blocks for the empty block period', async () => {
    const network = await startedNetwork({ transactions: 0, context: { emptyBlockPeriodSeconds: 30 } })
    await network.advance(31_000)
    const [first] = network.nodes[0]!.imported
    strictEqual(Number(first?.header.timestamp) - START_SECONDS, 30)
    ok(network.nodes.every(({ sent }) => sent.every(({ kind }) => kind !== 'roundChange')))
  })

  test('waits on when its wall clock is behind the block that it builds on', async () => {
    const network = await startedNetwork({ validators: 1, context: {} })
    const node = network.nodes[0]!
    const timer = node.timers.get('block')!
    node.timers.delete('block')
    network.tell(node, { type: 'timer', timer: 'block', id: timer.id })
    await network.advance(1_999)
    strictEqual(node.imported.length, 0)
    await network.advance(1)
    strictEqual(node.imported.length, 1)
  })

  for (const transactions of [0, 1]) {
    test(`continues immediately when a clock that was an hour behind is corrected; transactions: ${transactions}`, async () => {
      const context = { emptyBlockPeriodSeconds: transactions === 0 ? 4 : 0 }
      const network = await startedNetwork({ transactions, context })
      await network.advance(5_000)
      const before = network.nodes[0]!.imported.length
      network.wallErrorMs = -3_600_000
      // The running round ends while the clock is wrong.
      for (const node of network.nodes) await network.restart(node)
      await network.advance(12_000)
      network.wallErrorMs = 0
      await network.advance(30_000)
      ok(network.nodes.every(({ imported }) => imported.length > before + 2))
    })
  }

  test('signs nothing against its log after a restart, and says its round change again', async () => {
    const network = await startedNetwork({ isDelivered: (message) => message.kind === 'proposal' })
    await network.advance(7_000)
    const node = network.nodes[2]!
    deepStrictEqual(kindsSent(node), ['prepare 0', 'roundChange 1'])
    await network.restart(node)
    deepStrictEqual(kindsSent(node), ['prepare 0', 'roundChange 1', 'roundChange 1'])
    const [, first, again] = node.sent
    deepStrictEqual(first?.signed.encoded, again?.signed.encoded)
    const before = network.nodes[0]!.sent.find(({ kind }) => kind === 'proposal') as BftMessage
    network.deliver(before, node)
    await network.advance(0)
    strictEqual(kindsSent(node).length, 3)
  })

  test('shows after a restart what it was prepared for before', async () => {
    const network = await startedNetwork({
      isDelivered: ({ kind }) => kind !== 'commit' && kind !== 'roundChange',
    })
    await network.advance(3_000)
    const node = network.nodes[3]!
    deepStrictEqual(kindsSent(node), ['prepare 0', 'commit 0'])
    await network.restart(node)
    await network.advance(8_000)
    const change = node.sent.find(({ kind }) => kind === 'roundChange')
    ok(change?.kind === 'roundChange')
    strictEqual(change.signed.payload.prepared?.round, 0)
    strictEqual(change.prepares.length, 3)
  })

  test('refuses a second block in its round after a restart as proposer', async () => {
    const network = await startedNetwork({ isDelivered: () => false })
    await network.advance(2_000)
    const node = network.nodes[0]!
    network.nowMs += 1_500
    await network.restart(node)
    await network.advance(100)
    deepStrictEqual(kindsSent(node), ['proposal 0', 'prepare 0'])
    ok(node.reports.some((report) => report.kind === 'abstained' && report.what === 'proposal'))
  })

  test('waits out one height when its log is older than the chain', async () => {
    const network = await startedNetwork()
    await network.advance(6_000)
    const node = network.nodes[1]!
    node.entry = undefined
    await network.restart(node)
    await network.advance(4_000)
    deepStrictEqual(kindsSent(node, 4), [])
    deepStrictEqual(kindsSent(node, 5), ['prepare 0', 'commit 0'])
    strictEqual(node.imported.length, 5)
  })

  test('signs nothing at a height that it waits out, however often it is started there', async () => {
    const network = await startedNetwork()
    await network.advance(6_000)
    const node = network.nodes[1]!
    node.entry = undefined
    await network.restart(node)
    // A second entry for the height would tell the next start that nothing is missing.
    strictEqual(node.entry, undefined)
    await network.restart(node)
    strictEqual(node.core.state()?.signsFrom, 5)
    await network.advance(4_000)
    deepStrictEqual(kindsSent(node, 4), [])
    deepStrictEqual(kindsSent(node, 5), ['prepare 0', 'commit 0'])
    strictEqual((node.entry as SignatureEntry | undefined)?.height, 6)
  })

  test('that synchronised past its last signature signs at once after a restart', async () => {
    let isCut = false
    const network = await startedNetwork({
      isDelivered: (_message, _from, to) => !isCut || to !== network.nodes[3],
    })
    await network.advance(2_000)
    isCut = true
    await network.advance(4_000)
    const node = network.nodes[3]!
    node.head = network.nodes[0]!.head
    network.tell(node, { type: 'headMoved', context: network.contextOf(node) })
    await network.advance(0)
    strictEqual(node.entry?.height, 4)
    await network.restart(node)
    strictEqual(node.core.state()?.signsFrom, 4)
  })

  test('signs at once without a log entry where the operator says that nothing was signed', async () => {
    const network = await startedNetwork()
    await network.advance(6_000)
    const node = network.nodes[1]!
    node.entry = undefined
    await network.restart(node, { signsWithoutLog: true })
    await network.advance(2_000)
    deepStrictEqual(kindsSent(node, 4), ['prepare 0', 'commit 0'])
  })

  test('says again to a validator that reconnects what it said in the round', async () => {
    const network = await startedNetwork({ isDelivered: () => false })
    await network.advance(7_000)
    const [node, other] = network.nodes
    const before = node!.sent.length
    network.tell(node!, { type: 'peerReconnected', validator: other!.address })
    await network.advance(0)
    deepStrictEqual(
      node!.sent.slice(before).map(({ kind, signed }) => `${kind} ${signed.payload.round}`),
      ['roundChange 1'],
    )
  })

  test('keeps messages of the next heights and uses them when it gets there', async () => {
    let isCut = true
    const network = await startedNetwork({
      isDelivered: (_message, _from, to) => !isCut || to !== network.nodes[3],
    })
    await network.advance(2_000)
    isCut = false
    await network.advance(2_000)
    const node = network.nodes[3]!
    strictEqual(node.imported.length, 0)
    node.head = network.nodes[0]!.imported[0]!
    network.tell(node, { type: 'headMoved', context: network.contextOf(node) })
    await network.advance(0)
    strictEqual(node.imported[0]?.hash, network.nodes[0]!.imported[1]?.hash)
  })

  test('ignores late answers', async () => {
    const network = await startedNetwork()
    const node = network.nodes[1]!
    await network.advance(1_000)
    for (const id of [0, 1, 2, 99]) {
      network.tell(node, { type: 'validated', id, height: 1, round: 0, ok: true })
      network.tell(node, { type: 'persisted', id, height: 1, round: 0 })
      network.tell(node, { type: 'imported', id, height: 1, round: 0 })
      network.tell(node, { type: 'failed', id, height: 1, round: 0, sentence: 'late' })
    }
    await network.advance(0)
    deepStrictEqual(node.sent, [])
  })
})
