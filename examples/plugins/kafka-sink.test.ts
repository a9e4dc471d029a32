/*
 * The Kafka sink in the real program, with a real broker. Both are killed at random moments while contracts emit logs.
 * Afterwards the topic contains every log of the chain, in order per contract, and duplicates were in flight at a kill.
 *
 * CAIRN_KAFKA_SEED repeats a run; CAIRN_KAFKA_EVENTS and CAIRN_KAFKA_KILLS set its size (npm run nightly -- kafka: 10,000
 * and 20).
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Admin, Consumer, MessagesStreamModes, stringDeserializers } from '@platformatic/kafka'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { type KafkaBroker, makeBroker, withoutKafka } from '../../test/support/kafka-broker.ts'
import { openRpcClient } from '../../test/support/rpc-client.ts'
import type { RunningNode } from '../../test/support/running-node.ts'
import { signedTransfer } from '../../test/support/signed-transfer.ts'
import { makeNetwork, start, type ValidatorNetwork } from '../../test/support/validator-network.ts'

const EVENTS = Number(process.env.CAIRN_KAFKA_EVENTS ?? 400)
const KILLS = Number(process.env.CAIRN_KAFKA_KILLS ?? 2)
const SEED = Number(process.env.CAIRN_KAFKA_SEED ?? Date.now() % 2 ** 31)

const TOPIC = 'logs'
const PARTITIONS = 3
const CHAIN_ID = 1337
const [sender] = DEV_ACCOUNTS
const CONTRACTS = ['c1', 'c2', 'c3', 'c4', 'c5'].map((byte) => parseAddress(byte.repeat(20)))
/** Emits its call data as a log without topics, five times. */
const LOGS_PER_CALL = 5
const CODE = `0x366000600037${'366000a0'.repeat(LOGS_PER_CALL)}00`
const CALLS = Math.ceil(EVENTS / LOGS_PER_CALL)
const CALLS_PER_SECOND = 80
/** The logs of one call exceed the broker's batch limit. */
const LONG_CALL = { at: 7, bytes: 110_000, gasLimit: 8_000_000n }
const BLOCK_PERIOD_MS = 100
const DELIVERED_WITHIN_MS = 120_000
/** A batch in flight at a kill was created shortly before. */
const UNDER_WAY_MS = 1_000
const LOGS_RANGE = 1_000
/** A few blocks. */
const BETWEEN_KILLS_MS = 300

interface ChainLog {
  readonly id: string
  readonly address: string
  readonly data: string
  readonly blockNumber: number
}

interface DeliveredLog extends ChainLog {
  readonly partition: number
  readonly madeMs: number
}

/** The time from the kill until all run again. */
interface Outage {
  readonly fromMs: number
  readonly toMs: number
}

type Part = 'node' | 'broker'

/** Kills both, the node while its sink has no broker; then one of them; and repeats. */
function planOf(kills: number): readonly (readonly Part[])[] {
  const turns: readonly (readonly Part[])[] = [['broker', 'node'], ['node'], ['broker']]
  const plan: (readonly Part[])[] = []
  for (let left = kills; left > 0; left -= plan.at(-1)!.length)
    plan.push(turns[plan.length % turns.length]!.slice(0, left))
  return plan
}

async function ask(node: RunningNode, method: string, ...params: unknown[]): Promise<unknown> {
  const client = openRpcClient(node.http)
  try {
    const { result, error } = await client.call(method, ...params)
    assert.equal(error, undefined, `${method}: ${error?.message}`)
    return result
  } finally {
    client.close()
  }
}

async function callsInChain(node: RunningNode): Promise<number> {
  return Number(await ask(node, 'eth_getTransactionCount', sender!.address, 'latest'))
}

/** Calls contracts at a steady rate, until the number of calls is reached or the node has ended. */
async function callUpTo(node: RunningNode, end: number): Promise<void> {
  const first = await callsInChain(node).catch(() => end)
  const beganMs = performance.now()
  const client = openRpcClient(node.http)
  for (let at = first; at < end; at++) {
    const dueMs = beganMs + ((at - first) * 1_000) / CALLS_PER_SECOND
    await pause(Math.max(0, dueMs - performance.now()))
    const isLong = at === LONG_CALL.at
    const text = signedTransfer(sender!, BigInt(at), {
      to: CONTRACTS[at % CONTRACTS.length]!,
      data: isLong ? new Uint8Array(LONG_CALL.bytes).fill(1) : Buffer.from(`call ${at}`),
      gasLimit: isLong ? LONG_CALL.gasLimit : 100_000n,
    })
    const answer = await client.call('eth_sendRawTransaction', text).catch(() => undefined)
    if (answer === undefined) break
    // After a kill, blocks may already contain earlier transactions.
    assert.match(answer.error?.message ?? '', /^$|Known transaction|Nonce too low/)
  }
  client.close()
}

async function logsOfChain(node: RunningNode): Promise<readonly ChainLog[]> {
  const head = Number(await ask(node, 'eth_blockNumber'))
  const logs: ChainLog[] = []
  for (let from = 0; from <= head; from += LOGS_RANGE) {
    const toBlock = `0x${Math.min(head, from + LOGS_RANGE - 1).toString(16)}`
    const found = await ask(node, 'eth_getLogs', { fromBlock: `0x${from.toString(16)}`, toBlock })
    for (const { address, data, blockNumber, blockHash, logIndex } of found as Record<string, string>[])
      logs.push({
        id: `${CHAIN_ID}:${blockHash}:${Number(logIndex)}`,
        address: address!,
        data: data!,
        blockNumber: Number(blockNumber),
      })
  }
  return logs
}

/** Reads the topic until `stop` completes, which is called when every log was seen. */
async function readTopic(
  { address }: KafkaBroker,
  expected: readonly ChainLog[],
  stop: () => Promise<void>,
): Promise<readonly DeliveredLog[]> {
  const consumer = new Consumer({
    clientId: 'test',
    groupId: randomUUID(),
    bootstrapBrokers: [address],
    deserializers: stringDeserializers,
    autocommit: false,
    maxWaitTime: 200,
  })
  const stream = await consumer.consume({ topics: [TOPIC], mode: MessagesStreamModes.EARLIEST })
  const delivered: DeliveredLog[] = []
  const missing = new Set(expected.map(({ id }) => id))
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  stream.on('data', ({ key, value, partition, timestamp }) => {
    const log = JSON.parse(value) as ChainLog
    assert.equal(key, log.address)
    missing.delete(log.id)
    delivered.push({ ...log, partition, madeMs: Number(timestamp) })
  })
  const until = async (isDone: () => boolean, what: string) => {
    const endMs = performance.now() + DELIVERED_WITHIN_MS
    while (!isDone()) {
      if (failure !== undefined) throw failure
      assert.ok(performance.now() < endMs, what)
      await pause(50)
    }
  }
  await until(() => missing.size === 0, 'every log is delivered')
  await stop()
  const ends = (await consumer.listOffsets({ topics: [TOPIC] })).get(TOPIC)!
  const count = Number(ends.reduce((sum, end) => sum + end, 0n))
  await until(() => delivered.length >= count, 'the topic is read to its end')
  await consumer.close(true)
  return delivered
}

/** Returns the number of duplicates. */
function requireDelivered(
  expected: readonly ChainLog[],
  delivered: readonly DeliveredLog[],
  outages: readonly Outage[],
): number {
  const known = new Map(expected.map((log) => [log.id, log]))
  const latest = new Map<string, DeliveredLog>()
  const inOrder: ChainLog[] = []
  const lastOf = new Map<string, DeliveredLog>()
  const repeated = new Set<string>()
  for (const log of delivered) {
    const { id, address, data, blockNumber, partition, madeMs } = log
    assert.deepEqual(
      { id, address, data, blockNumber },
      known.get(id),
      'a message differs from the log in the chain',
    )
    const before = lastOf.get(address) ?? log
    assert.equal(partition, before.partition, 'a contract has one partition')
    assert.ok(blockNumber >= before.blockNumber, 'a repeated block came after a later one')
    lastOf.set(address, log)
    const copy = latest.get(id)
    latest.set(id, log)
    if (copy === undefined) inOrder.push(known.get(id)!)
    else {
      const wasUnderWay = ({ fromMs, toMs }: Outage) => copy.madeMs <= toMs && madeMs >= fromMs - UNDER_WAY_MS
      assert.ok(outages.some(wasUnderWay), `${id} came twice without a kill`)
      repeated.add(`${blockNumber}`)
    }
  }
  assert.equal(inOrder.length, expected.length, 'no log is lost')
  for (const contract of CONTRACTS) {
    const ofContract = (logs: readonly ChainLog[]) =>
      logs.filter(({ address }) => address === contract).map(({ id }) => id)
    assert.deepEqual(
      ofContract(inOrder),
      ofContract(expected),
      'logs of a contract are in order, and all there',
    )
  }
  assert.ok(repeated.size <= KILLS, `${repeated.size} blocks were repeated after ${KILLS} kills`)
  return delivered.length - expected.length
}

async function makeTopic(broker: KafkaBroker): Promise<void> {
  const admin = new Admin({ clientId: 'test', bootstrapBrokers: [broker.address] })
  await admin.createTopics({ topics: [TOPIC], partitions: PARTITIONS, replicas: 1 })
  await admin.close()
}

function makeSinkNetwork(context: TestContext, broker: KafkaBroker): ValidatorNetwork {
  const alloc = {
    [sender!.address]: { balance: `0x${(10n ** 24n).toString(16)}` },
    ...Object.fromEntries(CONTRACTS.map((contract) => [contract, { balance: '0x0', code: CODE }])),
  }
  const network = makeNetwork(context, 'qbft', alloc, BLOCK_PERIOD_MS)
  const sink = fileURLToPath(new URL('./kafka-sink.ts', import.meta.url))
  const options = [
    `--plugins=${sink}`,
    `--plugin-kafka-brokers=${broker.address}`,
    `--plugin-kafka-topic=${TOPIC}`,
  ]
  return { ...network, args: [...network.args, ...options] }
}

test(`the Kafka sink delivers ${EVENTS} logs over ${KILLS} kills of node and broker (CAIRN_KAFKA_SEED=${SEED})`, {
  skip: withoutKafka() ?? false,
}, async (context) => {
  const random = createSeededRandom(SEED)
  const broker = await makeBroker(context)
  const starting = broker.start()
  const network = makeSinkNetwork(context, broker)
  let node!: RunningNode
  const startParts: Record<Part, () => Promise<void>> = {
    node: async () => {
      node = await start(context, network)
    },
    broker: () => broker.start(),
  }
  await starting
  await startParts.node()
  await makeTopic(broker)
  const plan = planOf(KILLS)
  const outages: Outage[] = []
  for (const [turn, parts] of plan.entries()) {
    const end = Math.ceil((CALLS * (turn + 1)) / (plan.length + 1))
    const calling = callUpTo(node, end)
    // In the first half, so there are calls during the outage.
    await pause(random.randomBelow(Math.ceil((CALLS * 500) / CALLS_PER_SECOND / (plan.length + 1))))
    const fromMs = Date.now()
    for (const part of parts) {
      await (part === 'node' ? node.kill() : broker.kill())
      await pause(BETWEEN_KILLS_MS)
    }
    // The node returns before its broker and waits for it.
    for (const part of parts.toReversed()) await startParts[part]()
    outages.push({ fromMs, toMs: Date.now() })
    await calling
  }
  while ((await callsInChain(node)) < CALLS) await callUpTo(node, CALLS)
  const expected = await logsOfChain(node)
  assert.equal(expected.length, CALLS * LOGS_PER_CALL)
  const delivered = await readTopic(broker, expected, async () => {
    assert.equal(await node.stop(), 0, node.output())
  })
  const duplicates = requireDelivered(expected, delivered, outages)
  const killed = (part: Part) => plan.filter((parts) => parts.includes(part)).length
  context.diagnostic(
    `seed ${SEED}: ${expected.length} events, none lost, ${duplicates} duplicates, ${killed('node')} kills of the node, ${killed('broker')} of the broker`,
  )
})
