/* A module as others bring it: one protocol in the thread of peers, which sends back what it hears. */
import { connectPort } from '#platform/channel/port-pair.ts'
import type { CreateProtocols } from './protocol-module.ts'

export type EchoOffers = { requests: { heard: { params: null; result: number } } }

export const createProtocols: CreateProtocols = async ({ config, line, clock, log }) => {
  const { version } = config as { readonly version: number }
  let heard = 0
  const options = { clock, onError: (err: unknown) => log.error('The line failed.', { err }) }
  connectPort<EchoOffers, Record<never, never>>(line, { requests: { heard: () => heard } }, options)
  return {
    protocols: [
      {
        name: 'echo',
        version,
        messageCount: 2,
        limitOf: () => ({ maxBytes: 1024 * 1024, perSecond: 10_000 }),
        connect: (link) => ({
          onMessage(code, data) {
            heard++
            if (code === 0) link.send(1, data, 'bulk')
          },
        }),
      },
    ],
  }
}
