/** Attacks by peers without a validator's key: each of them succeeded once. */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { decodePacket, encodePacket } from '#p2p/discv4/packet.ts'
import type { PeerLink } from '#p2p/peers/protocol.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { systemRandom } from '#platform/random.ts'
import { encodeNewBlock, encodeNewPooledHashes } from '#sync/wire/announcements.ts'
import { decodeGetBlockHeaders, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { bftBlockHash } from '#types/block/bft-header-hash.ts'
import { type BlockHeader, encodeHeader } from '#types/block/block-header.ts'
import type { Enode } from '#types/enode.ts'
import { hashFromBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { Conduct, Figures, SeenHead } from './hostile-peer.ts'
import { falseForkIds, floodDiscovery, type Spam, spam, wrongBlobs } from './public-attacks.ts'

export interface Attack {
  readonly name: string
  /** The peers' messages after the handshake. */
  readonly peers?: { readonly protocol: 'eth' | 'istanbul'; readonly conduct: Conduct }
  /** An attack without a peer connection, until the signal. */
  readonly run?: (targets: readonly Enode[], signal: AbortSignal, figures: Figures) => Promise<void>
}

export const SPAM = 'transactions with a nonce gap from many senders'

const MIB = 1024 * 1024
const LATER_SECONDS = 1_000_000n
const CLAIMED_BLOCKS = 1_000_000
const HEADERS = 192
/** A few headers of this size fill a response. */
const LARGE_EXTRA_BYTES = MIB - 2_000
const LARGE_HEADERS = 9
const BODY_BYTES = 4 * MIB
const QUESTIONS = 600
const ISTANBUL_CODE = 0x12
const ISTANBUL_BYTES = 120_000
const SILENT_SOCKETS = 160

/** Headers without seals that follow each other from the head on. */
function madeUp(head: SeenHead, count: number, change: Partial<BlockHeader>): Uint8Array[] {
  const made: Uint8Array[] = []
  let parentHash = head.hash
  for (let at = 1; at <= count && head.header !== undefined; at++) {
    const transactionsRoot = hashFromBytes(randomBytes(32))
    const number = BigInt(head.number + at)
    const header: BlockHeader = { ...head.header, number, parentHash, transactionsRoot, ...change }
    parentHash = bftBlockHash('qbft', header)
    made.push(encodeHeader(header))
  }
  return made
}

function answering(headers: (head: SeenHead) => readonly Uint8Array[], delayMs = 0): Conduct {
  return {
    claimedBlocks: CLAIMED_BLOCKS,
    answer: {
      delayMs,
      say: (code, data, link, head) => {
        if (code !== ETH.getBlockHeaders) return 0
        const { id } = decodeGetBlockHeaders(data)
        const content = encodeRlpList(headers(head))
        return link.send(ETH.blockHeaders, encodeIdentified({ id, content }), 'bulk') ? 1 : 0
      },
    },
  }
}

/** Hashing megabytes takes longer than an attack, so all peers send the same headers for a head. */
function oncePerHead(make: (head: SeenHead) => readonly Uint8Array[]): typeof make {
  let last: { readonly hash: string; readonly headers: readonly Uint8Array[] } | undefined
  return (head) => {
    if (head.header === undefined) return []
    if (last?.hash !== head.hash) last = { hash: head.hash, headers: make(head) }
    return last.headers
  }
}

function largeExtraData({ header }: SeenHead): Partial<BlockHeader> {
  if (header === undefined) return {}
  const content = decodeBftExtraData('qbft', header.extraData)
  const vanity = new Uint8Array(LARGE_EXTRA_BYTES)
  return { extraData: encodeBftExtraData('qbft', { ...content, vanity, seals: [] }) }
}

/** A block on the head with an unsealed header. */
function tellBlock(transactions: Uint8Array, change: (header: BlockHeader) => Partial<BlockHeader>): Conduct {
  const say = (link: PeerLink, { header, hash, number }: SeenHead): number => {
    if (header === undefined) return 0
    const next = { ...header, number: BigInt(number + 1), parentHash: hash, ...change(header) }
    const empty = encodeRlpList([])
    const block = encodeRlpList([encodeHeader(next), transactions, empty, empty])
    return link.send(ETH.newBlock, encodeNewBlock({ block, totalDifficulty: 1n }), 'bulk') ? 1 : 0
  }
  return { repeat: { everyMs: 150, say } }
}

const SMALL = encodeRlp([1, 1, 1, 1, 1, 1, 1, 1, 1].map((byte) => Uint8Array.of(byte)))
const LARGE_BODY = encodeRlpList(Array.from({ length: BODY_BYTES / SMALL.length }, () => SMALL))

const unpaid: Conduct['repeat'] = {
  everyMs: 100,
  say: (link) => {
    const hashes = Array.from({ length: 64 }, () => hashFromBytes(randomBytes(32)))
    const told = hashes.map((hash) => ({ hash, type: 2, size: 120 }))
    return link.send(ETH.newPooledTransactionHashes, encodeNewPooledHashes(69, told), 'bulk') ? 1 : 0
  },
}

const burst: Conduct['repeat'] = {
  everyMs: 2_200,
  say: (link) => {
    const what = { from: 0n, count: 512n, skip: 0n, isReverse: false }
    for (let id = 1n; id <= QUESTIONS; id++)
      link.send(ETH.getBlockHeaders, encodeGetBlockHeaders({ id, what }), 'bulk')
    return QUESTIONS
  },
}

const strangers: Conduct['repeat'] = {
  everyMs: 50,
  say: (link) => {
    const signature = Uint8Array.from(randomBytes(65))
    signature[64] = 0
    const payload = [Uint8Array.of(5), new Uint8Array(0), [randomBytes(16), new Uint8Array(ISTANBUL_BYTES)]]
    return link.send(
      ISTANBUL_CODE,
      encodeRlp([
        [payload, signature],
        [[], []],
      ]),
      'urgent',
    )
      ? 1
      : 0
  },
}

const eth = (name: string, conduct: Conduct): Attack => ({ name, peers: { protocol: 'eth', conduct } })

export const attacks = (spammed: Pick<Spam, 'transactions'>, targets: number): readonly Attack[] => [
  eth(
    'headers from the future',
    answering((head) => madeUp(head, HEADERS, { timestamp: (head.header?.timestamp ?? 0n) + LATER_SECONDS })),
  ),
  eth(
    'claims that are answered after nine seconds',
    answering(() => [], 9_000),
  ),
  eth(
    'headers that nobody sealed',
    answering((head) => madeUp(head, HEADERS, {})),
  ),
  eth(
    'headers of one megabyte',
    answering(oncePerHead((head) => madeUp(head, LARGE_HEADERS, largeExtraData(head)))),
  ),
  eth(
    'large blocks from the future',
    tellBlock(LARGE_BODY, ({ timestamp }) => ({ timestamp: timestamp + LATER_SECONDS })),
  ),
  eth(
    'large blocks that cannot be decoded',
    tellBlock(LARGE_BODY, ({ timestamp }) => ({ timestamp: timestamp + 1n })),
  ),
  eth('transactions that are announced and never given', { repeat: unpaid }),
  eth('bursts of questions for headers', { repeat: burst }),
  {
    name: 'consensus messages of strangers',
    peers: { protocol: 'istanbul', conduct: { repeat: strangers } },
  },
  eth('another fork in the status', falseForkIds),
  eth('blobs with wrong proofs', wrongBlobs()),
  eth(SPAM, spam(spammed, targets)),
  { name: 'discovery questions from unproven addresses', run: floodDiscovery },
  { name: 'sockets that say nothing', run: holdSockets },
  { name: 'replayed discovery packets', run: replayPings },
]

/** Uses several addresses, because a node counts sockets per address. */
async function holdSockets(targets: readonly Enode[], signal: AbortSignal, figures: Figures): Promise<void> {
  const hold = async (to: Enode, localAddress: string): Promise<void> => {
    while (!signal.aborted) {
      const socket = connect({ host: to.host, port: to.tcpPort!, localAddress })
      figures.connections += 1
      const onOver = () => socket.destroy()
      signal.addEventListener('abort', onOver, { once: true })
      socket.on('error', () => {})
      await new Promise((resolve) => void socket.once('close', resolve))
      signal.removeEventListener('abort', onOver)
      await new Promise((resolve) => void setTimeout(resolve, 20))
    }
  }
  await Promise.all(
    Array.from({ length: SILENT_SOCKETS }, (_, at) =>
      hold(targets[at % targets.length]!, `127.0.0.${2 + (at % 5)}`),
    ),
  )
}

/** A node answers a PING with its own signed PING, which the attacker sends to other nodes from another address. */
async function replayPings(targets: readonly Enode[], signal: AbortSignal, figures: Figures): Promise<void> {
  const { parts } = await testNode(systemRandom)
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', () => resolve()))
  socket.on('message', (bytes, { port }) => {
    if (signal.aborted || decodePacket(bytes, parts.keccak).packet.type !== 'ping') return
    for (const { udpPort, host } of targets) {
      if (udpPort === port) continue
      socket.send(bytes, udpPort!, host)
      figures.messages += 1
    }
  })
  while (!signal.aborted) {
    for (const { udpPort, host } of targets) {
      const { parts: stranger } = await testNode(systemRandom)
      const expirationSeconds = Math.floor(Date.now() / 1_000) + 60
      const ends = { from: { ip: host, udpPort: socket.address().port, tcpPort: 1 } }
      const to = { ip: host, udpPort: udpPort!, tcpPort: 1 }
      const ping = { type: 'ping', ...ends, to, expirationSeconds, recordSequence: null } as const
      const { bytes } = await encodePacket(stranger.nodeKey, stranger.keccak, ping)
      socket.send(bytes, udpPort!, host)
    }
    await new Promise((resolve) => void setTimeout(resolve, 100))
  }
  socket.close()
}
