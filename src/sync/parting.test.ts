/* Chains that differ: the last common block is found within limits, and a lying peer is disconnected. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { type SyncNode, type SyncNodeOptions, sending, startSyncNode } from './sync.fixture.ts'
import { decodeAnswer } from './wire/block-requests.ts'
import { ETH } from './wire/eth-codes.ts'
import { encodeIdentified } from './wire/read-message.ts'

const TIMEOUT = { timeout: 60_000 }
const BLOCKS = 40
const headOf = ({ chain }: SyncNode): number => Number(chain.head.header.number)

async function nodeWith(t: TestContext, blocks: number, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++) await extend(chain)
  return startSyncNode(t, chain, testGenesis(), options)
}

/** Two chains with common first blocks; the second is longer. */
async function partedChains(t: TestContext): Promise<readonly [SyncNode, SyncNode]> {
  const [ours, theirs] = [await openTestChain(), await openTestChain()]
  t.after(() => Promise.all([ours.close(), theirs.close()]))
  for (let number = 0; number < 10; number++) await theirs.importBlock(theirs.receive(await extend(ours)))
  for (let number = 0; number < 5; number++) await extend(ours, [call(number)])
  for (let number = 0; number < 9; number++) await extend(theirs)
  return [await startSyncNode(t, ours, testGenesis()), await startSyncNode(t, theirs, testGenesis())]
}

test(
  'a peer on another chain is disconnected, and the reason names the last common block',
  TIMEOUT,
  async (t) => {
    const [ours, theirs] = await partedChains(t)
    const told: string[] = []
    ours.network.left.subscribe(({ end }) => told.push(`${end.reason}: ${end.sentence}`))
    const { hash } = ours.chain.head
    ours.network.maintain(theirs.enode)
    await until(() => told.length > 0)
    assert.match(told[0]!, /^uselessPeer: The chain of the peer left ours after block 10\./)
    assert.equal(ours.chain.head.hash, hash)
    const ahead = await nodeWith(t, 0)
    ahead.network.maintain(ours.enode)
    await until(() => headOf(ahead) === 15)
  },
)

test(
  'a peer that shows a fork although it has our chain is disconnected, and another serves',
  TIMEOUT,
  async (t) => {
    const otherParent = (data: Uint8Array) => {
      const { id, what } = decodeAnswer('BlockHeaders', data, 512)
      const [first, second] = what.map(decodeHeader)
      if (first === undefined || second === undefined || second.number < first.number) return data
      return encodeIdentified({
        id,
        content: encodeRlpList([encodeHeader({ ...first, parentHash: first.stateRoot })]),
      })
    }
    const options = sending((code, data) => (code === ETH.blockHeaders ? otherParent(data) : data))
    const [liar, full, behind] = [
      await nodeWith(t, BLOCKS, options),
      await nodeWith(t, BLOCKS),
      await nodeWith(t, 5),
    ]
    const reasons: string[] = []
    behind.network.left.subscribe(({ end }) => reasons.push(end.reason))
    behind.network.maintain(liar.enode)
    await until(() => reasons.length > 0)
    assert.equal(reasons[0], 'breachOfProtocol')
    behind.network.maintain(full.enode)
    await until(() => headOf(behind) === BLOCKS)
  },
)
