import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openReader } from '#chain/archive/archive.fixture.ts'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { makeLedger } from '#chain/ledger/history.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { leftBy, type SyncNode, type SyncNodeOptions, sending, startSyncNode } from '#sync/sync.fixture.ts'
import { decodeAnswer, decodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH, MAX_BODIES } from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { type BlockHeader, encodeHeader } from '#types/block/block-header.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { FetchBranch, type FetchBranchParts } from './fetch-branch.ts'
import { HEADERS_ASKED } from './fetch-headers.ts'

const TIMEOUT = { timeout: 60_000 }
const UNKNOWN = parseHash(`0x${'77'.repeat(32)}`)
const hashBlock = blockHashOf(testGenesis().config.consensus, (await loadCrypto()).keccak)

async function nodeWith(t: TestContext, blocks: number, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++)
    await extend(chain, number % 3 === 0 ? [call(number / 3)] : [])
  return startSyncNode(t, chain, testGenesis(), { takesBlocks: false, ...options })
}

/** Changes the headers that a node sends. */
function answering(change: (headers: readonly Uint8Array[]) => readonly Uint8Array[]): SyncNodeOptions {
  return sending((code, data) => {
    if (code !== ETH.blockHeaders) return data
    const { id, what } = decodeAnswer('BlockHeaders', data, HEADERS_ASKED)
    return encodeIdentified({ id, content: encodeRlpList(change(what)) })
  })
}

/** A node that stores the blocks of a sought branch, and the number of blocks in each part. */
async function seeker(t: TestContext, options?: SyncNodeOptions) {
  const parts: number[] = []
  const node: SyncNode = await nodeWith(t, 0, {
    offerBranch: async (_, blocks) => {
      parts.push(blocks.length)
      for (const block of blocks) await node.chain.importBlock(node.chain.receive(block))
      return true
    },
    ...options,
  })
  return { node, parts }
}

/** Repeats the choice as a consensus client does: the handshake may not be over, or an attempt may be under way. */
async function seekUntil({ sync }: SyncNode, head: Hash, isSo: () => boolean): Promise<void> {
  await until(() => {
    sync.seek(head)
    return isSo()
  })
}

/** A branch that ends above block 0 with an unknown parent. */
function endlessBranch(
  header: BlockHeader,
  count: number,
): { readonly head: Hash; readonly descending: readonly Uint8Array[] } {
  let parentHash: Hash = UNKNOWN
  const encoded: Uint8Array[] = []
  for (let index = 0; index < count; index++) {
    const next = { ...header, number: BigInt(index + 1), parentHash }
    encoded.push(encodeHeader(next))
    parentHash = hashBlock(next)
  }
  return { head: parentHash, descending: encoded.reverse() }
}

test(
  'a branch of several requests is fetched down to the chain and passed on upwards',
  TIMEOUT,
  async (t) => {
    const [{ node, parts }, source] = [await seeker(t), await nodeWith(t, 200)]
    node.network.maintain(source.enode)
    const { hash } = source.chain.head
    await seekUntil(node, hash, () => node.chain.head.hash === hash)
    const passed = parts.reduce((sum, count) => sum + count, 0)
    assert.equal(passed, 200)
    assert.ok(parts.every((count) => count <= 32))
  },
)

test('a peer without the block changes nothing, and another peer is asked', TIMEOUT, async (t) => {
  const [{ node }, source, empty] = [await seeker(t), await nodeWith(t, 3), await nodeWith(t, 0)]
  for (const { enode } of [source, empty]) node.network.maintain(enode)
  await until(() => node.network.peerCount === 2)
  node.sync.seek(UNKNOWN)
  const { hash } = source.chain.head
  await seekUntil(node, hash, () => node.chain.head.hash === hash)
  assert.equal(node.network.peerCount, 2)
})

test('a peer that sends other headers than the requested ones is disconnected', TIMEOUT, async (t) => {
  const lying = answering((headers) => headers.slice(1))
  const [{ node, parts }, liar] = [await seeker(t), await nodeWith(t, 5, lying)]
  const left = leftBy(node)
  node.network.maintain(liar.enode)
  await seekUntil(node, liar.chain.head.hash, () => left.length > 0)
  assert.match(left[0]!.why, /instead of/)
  assert.deepEqual(parts, [])
})

test('a silent peer delays the search, and another peer is asked', TIMEOUT, async (t) => {
  const silent = sending((code, data) => (code === ETH.blockHeaders ? undefined : data))
  const [{ node }, source, mute] = [
    await seeker(t, { pace: 20 }),
    await nodeWith(t, 40),
    await nodeWith(t, 40, silent),
  ]
  node.network.maintain(mute.enode)
  await until(() => node.network.peerCount === 1)
  node.network.maintain(source.enode)
  const { hash } = source.chain.head
  await seekUntil(node, hash, () => node.chain.head.hash === hash)
})

test('a peer that sends the body of another block is disconnected', TIMEOUT, async (t) => {
  const lying = sending((code, data) => {
    if (code !== ETH.blockBodies) return data
    const { id, what } = decodeAnswer('BlockBodies', data, MAX_BODIES)
    return encodeIdentified({ id, content: encodeRlpList([...what].reverse()) })
  })
  const [{ node, parts }, liar] = [await seeker(t), await nodeWith(t, 5, lying)]
  const left = leftBy(node)
  node.network.maintain(liar.enode)
  await seekUntil(node, liar.chain.head.hash, () => left.length > 0)
  assert.match(left[0]!.why, /none of the blocks/)
  assert.deepEqual(parts, [])
})

test('a branch that does not meet the chain is given up after the limit', TIMEOUT, async (t) => {
  const maxBranch = 3 * HEADERS_ASKED + 1
  const { node, parts } = await seeker(t, { maxBranch })
  const { head, descending } = endlessBranch(node.chain.head.header, 8 * HEADERS_ASKED)
  let sent = 0
  const endless = answering(() => {
    const next = descending.slice(sent, sent + HEADERS_ASKED)
    sent += next.length
    return next
  })
  const peer = await nodeWith(t, 0, endless)
  node.network.maintain(peer.enode)
  await seekUntil(node, head, () => sent > 0)
  await until(() => sent >= maxBranch)
  // Another branch is fetched next, so the search has ended.
  const source = await nodeWith(t, 3)
  node.network.maintain(source.enode)
  const { hash } = source.chain.head
  await seekUntil(node, hash, () => node.chain.head.hash === hash)
  assert.ok(sent < descending.length, `${sent} headers sent`)
  assert.deepEqual(parts, [3])
})

test('a branch without the first block of a node is refused, and nothing below that block is requested', {
  timeout: 60_000,
}, async (t) => {
  const first = 40
  const [refused, asked]: [string[], bigint[]] = [[], []]
  const recording = sending((code, data) => {
    if (code === ETH.getBlockHeaders) asked.push(decodeGetBlockHeaders(data).what.count)
    return data
  })
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < first; number++) await extend(chain)
  chain.store.firstBlock = () => first
  const parts: number[] = []
  const node = await startSyncNode(t, chain, testGenesis(), {
    ...recording,
    takesBlocks: false,
    offerBranch: async (_, blocks) => parts.push(blocks.length) > 0,
    refuseBranch: (head, sentence) => refused.push(`${head}: ${sentence}`),
  })
  const source = await nodeWith(t, HEADERS_ASKED + first + 10)
  node.network.maintain(source.enode)
  const { hash } = source.chain.head
  await seekUntil(node, hash, () => refused.length > 0)
  assert.match(refused[0]!, new RegExp(`^${hash}: .*begin with block ${first}`))
  assert.deepEqual(asked.slice(0, 2), [BigInt(HEADERS_ASKED), 10n])
  assert.deepEqual(parts, [])
})

test('peers are asked for the chosen head although a segment of this node is missing', TIMEOUT, async (t) => {
  const { path } = await makeLedger(t)
  const store = await openReader(t, path)
  for (const name of readdirSync(join(path, 'segments'))) rmSync(join(path, 'segments', name))
  let asked = 0
  const branch = new FetchBranch({
    chain: createChainView({ store, genesis: testGenesis(), keccak: keccak256 }),
    peers: () => {
      asked++
      return []
    },
  } as unknown as FetchBranchParts)
  await branch.seek(UNKNOWN)
  assert.ok(asked > 0)
})
