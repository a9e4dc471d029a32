/** The six calls of bench/read.ts and bench/growth.ts. */
import { TOKEN } from './import-workload.ts'

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Call {
  readonly name: string
  /** Sent in turn: repeating one request would measure the cache of the last answer. */
  readonly bodies: readonly string[]
  /** Minimum ratio to the echo server's calls per CPU second. */
  readonly ofEcho?: number
  /** At least as many as anvil per CPU second. */
  readonly asAnvil?: true
}

/** The number of different requests per call. */
export const VARIATIONS = 64
/** Fewer blocks, one of them large. */
const BLOCKS = 4

/** `length` is the number of blocks in the chain; the last one is large. */
export function readCalls(holders: readonly string[], length: number): Call[] {
  const quantity = (number: number) => `0x${Math.max(1, number).toString(16)}`
  const logs = (shift: number) => ({
    fromBlock: quantity(length - 1_000 - shift),
    toBlock: quantity(length - 1 - shift),
    address: TOKEN,
    topics: [TRANSFER_TOPIC],
  })
  const balanceOf = (holder: string) => `0x70a08231${holder.slice(2).padStart(64, '0')}`
  const varied = (count: number, body: (index: number) => string) =>
    Array.from({ length: count }, (_, at) => body(at))
  const ofHolder = (body: (holder: string) => string) =>
    varied(VARIATIONS, (index) => body(holders[index % holders.length]!))
  return [
    { name: 'eth_blockNumber', bodies: [requestOf('eth_blockNumber')], ofEcho: 0.6 },
    { name: 'eth_chainId', bodies: [requestOf('eth_chainId')], ofEcho: 0.6 },
    {
      name: 'eth_getBalance',
      bodies: ofHolder((holder) => requestOf('eth_getBalance', holder, 'latest')),
      ofEcho: 0.5,
    },
    {
      name: 'eth_call',
      bodies: ofHolder((holder) => requestOf('eth_call', { to: TOKEN, data: balanceOf(holder) }, 'latest')),
      ofEcho: 0.3,
    },
    {
      name: 'eth_getBlockByNumber',
      bodies: varied(BLOCKS, (index) => requestOf('eth_getBlockByNumber', quantity(length - index), true)),
      asAnvil: true,
    },
    {
      name: 'eth_getLogs',
      bodies: varied(VARIATIONS, (index) => requestOf('eth_getLogs', logs(index))),
      asAnvil: true,
    },
  ]
}

export function requestOf(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
