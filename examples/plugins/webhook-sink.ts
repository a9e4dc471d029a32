/** Sends contract logs to a URL, each at least once and in order. See webhook-sink.md. */
import { definePlugin } from 'cairn-node/plugin'

const ANSWER_MAX_MS = 10_000

export default definePlugin({
  name: 'webhook',
  version: '1.0.0',
  options: {
    url: { type: 'text', help: 'URL for the POST requests.' },
    addresses: { type: 'list', default: [], help: 'Contracts whose logs are sent; all by default.' },
    secret: { type: 'secret', help: 'Sent as bearer token, if there is one.' },
  },
  metrics: {
    delivered: { kind: 'counter', help: 'Logs that the receiver took' },
    refused: { kind: 'counter', help: 'Deliveries that failed and are tried again' },
  },
  register(node) {
    if (node.options.url === undefined) throw new Error('--plugin-webhook-url is missing')
  },
  on: {
    logs: {
      cursor: 'durable',
      fromBlock: 0,
      async handle(logs, node) {
        const { url, addresses, secret } = node.options
        const wanted = new Set(addresses.map((address) => address.toLowerCase()))
        const events = logs.filter(({ address }) => wanted.size === 0 || wanted.has(address))
        if (events.length === 0) return
        try {
          const response = await fetch(url!, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              ...(secret !== undefined && { authorization: `Bearer ${secret.reveal()}` }),
            },
            body: JSON.stringify({ events }),
            signal: AbortSignal.timeout(ANSWER_MAX_MS),
          })
          if (!response.ok) throw new Error(`${url} answered ${response.status}`)
        } catch (error) {
          // The same block is delivered again.
          node.metrics.refused.add()
          throw error
        }
        node.metrics.delivered.add(events.length)
      },
    },
  },
})
