/* Peers that lie to a node that syncs with a validator network. Every block is sealed, and seals are checked. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import {
  extend,
  makeBlock,
  openTestNetwork,
  testNetwork,
  testValidators,
} from '#consensus/network.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { systemClock } from '#platform/clock.ts'
import {
  intercepting,
  leftBy,
  type SyncNode,
  type SyncNodeOptions,
  sending,
  startSyncNode,
} from '#sync/sync.fixture.ts'
import { decodeAnswer } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { encodeRlpList } from '#types/rlp.ts'

const TIMEOUT = { timeout: 40_000 }
const BLOCKS = 24
const FUTURE = 4_000_000_000n
const VALIDATORS = testValidators(4)
const [FIRST, SECOND, THIRD, FOURTH] = VALIDATORS as [
  (typeof VALIDATORS)[0],
  (typeof VALIDATORS)[0],
  (typeof VALIDATORS)[0],
  (typeof VALIDATORS)[0],
]
const GENESIS = testNetwork({ qbft: {} }, VALIDATORS)
const hashBlock = blockHashOf(GENESIS.config.consensus)
const headOf = ({ chain }: SyncNode): number => Number(chain.head.header.number)

async function node(t: TestContext, blocks: number, options: SyncNodeOptions = {}): Promise<SyncNode> {
  const { chain } = await openTestNetwork(GENESIS)
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++) {
    const verdict = await extend(chain, { validators: VALIDATORS, author: VALIDATORS[number % 4]! })
    assert.ok(verdict.ok)
  }
  return startSyncNode(t, chain, GENESIS, { createHeaderRules, ...options })
}

/** Changes the headers that a node serves from block 1 on. */
function showing(change: (headers: readonly BlockHeader[]) => readonly BlockHeader[]): SyncNodeOptions {
  return sending((code, data) => {
    if (code !== ETH.blockHeaders) return data
    const { id, what } = decodeAnswer('BlockHeaders', data, 512)
    return encodeIdentified({ id, content: encodeRlpList(change(what.map(decodeHeader)).map(encodeHeader)) })
  })
}

/** Invented headers that follow `parent`, with the seals of the true ones. */
function madeUp(
  headers: readonly BlockHeader[],
  parent: Hash,
  change: Partial<BlockHeader>,
): readonly BlockHeader[] {
  let parentHash = parent
  return headers.map((header) => {
    const made = { ...header, ...change, parentHash }
    parentHash = hashBlock(made)
    return made
  })
}

function withoutSeals(header: BlockHeader): BlockHeader {
  const content = decodeBftExtraData('qbft', header.extraData)
  return { ...header, extraData: encodeBftExtraData('qbft', { ...content, seals: [] }) }
}

const LIES: Readonly<Record<string, (headers: readonly BlockHeader[]) => readonly BlockHeader[]>> = {
  'headers from the future': (headers) => madeUp(headers, headers[0]!.parentHash, { timestamp: FUTURE }),
  'headers without seals': (headers) => headers.map(withoutSeals),
  'headers whose transactions nobody has': (headers) =>
    madeUp(headers, headers[0]!.parentHash, { transactionsRoot: headers[0]!.ommersHash }),
  'one true header and made-up ones after it': ([first, ...rest]) => [
    first!,
    ...madeUp(rest, hashBlock(first!), { transactionsRoot: first!.ommersHash }),
  ],
  'true headers, of which the last is not sealed': (headers) => [
    ...headers.slice(0, -1),
    withoutSeals(headers.at(-1)!),
  ],
}

for (const [lie, change] of Object.entries(LIES)) {
  test(`a peer that shows ${lie} is left at once, and another serves`, TIMEOUT, async (t) => {
    const liar = await node(t, BLOCKS, showing(change))
    const [full, empty] = [await node(t, BLOCKS), await node(t, 0)]
    const left = leftBy(empty)
    empty.network.maintain(liar.enode)
    await until(() => left.length > 0)
    assert.match(left[0]!.why, /^breachOfProtocol: Header \d+ is invalid\./)
    assert.equal(headOf(empty), 0)
    assert.equal(empty.sync.progress(), undefined)
    empty.network.maintain(full.enode)
    await until(() => headOf(empty) === BLOCKS)
    assert.deepEqual([...new Set(left.map(({ id }) => id))], [liar.enode.id])
  })
}

test('a node in sync keeps announcing blocks while a peer serves unsealed headers', TIMEOUT, async (t) => {
  const liar = await node(t, BLOCKS, showing(LIES['headers without seals']!))
  const [one, two] = [await node(t, 2), await node(t, 2)]
  const left = leftBy(one)
  two.network.maintain(one.enode)
  await until(() => one.network.peerCount === 1)
  one.network.maintain(liar.enode)
  await until(() => left.length > 0)
  await extend(one.chain, { validators: VALIDATORS, author: FIRST })
  one.sync.headMoved()
  await until(() => headOf(two) === 3)
})

test('seals stripped within an answer cost the peer that did it', TIMEOUT, async (t) => {
  const liar = await node(
    t,
    BLOCKS,
    showing((headers) => headers.map((header, at) => (at === 4 ? withoutSeals(header) : header))),
  )
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0)]
  const left = leftBy(empty)
  empty.network.maintain(liar.enode)
  await until(() => left.length > 0)
  assert.match(left[0]!.why, /^breachOfProtocol: .*seals/)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
})

test(
  'a sealed block ahead of a wrong clock costs no peer, and is imported when the clock is right',
  TIMEOUT,
  async (t) => {
    const full = await node(t, BLOCKS)
    const { chain, clock } = await openTestNetwork(GENESIS)
    t.after(() => chain.close())
    clock.setWall(5_000)
    const late = await startSyncNode(t, chain, GENESIS, {
      createHeaderRules,
      wallMs: () => clock.wallMs(),
      pace: 20,
    })
    const left = leftBy(late)
    late.network.maintain(full.enode)
    await until(() => headOf(late) === 6)
    clock.setWall(60_000)
    await until(() => headOf(late) === BLOCKS)
    assert.deepEqual(left, [])
  },
)

test('a node syncs across votes that change the validators within one answer', TIMEOUT, async (t) => {
  const genesis = testNetwork({ qbft: {} }, [FIRST, SECOND, THIRD])
  const { chain } = await openTestNetwork(genesis)
  const { chain: other } = await openTestNetwork(genesis)
  t.after(() => Promise.all([chain.close(), other.close()]))
  const three = [FIRST, SECOND, THIRD]
  const add = { recipient: FOURTH.address, type: 'add' } as const
  for (const author of [FIRST, SECOND]) await extend(chain, { validators: three, author, vote: add })
  for (let number = 0; number < BLOCKS; number++) {
    const verdict = await extend(chain, { validators: VALIDATORS, author: VALIDATORS[number % 4]! })
    assert.ok(verdict.ok)
  }
  const full = await startSyncNode(t, chain, genesis, { createHeaderRules })
  const empty = await startSyncNode(t, other, genesis, { createHeaderRules })
  const left = leftBy(empty)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS + 2)
  assert.deepEqual(left, [])
})

const CONTRACT = `0x${'88'.repeat(20)}`
/** Returns the addresses in its slots 0 to 3. */
const NAMES_FOUR = '0x6020600052600460205260005460405260015460605260025460805260035460a05260c06000f3'

test("a validator contract is called before its validators' headers count", TIMEOUT, async (t) => {
  const word = (address: string) => `0x${'00'.repeat(12)}${address.slice(2)}`
  const storage = Object.fromEntries(VALIDATORS.map(({ address }, at) => [`0x${at}`, word(address)]))
  const alloc = { [CONTRACT]: { balance: '0x0', code: NAMES_FOUR, storage } }
  const genesis = testNetwork({ qbft: { validatorcontractaddress: CONTRACT } }, [], alloc)
  const chains = await Promise.all([
    openTestNetwork(genesis),
    openTestNetwork(genesis),
    openTestNetwork(genesis),
  ])
  t.after(() => Promise.all(chains.map(({ chain }) => chain.close())))
  const [ours, theirs, empties] = chains.map(({ chain }) => chain)
  for (let number = 0; number < BLOCKS; number++) {
    const next = { hasContract: true, validators: VALIDATORS, author: VALIDATORS[number % 4]! }
    const block = await makeBlock(ours!, next)
    for (const chain of [ours!, theirs!]) assert.ok((await chain.importBlock(chain.receive(block))).ok)
  }
  const liar = await startSyncNode(t, theirs!, genesis, {
    createHeaderRules,
    ...showing(LIES['one true header and made-up ones after it']!),
  })
  const full = await startSyncNode(t, ours!, genesis, { createHeaderRules })
  const empty = await startSyncNode(t, empties!, genesis, { createHeaderRules, pace: 20 })
  const left = leftBy(empty)
  empty.network.maintain(liar.enode)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
  assert.ok(left.every(({ id }) => id === liar.enode.id))
})

/** Serves true headers one by one, each just before its deadline. */
function slowly(delayMs: number, answers: { count: number }): SyncNodeOptions {
  return intercepting((code, data, lane, pass) => {
    if (code !== ETH.blockHeaders && code !== ETH.blockBodies) return pass(code, data, lane)
    answers.count += 1
    const { id, what } = decodeAnswer('an answer', data, 512)
    const one = encodeIdentified({ id, content: encodeRlpList(what.slice(0, 1)) })
    systemClock.after(delayMs, () => pass(code, one, lane))
    return true
  })
}

test('a peer that slowly serves one true header at a time does not delay the node', TIMEOUT, async (t) => {
  const answers = { count: 0 }
  const slow = await node(t, BLOCKS, slowly(400, answers))
  const [full, empty] = [await node(t, BLOCKS), await node(t, 0, { pace: 20 })]
  empty.network.maintain(slow.enode)
  await until(() => headOf(empty) === 2)
  empty.network.maintain(full.enode)
  await until(() => headOf(empty) === BLOCKS)
  assert.ok(answers.count < 10, `${answers.count} answers were waited for`)
})
