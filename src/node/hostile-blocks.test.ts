/* Peers that announce false blocks to a node of a validator network. */
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
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { leftBy, type SyncNode, type SyncNodeOptions, startSyncNode } from '#sync/sync.fixture.ts'
import { encodeNewBlock } from '#sync/wire/announcements.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { decodeBlock, encodeBlock } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { transactionsRoot } from '#types/block/block-roots.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

const TIMEOUT = { timeout: 40_000 }
const FUTURE = 4_000_000_000n
const VALIDATORS = testValidators(4)
const FIRST = VALIDATORS[0]!

async function node(
  t: TestContext,
  blocks: number,
  options: SyncNodeOptions = {},
  validators = VALIDATORS,
): Promise<SyncNode> {
  const genesis = testNetwork({ qbft: {} }, validators)
  const { chain } = await openTestNetwork(genesis)
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++)
    assert.ok((await extend(chain, { validators, author: validators[0]! })).ok)
  return startSyncNode(t, chain, genesis, { createHeaderRules, ...options })
}

/** A peer that sends a given block. */
async function teller(
  t: TestContext,
  target: SyncNode,
  validators = VALIDATORS,
): Promise<(block: Uint8Array) => void> {
  let link: PeerLink | undefined
  const conduct: SyncNodeOptions = {
    change: (protocol: PeerProtocol) => ({
      ...protocol,
      connect: (found: PeerLink) => {
        const handlers = protocol.connect(found)
        return {
          ...handlers,
          onMessage: (code: number, data: Uint8Array) => {
            const done = handlers.onMessage(code, data)
            if (code === ETH.status) link = found
            return done
          },
        }
      },
    }),
  }
  const speaking = await node(t, 2, conduct, validators)
  speaking.network.maintain(target.enode)
  await until(() => link !== undefined && target.network.peerCount > 0)
  return (block) => void link!.send(ETH.newBlock, encodeNewBlock({ block, totalDifficulty: 3n }), 'bulk')
}

/** Changes a block's header, so its seals belong to another header. */
function changed(block: Uint8Array, change: Partial<BlockHeader>): Uint8Array {
  const decoded = decodeBlock(block)
  return encodeBlock({ ...decoded, header: { ...decoded.header, ...change } })
}

/** Replaces the transactions with something that is not a list. */
function undecodable(block: Uint8Array): Uint8Array {
  const [header, , ...rest] = [...encodedRlpItems(block, 4)]
  return encodeRlpList([header!, encodeRlpList([Uint8Array.of(0xc1, 0x05)]), ...rest])
}

const TOLD: Readonly<Record<string, (block: Uint8Array) => Uint8Array>> = {
  'from the future that nobody sealed': (block) => changed(block, { timestamp: FUTURE }),
  'with a sealed header and the body of another': (block) => undecodable(block),
  'that nobody sealed and that cannot be decoded': (block) => undecodable(changed(block, { nonce: 7n })),
}

for (const [what, change] of Object.entries(TOLD)) {
  test(`a new block ${what} ends the connection before the writer sees it`, TIMEOUT, async (t) => {
    const target = await node(t, 2)
    const left = leftBy(target)
    const tell = await teller(t, target)
    tell(change(await makeBlock(target.chain, { validators: VALIDATORS, author: FIRST })))
    await until(() => left.length > 0)
    assert.match(left[0]!.why, /^breachOfProtocol: Block 3 of the peer is invalid\./)
    assert.deepEqual(target.chain.badBlocks.all(), [])
    assert.deepEqual(target.imports, [])
  })
}

test('a sealed new block that cannot be decoded ends the connection', TIMEOUT, async (t) => {
  const target = await node(t, 2)
  const left = leftBy(target)
  const tell = await teller(t, target)
  const encoded = Uint8Array.of(0xc1, 0x05)
  const change = { transactionsRoot: transactionsRoot([{ encoded } as Transaction]), gasUsed: 21_000n }
  const sealed = await makeBlock(target.chain, { validators: VALIDATORS, author: FIRST, change })
  const [header, , ...rest] = [...encodedRlpItems(sealed, 4)]
  tell(encodeRlpList([header!, encodeRlpList([encoded]), ...rest]))
  await until(() => left.length > 0)
  assert.match(left[0]!.why, /^breachOfProtocol: Block 3 of the peer is invalid\./)
})

test('a peer that repeatedly sends old blocks is disconnected', TIMEOUT, async (t) => {
  // One seal per block keeps making many of them fast.
  const target = await node(t, 258, {}, [FIRST])
  const left = leftBy(target)
  const tell = await teller(t, target, [FIRST])
  const { chain: old } = await node(t, 0, {}, [FIRST])
  const block = await makeBlock(old, { validators: [FIRST], author: FIRST })
  for (let sent = 0; sent < 5; sent++) tell(block)
  await until(() => left.length > 0)
  assert.match(left[0]!.why, /^uselessPeer: /)
})
