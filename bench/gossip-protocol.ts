/**
 * The protocol that `npm run bench -- gossip` runs on the peers thread. Like `eth`, it receives one transaction per
 * message, recovers the sender, passes batches to main and announces them to every peer.
 */
import { loadCrypto } from '#evm/crypto.ts'
import type { CreateProtocols } from '#p2p/threads/protocol-module.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { systemRandom } from '#platform/random.ts'
import { concatBytes } from '#types/bytes.ts'
import { benchProtocol } from './p2p-node.ts'

export const TRANSACTION = 0
export const ANNOUNCEMENT = 1
export const BULK = 2
export const DIGEST_BYTES = 32
export const SIGNATURE_BYTES = 65
const BATCH_MS = 20
const ANNOUNCE_MS = 100

export interface GossipTransaction {
  readonly data: Uint8Array
  readonly publicKey: Uint8Array
}

export type GossipOffers = {
  requests: {
    /** Queues this much for the only peer, in messages of 1 MB. */
    queueBulk: { params: number; result: number }
  }
  events: { transactions: readonly GossipTransaction[] }
}

export const createProtocols: CreateProtocols = async ({ line, clock, log }) => {
  const { recover } = await loadCrypto()
  let batch: GossipTransaction[] = []
  let digests: Uint8Array[] = []
  const { protocol, links } = benchProtocol('bench', (_, code, data) => {
    if (code !== TRANSACTION) return
    const digest = data.subarray(0, DIGEST_BYTES)
    const publicKey = recover(digest, data.subarray(DIGEST_BYTES, DIGEST_BYTES + SIGNATURE_BYTES))
    batch.push({ data, publicKey })
    digests.push(digest)
  })
  const channel = connectPort<GossipOffers, Record<never, never>>(
    line,
    {
      requests: {
        queueBulk: (bytes) => {
          // Incompressible data.
          const data = systemRandom.randomBytes(1_000_000)
          let queued = 0
          while (queued < bytes && links[0]!.send(BULK, data, 'bulk')) queued += data.length
          return queued
        },
      },
    },
    { clock, onError: (err) => log.relay('ERROR', 'Line to main failed', { err }) },
  )
  clock.every(BATCH_MS, () => {
    if (batch.length > 0) channel.publish('transactions', batch)
    batch = []
  })
  clock.every(ANNOUNCE_MS, () => {
    if (digests.length === 0) return
    const data = concatBytes(...digests)
    digests = []
    for (const link of links) link.send(ANNOUNCEMENT, data, 'bulk')
  })
  return { protocols: [protocol] }
}
