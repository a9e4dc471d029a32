/** Some of the peers of `npm run bench -- gossip`: they send transactions at a steady rate and answer consensus messages. */
import { systemClock } from '#platform/clock.ts'
import { systemRandom } from '#platform/random.ts'
import { sign } from '#types/curve.ts'
import { parseEnode } from '#types/enode.ts'
import { keccak256 } from '#types/keccak.ts'
import { BULK, DIGEST_BYTES, SIGNATURE_BYTES, TRANSACTION } from './gossip-protocol.ts'
import { benchProtocol, startBenchPeer } from './p2p-node.ts'

export interface GossipOrder {
  readonly enode: string
  readonly peers: number
  readonly perSecond: number
}

const TICK_MS = 10
/** Signed once and sent repeatedly. */
const KINDS = 200
const PAYLOAD_BYTES = 200

process.once('message', (order: GossipOrder) => void run(order))

async function run({ enode, peers: count, perSecond }: GossipOrder): Promise<void> {
  const transactions = Array.from({ length: KINDS }, makeTransaction)
  let bulkBytes = 0
  const peers = await Promise.all(
    Array.from({ length: count }, () => {
      const bft = benchProtocol('bft', (link, code, data) => {
        // The arrival time, and the bytes that arrived before.
        process.send!({ arrivedMs: systemClock.monotonicMs(), bulkBytes })
        link.send(code, data, 'urgent')
      })
      return startBenchPeer(
        (_, code, data) => {
          if (code === BULK) bulkBytes += data.length
        },
        [bft.protocol],
      )
    }),
  )
  for (const { network } of peers) network.maintain(parseEnode(enode))
  while (!peers.every(({ links }) => links.length === 1)) await pause()
  process.send!('connected')
  const startMs = systemClock.monotonicMs()
  let sent = 0
  systemClock.every(TICK_MS, () => {
    const due = ((systemClock.monotonicMs() - startMs) * perSecond) / 1_000
    for (; sent < due; sent++) {
      peers[sent % count]!.links[0]?.send(TRANSACTION, transactions[sent % KINDS]!, 'bulk')
    }
  })
}

function makeTransaction(): Uint8Array {
  const data = systemRandom.randomBytes(PAYLOAD_BYTES)
  const key = keccak256(data)
  const digest = keccak256(key)
  data.set(digest)
  data.set(sign(key, digest), DIGEST_BYTES)
  return data.subarray(0, Math.max(PAYLOAD_BYTES, DIGEST_BYTES + SIGNATURE_BYTES))
}

function pause(): Promise<void> {
  return new Promise((resolve) => void systemClock.after(20, () => resolve()))
}
