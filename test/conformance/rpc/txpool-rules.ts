/** Answers about the pool that differ from Besu's recordings on purpose. Keys are notes, or `file#index`. */
import { type Deviation, errorInstead, resultInstead } from './deviation.ts'

type Lines = Readonly<Record<'pending' | 'queued', Record<string, Record<string, string>>>>

const A = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const C = '0xf17f52151ebef6c7334fad080c5704d77216b732'
const POOR = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
/** The sender of the highest nonce. */
const STRANGER = /^0xcccb6d/

const noAddress = errorInstead('18', -32602, 'Invalid address params')
const noFilter = errorInstead('17', -32602, 'Invalid filter params')
const ownSize = resultInstead('J22', (result: object) => ({ ...result, maxSize: 16_384 }))
/** One of c's transactions has a nonce gap, and Besu's sequenced pool counts it as pending. */
const oneIsQueued = resultInstead('16', ({ pending, queued }: { pending: string; queued: string }) => ({
  pending: `0x${(Number(pending) - 1).toString(16)}`,
  queued: `0x${(Number(queued) + 1).toString(16)}`,
}))

/** Here the transaction of a with nonce 2 was replaced. */
const REPLACED = {
  '0xb56bbce9b3883f1e0a52ab4bc29b22200626d3aa3bdab1e56b821c68a4693a0a':
    '0xaf615b205092b22f54248136a94e866ea300b9cd33fd3c43a931309d2f9c6041',
  'mf: 3.00 gwei, pf: 1.00 gwei, gl: 30000,': 'mf: 3.30 gwei, pf: 1.10 gwei, gl: 30000,',
}

function replaced(result: unknown): unknown {
  let text = JSON.stringify(result)
  for (const [before, after] of Object.entries(REPLACED)) text = text.replaceAll(before, after)
  return JSON.parse(text)
}

/** Removes transactions that Cairn refuses, and adds the ones that Besu refused because of them. */
function atTheEnd(result: never): unknown {
  const lines = replaced(result) as Lines
  delete lines.pending[POOR]
  delete lines.pending[A]!['7']
  const line = (nonce: number, hash: string, fees: string, rest: string) =>
    `{sequence: 0, addedAt: 0, isLocal=true, hasPriority=true, score=127, ${hash}={MessageCall, ${nonce}, ${C}, ${fees}${rest}, to: ${A}}}`
  lines.pending[C]!['0'] = line(
    0,
    '0xc941342d3b9e2d526f1b5686b16e59b2ea523276687db66a6ec47260680e58f9',
    'FRONTIER, gp: 10.00 szabo, ',
    'gl: 100000, v: 0 wei',
  )
  lines.pending[C]!['1'] = line(
    1,
    '0x4dfc542fa643f1e7093a59e6f61a9f4e52d4731118f05128a1dc98cafdadcb4c',
    'EIP1559, mf: 1.00 kwei, pf: 1.00 kwei, ',
    'gl: 21000, v: 0 wei',
  )
  for (const sender of Object.keys(lines.queued)) if (STRANGER.test(sender)) delete lines.queued[sender]
  return lines
}

/** The same for both pools. */
export const TXPOOL_RULES: Readonly<Record<string, Deviation>> = {
  'contentFrom short address': noAddress,
  'pending limit -1': errorInstead('17', -32602, 'Invalid transaction limit params'),
  'pending {"from":{"eq":"0x01"}}': noFilter,
  'pending {"from":{"eq":"zz"}}': noFilter,
  'pending {"from":{"eq":""}}': noFilter,
  'pending {"from":{"eq":null}}': noFilter,
  'pending {"from":{"eq":1}}': noFilter,
  'pending {"to":{"eq":"0x0"}}': noFilter,
  'pending {"gas":{"eq":"zz"}}': noFilter,
  'pending {"nonce":{"eq":"a"}}': noFilter,
  'pending {"value":{"eq":"1.5"}}': noFilter,
  [`pending {"value":{"eq":"0x${'f'.repeat(65)}"}}`]: noFilter,
  'pending {"gasPrice":{"eq":"zz"}}': noFilter,
  'replacement of type 2 nonce 2, both +10%': {
    decision: '13',
    instead: (recorded) => {
      const { jsonrpc, id } = recorded as { readonly jsonrpc: string; readonly id: unknown }
      return { jsonrpc, id, result: Object.values(REPLACED)[0] }
    },
  },
  'inspect after replacements': resultInstead('13', replaced),
  transactions: resultInstead('13', replaced),
  'send: upfront cost above balance': errorInstead('10', -32004, 'Upfront cost exceeds account balance'),
  'send: unknown poor account, value 0, price 3 gwei': errorInstead(
    '10',
    -32004,
    'Upfront cost exceeds account balance',
  ),
  'send: fee cap: 2 ether of fee': errorInstead('11', -32000, 'Transaction fee cap exceeded'),
  'send: fee cap: exactly 1 ether': {
    decision: '11',
    instead: (recorded) => {
      const { jsonrpc, id } = recorded as { readonly jsonrpc: string; readonly id: unknown }
      return { jsonrpc, id, result: '0xc941342d3b9e2d526f1b5686b16e59b2ea523276687db66a6ec47260680e58f9' }
    },
  },
  'send: gas limit 2^64-1': errorInstead('15', -32000, 'Transaction fee cap exceeded'),
  'send: init code too large (49153 bytes)': errorInstead(
    '36',
    -32602,
    'Invalid transaction params (missing or incorrect)',
  ),
  'send: nonce 2^64-1': errorInstead('15', -32602, 'Invalid nonce params'),
  'status at the end': resultInstead('10', () => ({ pending: '0xb', queued: '0x3' })),
  'inspect at the end': resultInstead('10', atTheEnd),
  'txpool-layered.json#2': ownSize,
  'txpool-layered.json#18': ownSize,
  'txpool-layered.json#40': ownSize,
  'txpool-layered.json#169': ownSize,
  'txpool-sequenced.json#17': oneIsQueued,
  'txpool-sequenced.json#37': oneIsQueued,
  'txpool-sequenced.json#42': oneIsQueued,
  'txpool-sequenced.json#156': oneIsQueued,
  'txpool-sequenced.json#167': oneIsQueued,
  'status when full': resultInstead('10', () => ({ pending: '0x22', queued: '0x2' })),
  'statistics when full': resultInstead('10', (result: object) => ({ ...result, localCount: 36 })),
}

/** Numeric filters, and `gasPrice` of type 2 transactions, are compared with Besu's own list. */
export const COMPARED_WITH_LIST = /^pending \{"(gasPrice":\{"(eq":"0x|gt|lt)|gas":\{"eq":21000)/

/** The recording shortened these. */
export const SHORTENED = /^send: init code too large/
