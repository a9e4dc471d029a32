/** The flooding user of fair.ts: traces, long calls and batches, over connections that never wait. */
import { parentPort, workerData } from 'node:worker_threads'
import { Connection } from './keep-alive.ts'

export interface FloodOrder {
  readonly port: number
  readonly token: string
}

export interface FloodCounts {
  readonly answered: number
  readonly refused: number
}

const CONNECTIONS = 32
const BATCH_SIZE = 100
/** Loops until its gas is used up. */
const LOOP = { data: '0x5b600056' }

const call = (method: string, ...params: unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const BODIES = [
  // A trace of several megabytes.
  call('trace_call', { ...LOOP, gas: '0x30d40' }, ['vmTrace'], 'latest'),
  call('debug_traceCall', { ...LOOP, gas: '0x30d40' }, 'latest'),
  // Takes some tenths of a second.
  call('eth_call', { ...LOOP, gas: '0x5f5e100' }, 'latest'),
  `[${Array(BATCH_SIZE)
    .fill(call('eth_getBlockByNumber', 'latest', true))
    .join(',')}]`,
]

const { port, token } = workerData as FloodOrder
let isStopped = false
let answered = 0
let refused = 0

async function lane(index: number): Promise<void> {
  while (!isStopped) {
    // A connection that was cut off reconnects.
    try {
      const connection = await Connection.open(port, `authorization: Bearer ${token}\r\n`)
      for (let next = index; !isStopped; next++) {
        const answer = await connection.post(BODIES[next % BODIES.length]!)
        if (answer.includes('"code":-32005')) refused++
        else answered++
      }
      connection.close()
    } catch {}
  }
}

const lanes = Array.from({ length: CONNECTIONS }, (_, index) => lane(index))
parentPort!.once('message', async () => {
  isStopped = true
  await Promise.race([Promise.all(lanes), new Promise((resolve) => setTimeout(resolve, 3_000))])
  parentPort!.postMessage({ answered, refused } satisfies FloodCounts)
})
