/** Sends contract logs to a Kafka topic, each at least once, in order per contract. See kafka-sink.md. */
import { compatibilityPartitioner, Producer, stringSerializers } from '@platformatic/kafka'
import { definePlugin } from 'cairn-node/plugin'

/** Half a minute: during a broker's restart the same batch is retried, and the broker accepts it once. */
const RETRIES = { retries: 60, retryDelay: 500 }
/** The limit of one request. A broker accepts batches of 1 MiB by default, and a block may have more. */
const MAX_REQUEST_CHARACTERS = 512 * 1024

interface Message {
  readonly topic: string
  readonly key: string
  readonly value: string
}

let producer: Producer<string, string, string, string> | undefined
let chainId = 0

function* inRequests(messages: readonly Message[]): Iterable<Message[]> {
  let request: Message[] = []
  let characters = 0
  for (const message of messages) {
    if (request.length > 0 && characters + message.value.length > MAX_REQUEST_CHARACTERS) {
      yield request
      request = []
      characters = 0
    }
    request.push(message)
    characters += message.value.length
  }
  if (request.length > 0) yield request
}

export default definePlugin({
  name: 'kafka',
  version: '1.0.0',
  options: {
    brokers: { type: 'list', default: [], help: 'Bootstrap brokers, as host:port.' },
    topic: { type: 'text', default: 'cairn-logs', help: 'An existing topic.' },
    addresses: { type: 'list', default: [], help: 'Contracts whose logs are sent; all by default.' },
  },
  metrics: {
    delivered: { kind: 'counter', help: 'Logs that the broker acknowledged' },
    refused: { kind: 'counter', help: 'Deliveries that failed and are tried again' },
  },
  register(node) {
    const { brokers } = node.options
    if (brokers.length === 0) throw new Error('--plugin-kafka-brokers is missing')
    producer = new Producer({
      clientId: 'cairn',
      bootstrapBrokers: [...brokers],
      // The broker waits for its replicas before it acknowledges, and accepts repeated records once.
      idempotent: true,
      // The partitioner of Java clients, so a key has the same partition for every writer.
      partitioner: compatibilityPartitioner,
      serializers: stringSerializers,
      ...RETRIES,
    })
  },
  async start(node) {
    chainId = Number(await node.request('eth_chainId'))
  },
  async stop() {
    await producer?.close()
  },
  on: {
    logs: {
      cursor: 'durable',
      fromBlock: 0,
      async handle(logs, node) {
        const { topic, addresses } = node.options
        const wanted = new Set(addresses.map((address) => address.toLowerCase()))
        const messages = logs
          .filter(({ address }) => wanted.size === 0 || wanted.has(address))
          .map((log) => ({
            topic,
            // One partition per contract, because Kafka keeps order within a partition.
            key: log.address,
            value: JSON.stringify({ ...log, id: `${chainId}:${log.id}`, chainId }),
          }))
        try {
          for (const request of inRequests(messages)) {
            await producer!.send({ messages: request })
            node.metrics.delivered.add(request.length)
          }
        } catch (error) {
          // The same block is delivered again.
          node.metrics.refused.add()
          throw error
        }
      },
    },
  },
})
