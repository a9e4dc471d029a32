import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, makeBlocks, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import type { PeerLink, PeerProtocol, ProtocolReport } from '#p2p/peers/protocol.ts'
import { createLog } from '#platform/log/log.ts'
import { decodeBlock, encodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { intercepting, type SyncNode, type SyncNodeOptions, sending, startSyncNode } from './sync.fixture.ts'
import { encodeNewBlock } from './wire/announcements.ts'
import { decodeAnswer, encodeAskedHashes, encodeGetBlockHeaders } from './wire/block-requests.ts'
import { ETH } from './wire/eth-codes.ts'
import { encodeIdentified } from './wire/read-message.ts'
import { decodeStatus, encodeStatus } from './wire/status.ts'

const TIMEOUT = { timeout: 60_000 }
const BLOCKS = 40

async function node(t: TestContext, blocks: number, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++)
    await extend(chain, number % 3 === 0 ? [] : [call(Math.floor((number * 2) / 3))])
  return startSyncNode(t, chain, testGenesis(), options)
}

const headOf = ({ chain }: SyncNode): number => Number(chain.head.header.number)

/** Provides the link to a peer, to send messages that no node would. */
function givingLink(give: (link: PeerLink) => void): SyncNodeOptions {
  return {
    change: (protocol: PeerProtocol) => ({
      ...protocol,
      connect: (link: PeerLink) => {
        give(link)
        return protocol.connect(link)
      },
    }),
  }
}

function reasonsOf({ network }: SyncNode): string[] {
  const reasons: string[] = []
  network.left.subscribe(({ end }) => reasons.push(end.reason))
  return reasons
}

test('an empty node gets the complete chain from its peers', TIMEOUT, async (t) => {
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0)]
  assert.equal(empty.sync.hasBeenInSync(), false)
  empty.network.maintain(full.enode)
  await until(() => empty.sync.hasBeenInSync())
  assert.equal(headOf(empty), BLOCKS)
  assert.equal(empty.chain.head.hash, full.chain.head.hash)
  assert.equal(empty.sync.progress(), undefined)
  // A block made later is announced at once.
  await extend(full.chain)
  full.sync.headMoved()
  await until(() => headOf(empty) === BLOCKS + 1)
})

test(
  'a node whose blocks come from a consensus client imports none from peers, old or new',
  TIMEOUT,
  async (t) => {
    let link: PeerLink | undefined
    const full = await node(
      t,
      3,
      givingLink((given) => {
        link = given
      }),
    )
    const led = await node(t, 0, { takesBlocks: false })
    led.network.maintain(full.enode)
    await until(() => led.network.peers().length === 1 && link !== undefined)
    const [first] = await makeBlocks([])
    link!.send(ETH.newBlock, encodeNewBlock({ block: first!, totalDifficulty: 2n }), 'bulk')
    full.add([call(2)])
    await until(() => led.admitted.length === 1)
    assert.equal(headOf(led), 0)
    assert.deepEqual(led.imports, [])
  },
)

test('the facts about a peer contain its latest block', TIMEOUT, async (t) => {
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0)]
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
  const [{ name, facts }] = empty.network.peers()[0]!.protocols as [ProtocolReport]
  const { hash: head, header } = full.chain.head
  assert.equal(name, 'eth')
  // Every block of this chain has the difficulty of its genesis block.
  const difficulty = formatQuantity(header.difficulty * BigInt(BLOCKS + 1))
  assert.deepEqual(facts, { difficulty, head, latestBlock: BLOCKS })
})

test('bodies come from all peers, and a silent peer is skipped', TIMEOUT, async (t) => {
  const silent = await node(
    t,
    BLOCKS,
    sending((code, data) => (code === ETH.blockBodies ? undefined : data)),
  )
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0, { pace: 20 })]
  empty.network.maintain(silent.enode)
  await until(() => empty.network.peerCount === 1)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
})

/** A node that says it has removed the blocks below `earliest`, and does not send their bodies. */
function prunedTo(earliest: number): SyncNodeOptions {
  return sending((code, data) => {
    if (code === ETH.blockBodies)
      return encodeIdentified({ ...decodeAnswer('BlockBodies', data, 512), content: encodeRlpList([]) })
    if (code !== ETH.status) return data
    const status = decodeStatus(69, data)
    return encodeStatus({ ...status, range: { ...status.range!, earliest } })
  })
}

test('a peer without the needed blocks stays connected and is not asked for them', TIMEOUT, async (t) => {
  const lines: string[] = []
  const log = createLog({ level: 'WARN', destination: { write: (line) => void lines.push(line) } })
  const [pruned, empty] = [await node(t, BLOCKS, prunedTo(2)), await node(t, 0, { log })]
  const reasons = reasonsOf(empty)
  empty.network.maintain(pruned.enode)
  await until(() => lines.length > 0)
  assert.match(lines[0]!, /"msg":"No peer has the next block"/)
  assert.match(lines[0]!, /"next":1,"earliest":2/)
  assert.equal(headOf(empty), 0)
  const full = await node(t, BLOCKS)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
  assert.deepEqual(reasons, [])
  assert.equal(lines.length, 1)
})

test('a peer with unlinked headers is disconnected, and another serves', TIMEOUT, async (t) => {
  const liar = await node(
    t,
    BLOCKS,
    sending((code, data) => {
      if (code !== ETH.blockHeaders) return data
      const { id, what } = decodeAnswer('BlockHeaders', data, 512)
      if (what.length < 2) return data
      return encodeIdentified({ id, content: encodeRlpList([what[0]!, ...what.slice(2)]) })
    }),
  )
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0)]
  const reasons = reasonsOf(empty)
  empty.network.maintain(liar.enode)
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'uselessPeer')
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
})

test('a peer with invalid blocks is disconnected for a breach of protocol', TIMEOUT, async (t) => {
  const chain = await openTestChain()
  t.after(() => chain.close())
  await extend(chain)
  const liar = await startSyncNode(
    t,
    chain,
    testGenesis(),
    sending((code, data) => {
      if (code !== ETH.blockHeaders) return data
      const { id, what } = decodeAnswer('BlockHeaders', data, 512)
      const header = decodeHeader(what[0]!)
      if (header.number !== 1n || what.length !== 1) return data
      const changed = encodeHeader({ ...header, gasUsed: header.gasUsed + 1n })
      return encodeIdentified({ id, content: encodeRlpList([changed]) })
    }),
  )
  const empty = await node(t, 0)
  const reasons = reasonsOf(empty)
  empty.network.maintain(liar.enode)
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'breachOfProtocol')
  assert.equal(headOf(empty), 0)
})

test(
  'forged headers disconnect the peer that sent them, and not peers without their blocks',
  TIMEOUT,
  async (t) => {
    const liar = await node(
      t,
      6,
      sending((code, data) => {
        if (code === ETH.blockBodies) return undefined
        if (code !== ETH.blockHeaders) return data
        const { id, what } = decodeAnswer('BlockHeaders', data, 512)
        return encodeIdentified({ id, content: encodeRlpList(madeUp(what)) })
      }),
    )
    const [full, empty] = [await node(t, 6), await node(t, 0, { pace: 20 })]
    const left = new Set<string>()
    empty.network.left.subscribe(({ peer }) => left.add(peer.enode.id))
    empty.network.maintain(liar.enode)
    await until(() => empty.sync.progress() !== undefined)
    empty.network.maintain(full.enode)
    await until(() => headOf(empty) === 6)
    assert.deepEqual([...left], [liar.enode.id])
  },
)

/** The same headers, linked again, with transactions that do not exist. */
function madeUp(headers: readonly Uint8Array[]): Uint8Array[] {
  const hashOf = blockHashOf(testGenesis().config.consensus)
  let parent: Hash | undefined
  return headers.map((encoded) => {
    const header = decodeHeader(encoded)
    const changed = { ...header, transactionsRoot: header.stateRoot, parentHash: parent ?? header.parentHash }
    parent = hashOf(changed)
    return encodeHeader(changed)
  })
}

test('a body that matches no requested block is a breach of protocol', TIMEOUT, async (t) => {
  const liar = await node(
    t,
    BLOCKS,
    sending((code, data) => {
      if (code !== ETH.blockBodies) return data
      const { id } = decodeAnswer('BlockBodies', data, 512)
      return encodeIdentified({ id, content: encodeRlp([[[], [], []]]) })
    }),
  )
  const empty = await node(t, 0)
  const reasons = reasonsOf(empty)
  empty.network.maintain(liar.enode)
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'breachOfProtocol')
})

test('an unsolicited answer, or a message before the status, is a breach of protocol', TIMEOUT, async (t) => {
  const empty = await node(t, 0)
  const reasons = reasonsOf(empty)
  const strange = await node(t, 0, sendingFirst(ETH.blockBodies, encodeAskedHashes({ id: 9n, what: [] })))
  empty.network.maintain(strange.enode)
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'breachOfProtocol')
})

test('an unsolicited answer is a breach of protocol', TIMEOUT, async (t) => {
  let link: PeerLink | undefined
  const strange = await node(
    t,
    0,
    givingLink((found) => {
      link = found
    }),
  )
  const empty = await node(t, 0)
  const reasons = reasonsOf(empty)
  empty.network.maintain(strange.enode)
  await until(() => link !== undefined)
  const unasked = encodeIdentified({ id: 77n, content: encodeRlp([]) })
  await until(() => link!.send(ETH.blockBodies, unasked, 'bulk'))
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'breachOfProtocol')
})

/** Sends a message instead of its status. */
function sendingFirst(code: number, data: Uint8Array): SyncNodeOptions {
  return intercepting((sent, bytes, lane, pass) =>
    sent === ETH.status ? pass(code, data, lane) : pass(sent, bytes, lane),
  )
}

test('a node of another network gets the reason', TIMEOUT, async (t) => {
  const [one, other] = [await node(t, 0), await node(t, 0, { networkId: 7n })]
  const reasons = reasonsOf(one)
  one.network.maintain(other.enode)
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'subprotocol')
})

test('a peer that claims more than it has does not delay the node', TIMEOUT, async (t) => {
  const boaster = await node(
    t,
    2,
    sending((code, data) => (code === ETH.getBlockHeaders ? undefined : data)),
  )
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0)]
  empty.network.maintain(boaster.enode)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
})

test(
  'a peer that claims blocks it lacks does not stop a node from accepting transactions',
  TIMEOUT,
  async (t) => {
    const boaster = await node(
      t,
      3,
      sending((code, data) => (code === ETH.blockHeaders ? undefined : data)),
    )
    const [one, two] = [await node(t, 0), await node(t, 0)]
    one.network.maintain(boaster.enode)
    await until(() => one.sync.progress() !== undefined)
    one.network.maintain(two.enode)
    const sent = call(0)
    await until(() => one.network.peerCount === 2)
    two.add([{ hash: sent.hash, encoded: sent.encoded }])
    await until(() => one.admitted.length === 1)
    assert.notEqual(one.sync.progress(), undefined)
  },
)

test('transactions of the pool reach other pools, complete or by hash', TIMEOUT, async (t) => {
  const [one, two, three] = [await node(t, 0), await node(t, 0), await node(t, 0)]
  const early = call(0)
  one.pool.push({ hash: early.hash, encoded: early.encoded })
  one.network.maintain(two.enode)
  one.network.maintain(three.enode)
  // Transactions that were in the pool before the peers connected.
  await until(() => two.admitted.length === 1 && three.admitted.length === 1)
  const late = call(1)
  one.add([{ hash: late.hash, encoded: late.encoded }])
  await until(() => two.admitted.length === 2 && three.admitted.length === 2)
  assert.deepEqual(
    [two, three].map(({ admitted }) => admitted.map(({ hash }) => hash)),
    [
      [early.hash, late.hash],
      [early.hash, late.hash],
    ],
  )
})

test(
  "client transactions go to peers complete; peers' transactions are announced once, by hash, to peers without them",
  TIMEOUT,
  async (t) => {
    const codes: number[] = []
    const middle = await node(
      t,
      0,
      sending((code, data) => {
        if (code !== ETH.status) codes.push(code)
        return data
      }),
    )
    const [one, two, three] = [await node(t, 0), await node(t, 0), await node(t, 0)]
    middle.pool.push(call(0))
    for (const { enode } of [one, two, three]) middle.network.maintain(enode)
    await until(() => [one, two, three].every(({ admitted }) => admitted.length === 1))
    codes.length = 0
    middle.add([call(1)])
    await until(() => [one, two, three].every(({ admitted }) => admitted.length === 2))
    assert.deepEqual(codes, [ETH.transactions, ETH.transactions, ETH.transactions])
    codes.length = 0
    const passed = [call(2), call(3)]
    middle.pool.push(...passed)
    one.add(passed)
    await until(() => [two, three].every(({ admitted }) => admitted.length === 4))
    const { newPooledTransactionHashes: hashes, pooledTransactions: answer } = ETH
    assert.deepEqual(codes.toSorted(), [hashes, hashes, answer, answer].toSorted())
  },
)

test('a new block is imported from any peer, and an invalid one ends the connection', TIMEOUT, async (t) => {
  const [one, two] = [await node(t, 3), await node(t, 3)]
  const block = await extend((await node(t, 3)).chain)
  const reasons = reasonsOf(two)
  const protocol = one.sync.protocols
  assert.equal(protocol.length, 3)
  let link: PeerLink | undefined
  const teller = await node(
    t,
    3,
    givingLink((found) => {
      link = found
    }),
  )
  teller.network.maintain(two.enode)
  await until(() => link !== undefined && two.network.peerCount === 1)
  const { header, ...body } = decodeBlock(block)
  await until(
    () =>
      link!.send(ETH.newBlock, encodeNewBlock({ block, totalDifficulty: 5n }), 'bulk') && headOf(two) === 4,
  )
  const invalid = encodeBlock({
    header: { ...header, number: 5n, parentHash: two.chain.head.hash, gasUsed: 1n },
    ...body,
  })
  link!.send(ETH.newBlock, encodeNewBlock({ block: invalid, totalDifficulty: 6n }), 'bulk')
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'breachOfProtocol')
})

test('headers are served by number and hash, up and down, up to the limit', TIMEOUT, async (t) => {
  const full = await node(t, 5)
  const answers: (readonly Uint8Array[])[] = []
  let link: PeerLink | undefined
  const asker = await node(t, 5, {
    change: (each: PeerProtocol) => ({
      ...each,
      connect: (found: PeerLink) => {
        link = found
        const handlers = each.connect(found)
        return {
          ...handlers,
          onMessage: (code: number, data: Uint8Array) => {
            if (code !== ETH.blockHeaders) return handlers.onMessage(code, data)
            const { id, what } = decodeAnswer('BlockHeaders', data, 512)
            if (id < 1_000n) return handlers.onMessage(code, data)
            answers.push(what)
            return undefined
          },
        }
      },
    }),
  })
  asker.network.maintain(full.enode)
  await until(() => full.network.peerCount === 1 && link !== undefined)
  const numbersOf = async (what: Parameters<typeof encodeGetBlockHeaders>[0]['what']) => {
    const before = answers.length
    await until(() => link!.send(ETH.getBlockHeaders, encodeGetBlockHeaders({ id: 1_000n, what }), 'bulk'))
    await until(() => answers.length > before)
    return answers.at(-1)!.map((item) => Number(decodeHeader(item).number))
  }
  const head = full.chain.head.hash
  assert.deepEqual(await numbersOf({ from: 0n, count: 3n, skip: 0n, isReverse: false }), [0, 1, 2])
  assert.deepEqual(await numbersOf({ from: head, count: 9n, skip: 1n, isReverse: true }), [5, 3, 1])
  assert.deepEqual(await numbersOf({ from: 2n ** 60n, count: 1n, skip: 0n, isReverse: false }), [])
  assert.deepEqual(await numbersOf({ from: 4n, count: 2n ** 63n, skip: 2n ** 63n, isReverse: false }), [4])
})
