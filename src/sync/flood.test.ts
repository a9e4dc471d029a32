/* Peers that flood are disconnected with a reason, while an honest peer is served. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { pacedClock, until } from '#p2p/peers/peers.fixture.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { systemClock } from '#platform/clock.ts'
import { hashFromBytes } from '#types/hash.ts'
import { encodeRlp } from '#types/rlp.ts'
import { type SyncNode, type SyncNodeOptions, sending, startSyncNode } from './sync.fixture.ts'
import { encodeNewBlockHashes, encodeNewPooledHashes } from './wire/announcements.ts'
import { encodeAskedHashes, encodeGetBlockHeaders } from './wire/block-requests.ts'
import { ETH } from './wire/eth-codes.ts'
import { encodeIdentified } from './wire/read-message.ts'
import { decodeBlockRange } from './wire/status.ts'

const TIMEOUT = { timeout: 60_000 }
const BLOCKS = 40
/** A second of the flooded node is shorter by this factor. */
const PACE = 8
/** A node that asks has half a second for each answer. */
const ASKING_PACE = 20
const AT_ONCE = 50

async function node(t: TestContext, blocks: number, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < blocks; number++) await extend(chain, [call(number)])
  return startSyncNode(t, chain, testGenesis(), options)
}

const headOf = ({ chain }: SyncNode): number => Number(chain.head.header.number)
const turn = () => new Promise<void>((resolve) => void systemClock.after(1, resolve))

/** Sends its status and ignores everything it receives. */
function deaf(give: (link: PeerLink) => void): SyncNodeOptions {
  return {
    change: (protocol: PeerProtocol) => ({
      ...protocol,
      connect: (link: PeerLink) => {
        const handlers = protocol.connect(link)
        return {
          ...handlers,
          onMessage: (code: number, data: Uint8Array) => {
            if (code !== ETH.status) return undefined
            give(link)
            return handlers.onMessage(code, data)
          },
        }
      },
    }),
  }
}

const NOBODYS = hashFromBytes(new Uint8Array(32).fill(7))

/** A message sent without end, and the reason for the disconnect. */
interface Flood {
  readonly what: string
  readonly code: number
  readonly message: (id: bigint) => Uint8Array
  readonly why: RegExp
}

const FLOODS: readonly Flood[] = [
  {
    what: 'questions for headers',
    code: ETH.getBlockHeaders,
    message: (id) =>
      encodeGetBlockHeaders({ id, what: { from: 2n ** 60n, count: 1n, skip: 0n, isReverse: false } }),
    why: /^breachOfProtocol: The peer asks for more without waiting for its answers\.$/,
  },
  {
    what: 'questions for bodies',
    code: ETH.getBlockBodies,
    message: (id) => encodeAskedHashes({ id, what: [NOBODYS] }),
    why: /^breachOfProtocol: The peer asks for more without waiting for its answers\.$/,
  },
  {
    what: 'announcements of blocks',
    code: ETH.newBlockHashes,
    message: () => encodeNewBlockHashes([{ hash: NOBODYS, number: 0 }]),
    why: /^breachOfProtocol: The peer floods this node with messages 1 of eth\.$/,
  },
  {
    what: 'announcements of transactions that it does not give',
    code: ETH.newPooledTransactionHashes,
    message: () => encodeNewPooledHashes(69, [{ hash: NOBODYS, type: 2, size: 100 }]),
    why: /^timeout: The peer left 5 requests with the code 9 unanswered\.$/,
  },
  {
    what: 'transactions that are none',
    code: ETH.transactions,
    message: () => encodeRlp([Uint8Array.of(0x7f, 1, 2, 3)]),
    why: /^breachOfProtocol: The peer sent a malformed transaction\./,
  },
  {
    what: 'answers that nobody asked for',
    code: ETH.blockBodies,
    message: (id) => encodeIdentified({ id: id + 1_000n, content: encodeRlp([]) }),
    why: /^breachOfProtocol: .*unrequested answer/,
  },
]

for (const { what, code, message, why } of FLOODS) {
  test(`a peer that floods with ${what} is disconnected, and another serves`, TIMEOUT, async (t) => {
    const full = await node(t, BLOCKS)
    const target = await node(t, 0, { linkClock: pacedClock(PACE), pace: ASKING_PACE })
    let link: PeerLink | undefined
    const flooder = await node(
      t,
      0,
      deaf((found) => {
        link ??= found
      }),
    )
    const left: { readonly id: string; readonly why: string }[] = []
    target.network.left.subscribe(({ peer, end }) =>
      left.push({ id: peer.enode.id, why: `${end.reason}: ${end.sentence}` }),
    )
    flooder.network.maintain(target.enode)
    await until(() => link !== undefined)
    const flooding = flood(link!, code, message, () => left.length > 0)
    target.network.maintain(full.enode)
    await until(() => headOf(target) === BLOCKS)
    await flooding
    assert.match(left[0]!.why, why)
    await extend(full.chain)
    full.sync.headMoved()
    await until(() => headOf(target) === BLOCKS + 1)
    assert.deepEqual([...new Set(left.map(({ id }) => id))], [flooder.enode.id])
  })
}

/** Sends as fast as the connection accepts. */
async function flood(
  link: PeerLink,
  code: number,
  message: (id: bigint) => Uint8Array,
  isOver: () => boolean,
): Promise<void> {
  for (let sent = 1n; !isOver(); sent++) {
    if (!link.send(code, message(sent), 'bulk')) await link.drained()
    if (sent % BigInt(AT_ONCE) === 0n) await turn()
  }
}

/** The ranges announced to a peer while the head of the node moved by this many blocks. */
async function rangesTold(t: TestContext, blocks: number, pace: number): Promise<number[]> {
  const ranges: number[] = []
  const noting = sending((code, data) => {
    if (code === ETH.blockRangeUpdate) ranges.push(decodeBlockRange(data).latest)
    return data
  })
  const [mover, other] = [await node(t, 0, { ...noting, pace }), await node(t, 0)]
  other.network.maintain(mover.enode)
  await until(() => mover.network.peers()[0]?.protocols[0]?.facts?.latestBlock === 0)
  for (let moved = 0; moved < blocks; moved++) {
    await extend(mover.chain)
    mover.sync.headMoved()
  }
  return ranges
}

test(
  'a node that imports many blocks at once does not flood peers with range updates',
  TIMEOUT,
  async (t) => {
    assert.deepEqual(await rangesTold(t, 100, 0.01), [32])
  },
)

test('a node announces its range again after a pause', TIMEOUT, async (t) => {
  const ranges = await rangesTold(t, 64, 10)
  await until(() => ranges.at(-1) === 64)
})
