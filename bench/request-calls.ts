/** The calls of bench/requests.ts: the ten most frequent methods, a batch and a message over WebSocket. */

import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { TOKEN } from './import-workload.ts'
import { readCalls, requestOf, VARIATIONS } from './read-calls.ts'
import type { ReadChain } from './read-chain.ts'

export interface RequestCall {
  readonly name: string
  /** Sent in turn. */
  readonly bodies: readonly string[]
  readonly kind: 'http' | 'websocket'
  /** Calls in each body. */
  readonly size: number
  /** Least share of the echo's calls per CPU second. */
  readonly goal?: number
  /** Each body is valid once. */
  readonly isOnce?: boolean
}

const BATCH_SIZE = 100
/** Blocks of one eth_getLogs. */
const LOG_BLOCKS = 10

/** Least shares of the echo's calls per CPU second. */
const GOALS: Readonly<Record<string, number>> = { eth_blockNumber: 0.8, eth_getBalance: 0.7, eth_call: 0.5 }

export function requestCalls(chain: ReadChain): RequestCall[] {
  const { holders, blocks, transactions } = chain
  const read = new Map(readCalls(holders, blocks.length).map(({ name, bodies }) => [name, bodies]))
  const vary = (body: (index: number) => string) => Array.from({ length: VARIATIONS }, (_, at) => body(at))
  const holder = (index: number) => holders[index % holders.length]!
  const mined = transactions.slice(0, blocks.length).map((list) => keccak256(list[0]!))
  const block = (number: number) => `0x${number.toString(16)}`
  const logs = (index: number) => {
    const last = blocks.length - 1 - (index % (blocks.length - LOG_BLOCKS - 1))
    return { fromBlock: block(last - LOG_BLOCKS + 1), toBlock: block(last), address: TOKEN }
  }
  const bodies: Readonly<Record<string, readonly string[]>> = {
    eth_blockNumber: read.get('eth_blockNumber')!,
    eth_chainId: read.get('eth_chainId')!,
    eth_gasPrice: [requestOf('eth_gasPrice')],
    eth_getBalance: read.get('eth_getBalance')!,
    eth_getTransactionCount: vary((at) => requestOf('eth_getTransactionCount', holder(at), 'latest')),
    eth_getTransactionReceipt: vary((at) =>
      requestOf('eth_getTransactionReceipt', formatData(mined[at % mined.length]!)),
    ),
    eth_getLogs: vary((at) => requestOf('eth_getLogs', logs(at))),
    eth_call: read.get('eth_call')!,
    eth_estimateGas: vary((at) =>
      requestOf('eth_estimateGas', { from: holder(at), to: holder(at + 1), value: '0x1' }),
    ),
  }
  const sent = transactions.slice(blocks.length).flat()
  const balance = JSON.parse(bodies.eth_getBalance![0]!) as unknown
  const batch = JSON.stringify(Array.from({ length: BATCH_SIZE }, () => balance))
  return [
    ...Object.entries(bodies).map(([name, list]): RequestCall => {
      const goal = GOALS[name]
      return { name, bodies: list, kind: 'http', size: 1, ...(goal !== undefined && { goal }) }
    }),
    {
      name: 'eth_sendRawTransaction',
      bodies: sent.map((encoded) => requestOf('eth_sendRawTransaction', formatData(encoded))),
      kind: 'http',
      size: 1,
      isOnce: true,
    },
    { name: `eth_getBalance in batches of ${BATCH_SIZE}`, bodies: [batch], kind: 'http', size: BATCH_SIZE },
    { name: 'eth_blockNumber over WebSocket', bodies: bodies.eth_blockNumber!, kind: 'websocket', size: 1 },
  ]
}
