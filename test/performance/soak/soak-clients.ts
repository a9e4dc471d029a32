/** Clients of a soak test: subscribers over WebSocket, polling filters and traces. */
import { openRpcClient } from '../../support/rpc-client.ts'

interface Notification {
  readonly id?: number
  readonly result?: string
  readonly error?: unknown
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: { readonly number?: string } }
}

/** One connection that subscribes to heads, and to other events that are only counted. */
export class HeadSubscriber {
  readonly numbers: number[] = []
  others = 0
  /** Undefined while it is connected. */
  closed: string | undefined
  readonly #socket: WebSocket
  #heads: string | undefined

  private constructor(socket: WebSocket) {
    this.#socket = socket
  }

  static async open(port: number, kinds: readonly string[]): Promise<HeadSubscriber> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`)
    const subscriber = new HeadSubscriber(socket)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', reject)
    })
    const subscribed = new Promise<void>((resolve, reject) => {
      let answered = 0
      socket.addEventListener('message', ({ data }) => {
        const message = JSON.parse(String(data)) as Notification
        subscriber.#onMessage(message)
        if (message.error !== undefined) reject(new Error(JSON.stringify(message.error)))
        if (message.id !== undefined && ++answered > kinds.length) resolve()
      })
    })
    socket.addEventListener('close', ({ code, reason }) => {
      subscriber.closed = `${code} ${reason}`
    })
    for (const [index, kind] of ['newHeads', ...kinds].entries()) {
      const params = kind === 'logs' ? [kind, {}] : [kind]
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: index + 1, method: 'eth_subscribe', params }))
    }
    await subscribed
    return subscriber
  }

  close(): void {
    this.#socket.close()
  }

  /** Describes a mistake in the received blocks up to `head`, if there is one. */
  mistake(head: number): string | undefined {
    if (this.closed !== undefined) return `was closed: ${this.closed}`
    const [first = 0] = this.numbers
    const wrong = this.numbers.findIndex((number, index) => number !== first + index)
    if (wrong !== -1) return `saw ${this.numbers[wrong]} after ${this.numbers[wrong - 1]}`
    const last = this.numbers.at(-1) ?? 0
    return last < head ? `saw blocks up to ${last} of ${head}` : undefined
  }

  #onMessage({ id, result, params }: Notification): void {
    if (id === 1) this.#heads = result
    if (params === undefined) return
    if (params.subscription === this.#heads) this.numbers.push(Number(params.result.number))
    else this.others++
  }
}

/** Polls a block filter and a log filter; returns the block hashes in order of arrival. */
export async function pollFilters(port: number, signal: AbortSignal): Promise<string[]> {
  const client = openRpcClient(port)
  const blocks = (await client.call('eth_newBlockFilter')).result
  const logs = (await client.call('eth_newFilter', {})).result
  const hashes: string[] = []
  for (let isLast = false; !isLast; ) {
    isLast = signal.aborted
    hashes.push(...((await client.call('eth_getFilterChanges', blocks)).result as string[]))
    await client.call('eth_getFilterChanges', logs)
    if (!isLast) await pause(500)
  }
  client.close()
  return hashes
}

/** Traces the newest block repeatedly; returns the number of traces. */
export async function traceBlocks(port: number, signal: AbortSignal): Promise<number> {
  const client = openRpcClient(port)
  const methods = ['debug_traceBlockByNumber', 'trace_block', 'trace_replayBlockTransactions'] as const
  let count = 0
  while (!signal.aborted) {
    const method = methods[count % methods.length]!
    const types = method === 'trace_replayBlockTransactions' ? [['trace', 'vmTrace']] : []
    const { error } = await client.call(method, 'latest', ...types)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    count++
    await pause(100)
  }
  client.close()
  return count
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
