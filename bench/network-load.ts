/** Transactions for a network: sent to its nodes in turn, each sender always to the same node, and looked up in blocks. */
import { WebSocket } from 'ws'
import type { Transaction } from '#types/transaction/transaction.ts'
import { Connection, untilMs } from './keep-alive.ts'
import type { NetworkNode } from './network-nodes.ts'
import { requestOf } from './pool-workload.ts'

const CONNECTIONS = 64
const INCLUDED_MAX_MS = 300_000

/** The time when each transaction was sent, by hash, and when its node announced its block. */
export interface Sent {
  readonly atMs: number
  readonly node: number
}

export interface Load {
  readonly sent: ReadonlyMap<string, Sent>
  readonly beganMs: number
}

/** If `perSecond` is undefined, sends as fast as the nodes accept. */
export async function sendLoad(
  nodes: readonly NetworkNode[],
  transactions: readonly Transaction[],
  perSecond?: number,
): Promise<Load> {
  const sent = new Map<string, Sent>()
  const beganMs = performance.now()
  const lanesEach = Math.max(1, Math.floor(CONNECTIONS / nodes.length))
  const lanes = nodes.flatMap((node, at) => {
    // The workload's senders take turns, and the number of nodes divides their number.
    const own = transactions.map((_, index) => index).filter((index) => index % nodes.length === at)
    let next = 0
    return Array.from({ length: lanesEach }, async () => {
      const connection = await Connection.open(node.http)
      for (let turn = next++; turn < own.length; turn = next++) {
        const index = own[turn]!
        if (perSecond !== undefined) await untilMs(beganMs + (index * 1_000) / perSecond)
        const transaction = transactions[index]!
        sent.set(transaction.hash, { atMs: performance.now(), node: at })
        const answer = await connection.post(requestOf(transaction, index))
        if (answer.includes('"error"')) throw new Error(`A transaction was refused: ${answer.slice(0, 400)}`)
      }
      connection.close()
    })
  })
  await Promise.all(lanes)
  return { sent, beganMs }
}

export interface SeenBlock {
  readonly number: number
  readonly miner: string
  readonly atMs: number
  /** The header's time in whole seconds, on the clock of `atMs`. */
  readonly dueMs: number
  readonly transactions: readonly string[]
}

/** Learns of blocks by a subscription, like a client, and reads their content. */
export class BlockWatch {
  readonly blocks: SeenBlock[] = []
  readonly #socket: WebSocket
  readonly #connection: Connection
  #reading: Promise<void> = Promise.resolve()
  #failure: unknown

  private constructor(socket: WebSocket, connection: Connection) {
    this.#socket = socket
    this.#connection = connection
    socket.on('message', (data) => {
      const { params } = JSON.parse(String(data)) as { params?: { result: { hash: string } } }
      if (params === undefined) return
      const atMs = performance.now()
      this.#reading = this.#reading
        .then(() => this.#read(params.result.hash, atMs))
        .catch((error: unknown) => {
          this.#failure ??= error
        })
    })
  }

  static async open(node: NetworkNode): Promise<BlockWatch> {
    const socket = new WebSocket(`ws://127.0.0.1:${node.websocket}`)
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
    })
    const connection = await Connection.open(node.http)
    // The node closes a connection without a request after 15 s, and the first block may take longer.
    await connection.ask('eth_chainId')
    const watch = new BlockWatch(socket, connection)
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    return watch
  }

  /** Resolves with the time when the last of them was in a block; throws if some are missing after a long time. */
  async untilIncluded(hashes: Iterable<string>): Promise<number> {
    const missing = new Set(hashes)
    const deadline = performance.now() + INCLUDED_MAX_MS
    for (let from = 0; ; ) {
      if (this.#failure !== undefined) throw this.#failure
      for (; from < this.blocks.length; from++) {
        for (const hash of this.blocks[from]!.transactions) missing.delete(hash)
        if (missing.size === 0) return this.blocks[from]!.atMs
      }
      if (performance.now() > deadline) throw new Error(`${missing.size} transactions were not mined.`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  close(): void {
    this.#socket.terminate()
    this.#connection.close()
  }

  async #read(hash: string, atMs: number): Promise<void> {
    type Block = { number: string; timestamp: string; miner: string; transactions: string[] }
    const block = await this.#connection.ask<Block>('eth_getBlockByHash', hash, false)
    const { miner, transactions } = block
    const dueMs = Number(block.timestamp) * 1_000 - performance.timeOrigin
    this.blocks.push({ number: Number(block.number), miner, atMs, dueMs, transactions })
  }
}

/** Milliseconds from the POST to the announcement of its block, at the same node. */
export async function latencies({ sent }: Load, watches: readonly BlockWatch[]): Promise<number[]> {
  await Promise.all(
    watches.map((watch, at) =>
      watch.untilIncluded([...sent].filter(([, { node }]) => node === at).map(([hash]) => hash)),
    ),
  )
  return watches.flatMap(({ blocks }, at) =>
    blocks.flatMap(({ atMs, transactions }) =>
      transactions.flatMap((hash) => {
        const each = sent.get(hash)
        return each?.node === at ? [atMs - each.atMs] : []
      }),
    ),
  )
}

/**
 * For blocks with transactions: the delay from a block's time to its announcement, and the age of its youngest
 * transaction.
 */
export function blockDelays(
  { sent }: Load,
  watches: readonly BlockWatch[],
): { known: number[]; closed: number[] } {
  const known: number[] = []
  const closed: number[] = []
  for (const { atMs, dueMs, transactions } of watches.flatMap(({ blocks }) => blocks)) {
    const times = transactions.flatMap((hash) => sent.get(hash)?.atMs ?? [])
    if (times.length === 0) continue
    known.push(atMs - dueMs)
    closed.push(dueMs - Math.max(...times))
  }
  return { known, closed }
}
