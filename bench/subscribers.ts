/*
 * Measures a validator with many WebSocket clients. Each client subscribes to heads and to the token transfers of one
 * recipient, while transfers are sent at a fixed rate. A head's delay counts from the log line about its import. A second
 * node gets the same transfers and has no clients, so its growth is not counted as memory of connections.
 *
 *   npm run bench -- subscribers                                    10,000 clients for ten minutes
 *   npm run bench -- subscribers --connections 500 --seconds 20
 *   npm run bench -- subscribers --connections 500 --stalled 5000    with clients that do not read
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { formatData } from '#types/hex.ts'
import { watchMachine } from '../test/support/busy-machine.ts'
import { memoryOf } from '../test/support/memory-of.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { Connection, untilMs } from './keep-alive.ts'
import { startCairn } from './pool-targets.ts'
import { recipientOf, requestOf, signOne, TOKEN_ADDRESS } from './pool-workload.ts'
import type { SubscriberCounts, SubscriberOrder } from './subscriber-load.ts'

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    /** Further clients that subscribe to complete blocks and read nothing. */
    stalled: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '600' },
    /** Token transfers per second. Each is a log of one client, until every client had one. */
    rate: { type: 'string', default: '20' },
  },
})

const CONNECTIONS = Number(values.connections)
const STALLED = Number(values.stalled)
const RATE = Number(values.rate)
const TRANSFERS = Number(values.seconds) * RATE
const MAX_DELAY_MS = 1_000
const MAX_DELAY_BUSY_MS = 3_000
const MAX_CONNECTION_KB = 20
/** Fewer clients do not show the memory of one, because heaps grow in steps. */
const JUDGED_CONNECTIONS = 5_000
/** The last transfers are in a block, and its heads have arrived. */
const SETTLE_MS = 3_000
const KB_PER_MB = 1_024

interface Imported {
  readonly atMs: number
  readonly periodMs: number
}

function watchBlocks() {
  const blocks = new Map<number, Imported>()
  let websocket = 0
  let last: number | undefined
  const onLine = (line: string): void => {
    websocket ||= Number(/Websocket service started and listening on \S+:(\d+)/.exec(line)?.[1] ?? 0)
    if (!line.includes('Imported block')) return
    const { time, fields } = JSON.parse(line) as { time: string; fields: { number: number } }
    const atMs = Date.parse(time)
    blocks.set(fields.number, { atMs, periodMs: last === undefined ? Number.NaN : atMs - last })
    last = atMs
  }
  return { blocks, onLine, port: () => websocket }
}

async function sendTransfers(ports: readonly number[]): Promise<void> {
  const connections = await Promise.all(ports.map((port) => Connection.open(port)))
  const beganMs = performance.now()
  for (let index = 0; index < TRANSFERS; index++) {
    await untilMs(beganMs + (index * 1_000) / RATE)
    const request = requestOf(signOne('ERC-20', index), index)
    for (const connection of connections) {
      const answer = await connection.post(request)
      if (answer.includes('"error"')) throw new Error(`A transaction was refused: ${answer.slice(0, 400)}`)
    }
  }
  for (const connection of connections) connection.close()
  await untilMs(performance.now() + SETTLE_MS)
}

function recipients(): string[] {
  return Array.from({ length: CONNECTIONS }, (_, client) =>
    formatData(Buffer.concat([new Uint8Array(12), recipientOf(client)])),
  )
}

const watched = watchBlocks()
const args = [
  '--rpc-http-api=ETH',
  '--rpc-ws-enabled',
  '--rpc-ws-port=0',
  `--rpc-ws-max-active-connections=${CONNECTIONS + STALLED}`,
]
const target = await startCairn({ args, onLine: watched.onLine })
const control = await startCairn({ args, onLine: () => {} })
try {
  const machine = watchMachine(target.pid, control.pid)
  const before = memoryOf([target.pid]).rssMb
  const controlBefore = memoryOf([control.pid]).rssMb
  const workerData: SubscriberOrder = {
    port: watched.port(),
    connections: CONNECTIONS,
    stalled: STALLED,
    token: TOKEN_ADDRESS,
    recipients: recipients(),
  }
  const openedMs = performance.now()
  const worker = new Worker(new URL('./subscriber-load.ts', import.meta.url), { workerData })
  await once(worker, 'message')
  console.log(
    `${CONNECTIONS} clients subscribed after ${((performance.now() - openedMs) / 1_000).toFixed(1)} s`,
  )
  const perConnection = ((memoryOf([target.pid]).rssMb - before) * KB_PER_MB) / CONNECTIONS
  const firstCounted = Math.max(...watched.blocks.keys()) + 1
  const cpuBefore = cpuSecondsOf(target.pid)
  const beganMs = performance.now()
  await sendTransfers([target.port, control.port])
  const lastCounted = Math.max(...watched.blocks.keys()) - 1
  const seconds = (performance.now() - beganMs) / 1_000
  const cpu = (cpuSecondsOf(target.pid) - cpuBefore) / seconds
  const controlGrowth = memoryOf([control.pid]).rssMb - controlBefore
  const growth = memoryOf([target.pid]).rssMb - before
  const grown = ((growth - controlGrowth) * KB_PER_MB) / CONNECTIONS
  const isBusy = machine.isBusy({ diagnostic: console.log })
  worker.postMessage('stop')
  const [counts] = (await once(worker, 'message')) as [SubscriberCounts]
  const arrivals = new Map(counts.heads.map(({ number, atMs }) => [number, atMs]))
  const delays: number[] = []
  let missing = 0
  for (let number = firstCounted; number <= lastCounted; number++) {
    const { atMs } = watched.blocks.get(number)!
    const times = arrivals.get(number) ?? new Float64Array(0)
    missing += CONNECTIONS - times.length
    for (const time of times) delays.push(time - atMs)
  }
  const periods = [...watched.blocks]
    .filter(([number]) => number >= firstCounted && number <= lastCounted)
    .map(([, { periodMs }]) => periodMs)
  const show = (all: readonly number[]): string =>
    [50, 99, 100].map((each) => `p${each} ${percentile(all, each).toFixed(0)} ms`).join(', ')
  const wantedLogs = Math.min(TRANSFERS, CONNECTIONS)
  console.log(
    `${delays.length} heads of ${lastCounted - firstCounted + 1} blocks arrived, ${missing} are missing`,
  )
  console.log(`${counts.logs} of ${wantedLogs} logs arrived; the node closed ${counts.closed} connections`)
  console.log(`import to arrival: ${show(delays)}`)
  console.log(`between blocks: ${show(periods)}`)
  console.log(
    `memory per connection: ${perConnection.toFixed(1)} kB when opened, ${grown.toFixed(1)} kB at the end`,
  )
  console.log(
    `memory of the node: ${growth.toFixed(0)} MB more than before the clients; without clients, ${controlGrowth.toFixed(0)} MB more`,
  )
  console.log(`CPU of the node: ${cpu.toFixed(2)} cores`)
  const isComplete = missing === 0 && counts.logs === wantedLogs && counts.closed === 0
  const isInTime = percentile(delays, 99) <= (isBusy ? MAX_DELAY_BUSY_MS : MAX_DELAY_MS)
  const isSmall =
    CONNECTIONS < JUDGED_CONNECTIONS || STALLED > 0 || Math.max(perConnection, grown) <= MAX_CONNECTION_KB
  if (!isComplete || !isInTime || !isSmall) process.exitCode = 1
} finally {
  await Promise.all([target.stop(), control.stop()])
}
