/* A protocol module: one protocol in the peers thread, which echoes its messages. */
import type { PeerLink } from '#p2p/peers/protocol.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { systemRandom } from '#platform/random.ts'
import type { CreateProtocols } from './protocol-module.ts'

export type EchoOffers = {
  requests: {
    heard: { params: null; result: number }
    logsDebug: { params: null; result: boolean }
    /** Retains this many bytes forever. */
    leak: { params: number; result: null }
    /** Sends messages of 1 MB to every peer; returns the number of accepted bytes. */
    queueBulk: { params: number; result: number }
  }
}

export const createProtocols: CreateProtocols = async ({ config, line, clock, log }) => {
  const { version } = config as { readonly version: number }
  let heard = 0
  const links = new Set<PeerLink>()
  const queueBulk = (bytes: number): number => {
    // Incompressible.
    const data = systemRandom.randomBytes(1_000_000)
    let queued = 0
    for (const link of links) while (queued < bytes && link.send(1, data, 'bulk')) queued += data.length
    return queued
  }
  const leaked: Uint8Array[] = []
  const leak = (bytes: number): null => {
    leaked.push(new Uint8Array(bytes).fill(1))
    return null
  }
  const options = { clock, onError: (err: unknown) => log.relay('ERROR', 'Line failed', { err }) }
  connectPort<EchoOffers, Record<never, never>>(
    line,
    { requests: { heard: () => heard, logsDebug: () => log.isEnabled('DEBUG'), leak, queueBulk } },
    options,
  )
  return {
    protocols: [
      {
        name: 'echo',
        version,
        messageCount: 2,
        limitOf: () => ({ maxBytes: 1024 * 1024, perSecond: 10_000 }),
        connect: (link) => {
          links.add(link)
          return {
            onMessage(code, data) {
              heard++
              if (code === 0) link.send(1, data, 'bulk')
            },
            onClose: () => void links.delete(link),
          }
        },
      },
    ],
  }
}
