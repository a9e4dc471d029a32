/**
 * The reading thread of bench/state.ts: it reads balances of random holders at the head, 500 blocks back and at block
 * 1 as fast as it can, while the writer's thread permits it. Or it only computes, to separate the cost of a busy core
 * from the cost of the store.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { openStoreReader } from '#store/open-store.ts'

export interface ReaderInput {
  readonly path: string
  readonly historyBlocks: number
  readonly cacheBytes: number
  /** 20 bytes per address. */
  readonly addresses: Uint8Array
  /** Int32: [mode, number of balances read]. */
  readonly control: SharedArrayBuffer
}

export const READER = { wait: 0, read: 1, stop: 2, spin: 3 } as const
export const CONTROL = { order: 0, reads: 1 } as const

/** Reads between two checks of the control and the head. */
const BURST = 300
/** Bytes hashed between two checks of the control. */
const SPIN_BYTES = 4096
const BACK_BLOCKS = 500
const ADDRESS_BYTES = 20

if (parentPort !== null) await readUntilStopped(workerData as ReaderInput)

async function readUntilStopped(input: ReaderInput): Promise<void> {
  const { addresses, control, ...options } = input
  const cells = new Int32Array(control)
  const random = createSeededRandom(2)
  const store = await openStoreReader(options)
  parentPort!.postMessage('ready')
  for (;;) {
    const order = Atomics.load(cells, CONTROL.order)
    if (order === READER.stop) break
    if (order === READER.wait) {
      Atomics.wait(cells, CONTROL.order, READER.wait)
      continue
    }
    if (order === READER.spin) {
      random.randomBytes(SPIN_BYTES)
      continue
    }
    const head = store.head()!.number
    const states = [head, Math.max(1, head - BACK_BLOCKS), 1].map((number) => store.stateAt(number))
    for (let index = 0; index < BURST; index++) {
      const at = random.randomBelow(addresses.length / ADDRESS_BYTES) * ADDRESS_BYTES
      states[index % states.length]!.account(addresses.subarray(at, at + ADDRESS_BYTES))
    }
    Atomics.add(cells, CONTROL.reads, BURST)
  }
  await store.close()
}
