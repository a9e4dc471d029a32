/** The six calls of bench/read.ts and bench/growth.ts. */
import { TOKEN } from './import-workload.ts'

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export interface Call {
  readonly name: string
  readonly body: string
  /** Least share of the echo's calls per CPU second. */
  readonly ofEcho?: number
  /** At least as many as anvil per CPU second. */
  readonly asAnvil?: true
}

/** `length`: blocks of the chain, of which the last is large. */
export function readCalls(holder: string, length: number): Call[] {
  const last = `0x${length.toString(16)}`
  const from = `0x${Math.max(1, length - 1_000).toString(16)}`
  const before = `0x${(length - 1).toString(16)}`
  const balanceOf = `0x70a08231${holder.slice(2).padStart(64, '0')}`
  const logs = { fromBlock: from, toBlock: before, address: TOKEN, topics: [TRANSFER_TOPIC] }
  return [
    { name: 'eth_blockNumber', body: requestOf('eth_blockNumber'), ofEcho: 0.6 },
    { name: 'eth_chainId', body: requestOf('eth_chainId'), ofEcho: 0.6 },
    { name: 'eth_getBalance', body: requestOf('eth_getBalance', holder, 'latest'), ofEcho: 0.5 },
    { name: 'eth_call', body: requestOf('eth_call', { to: TOKEN, data: balanceOf }, 'latest'), ofEcho: 0.3 },
    { name: 'eth_getBlockByNumber', body: requestOf('eth_getBlockByNumber', last, true), asAnvil: true },
    { name: 'eth_getLogs', body: requestOf('eth_getLogs', logs), asAnvil: true },
  ]
}

export function requestOf(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
