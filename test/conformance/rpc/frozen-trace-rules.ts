/** Where recorded traces of the frozen chains are answered otherwise on purpose. Keys are `file#index`. */
import { type Deviation, errorInstead, resultInstead } from './deviation.ts'

type Json = { readonly [name: string]: never }

const CONTRACT = '0xa50a51c09a5c451c52bb714527e1974b686d8e77'
const NOBODY = `0x${'0'.repeat(40)}`
const NESTED = '0x0fefd801e01fff6f030697a98ba3310e89382b9d5573ec2fe1b0cf78d5d498aa'
/** Gas of the two calls behind the one that reverted, by their place. */
const NESTED_GAS: Readonly<Record<string, string>> = { '1': '0x1cbb', '2': '0x997' }
const WORD_DIGITS = 64
const MLOAD = 0x51

interface Entry {
  readonly error?: string
  readonly traceAddress: readonly number[]
  readonly transactionHash?: string
}

/** Calls that succeeded behind one that reverted, in the one transaction that has such. */
function succeeded(entry: Entry, hash = entry.transactionHash): unknown {
  const gasUsed = NESTED_GAS[entry.traceAddress.join()]
  if (hash !== NESTED || entry.error !== 'Reverted' || gasUsed === undefined) return entry
  const { error: _, ...rest } = entry
  return { ...rest, result: { gasUsed, output: '0x' } }
}

interface VmTrace {
  readonly code: string
  readonly ops: readonly VmOp[]
}

interface VmOp {
  readonly pc: number
  readonly ex: { readonly mem: unknown; readonly push: readonly string[] } | null
  readonly sub: VmTrace | null
}

/** MLOAD with what it read, which is what it pushed. */
function withReadMemory({ code, ops }: VmTrace): unknown {
  const bytes = Buffer.from(code.slice(2), 'hex')
  return {
    code,
    ops: ops.map((op) => {
      const sub = op.sub && withReadMemory(op.sub)
      if (bytes[op.pc] !== MLOAD || op.ex === null) return { ...op, sub }
      const data = `0x${op.ex.push[0]!.slice(2).padStart(WORD_DIGITS, '0')}`
      return { ...op, ex: { ...op.ex, mem: { ...(op.ex.mem as object), data } }, sub }
    }),
  }
}

interface Replayed {
  readonly trace: readonly Entry[]
  readonly transactionHash: string
  readonly vmTrace: VmTrace
}

const replayed = (transactions: readonly Replayed[]): unknown =>
  transactions.map(({ trace, transactionHash, vmTrace, ...rest }) => ({
    ...rest,
    trace: trace.map((entry) => succeeded(entry, transactionHash)),
    transactionHash,
    vmTrace: withReadMemory(vmTrace),
  }))

const entries = (list: readonly Entry[]): unknown => list.map((entry) => succeeded(entry))

function resultOf<Result>(answer: unknown): Result {
  return (answer as { readonly result: Result }).result
}

/** A call that the reference refuses: what it does must be so, and the rest of what is told goes unseen. */
function callInstead(decision: string, result: object): Deviation {
  return {
    decision,
    instead: (recorded, actual) => {
      const { jsonrpc, id } = recorded as Json
      return { jsonrpc, id, result: { ...resultOf<object>(actual), ...result } }
    },
  }
}

/** A list of one entry, whose block goes unseen. */
function entryInstead(decision: string, entry: object): Deviation {
  return {
    decision,
    instead: (recorded, actual) => {
      const { jsonrpc, id } = recorded as Json
      const [only] = resultOf<[object]>(actual)
      return { jsonrpc, id, result: [{ ...only, ...entry }] }
    },
  }
}

/** The one slot that the transaction writes was empty before it; balances and code go unseen. */
function prestateInstead(decision: string): Deviation {
  return {
    decision,
    instead: (recorded, actual) => {
      const { jsonrpc, id } = recorded as Json
      const result = resultOf<Readonly<Record<string, object>>>(actual)
      const zero = `0x${'0'.repeat(WORD_DIGITS)}`
      const accounts = [VALIDATOR, CONTRACT, RICH].map((address) => [address, result[address]])
      const contract = { ...result[CONTRACT], storage: { [zero]: zero } }
      return { jsonrpc, id, result: { ...Object.fromEntries(accounts), [CONTRACT]: contract } }
    },
  }
}

function callTo(to: string, input: string, gas: string, outcome: object, from = NOBODY): object {
  const action = { callType: 'call', from, gas, input, to, value: '0x0' }
  return { action, ...outcome, subtraces: 0, traceAddress: [], type: 'call' }
}

const POOR = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const RICH = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const VALIDATOR = '0x1fe1f753688babbf61349a6623daff1f88fe5a2f'
const SET_SEVEN = `0x60fe47b1${'7'.padStart(WORD_DIGITS, '0')}`

/** What `require` reverts with. */
function reasonOf(text: string): string {
  const length = text.length.toString(16).padStart(WORD_DIGITS, '0')
  return `0x08c379a0${'20'.padStart(WORD_DIGITS, '0')}${length}${Buffer.from(text).toString('hex').padEnd(WORD_DIGITS, '0')}`
}

const REASON = reasonOf('some reason')

const tooPoor = (cost: string): string =>
  `Upfront cost exceeds account balance (transaction up-front cost ${cost} exceeds transaction sender account balance 0x0 for sender ${POOR})`
const nonceTooLow = (nonce: number, account: number): string =>
  `Nonce too low (transaction nonce ${nonce} below sender account nonce ${account} for sender ${RICH})`
const nonceTooHigh = (nonce: number, account: number): string =>
  `Nonce too high (transaction nonce ${nonce} does not match sender account nonce ${account} for sender ${RICH})`

/** The same for both chains. */
export const FROZEN_TRACE_RULES: Readonly<Record<string, Deviation>> = {
  'trace.json#3': resultInstead('39', entries),
  'trace.json#33': resultInstead('39', entries),
  'trace.json#44': resultInstead('39', succeeded),
  'trace.json#119': resultInstead('39', entries),
  'trace.json#130': resultInstead('39', entries),
  'trace.json#145': resultInstead('39', entries),
  'trace.json#54': resultInstead('vm-trace-read', replayed),
  'trace.json#55': resultInstead('39', replayed),
  'trace.json#73': callInstead('trace-call-order', { vmTrace: null, stateDiff: null }),
  'trace.json#76': errorInstead('36', -32004, tooPoor('0x1')),
  'trace.json#77': errorInstead('36', -32001, nonceTooLow(0, 14)),
  'trace.json#78': errorInstead('36', -32006, nonceTooHigh(65_535, 14)),
  'trace.json#79': errorInstead(
    '36',
    -32003,
    'Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 1)',
  ),
  'trace.json#86': callInstead('trace-call-strict', { output: reasonOf('balance') }),
  'trace.json#87': callInstead('40', {
    output: REASON,
    trace: [callTo(CONTRACT, '0xa9cc4718', '0x1c97138', { error: 'Reverted', revertReason: REASON })],
  }),
  'trace.json#88': callInstead('40', {
    output: '0x',
    trace: [callTo(CONTRACT, '0xbde9e40e', '0x1c97138', { error: 'Bad instruction' })],
  }),
  'trace.json#90': errorInstead(
    '36',
    -32009,
    'Gas price below current base fee (gasPrice is less than the current BaseFee)',
  ),
  'trace.json#91': callInstead('40', { output: '0x', vmTrace: { code: '0x', ops: [] } }),
  'trace.json#93': resultInstead('call-many-prices', ([first, second]: readonly [Json, Json]) => {
    const [entry] = second.trace as unknown as [{ readonly result: object }]
    return [first, { ...second, trace: [{ ...entry, result: { ...entry.result, gasUsed: '0x317a' } }] }]
  }),
  'trace.json#98': errorInstead('36', -32004, tooPoor('0x1')),
  'trace.json#99': errorInstead('36', -32001, nonceTooLow(0, 15)),
  'trace.json#115': errorInstead('raw-refused', -32001, nonceTooLow(0, 14)),
  'trace.json#116': errorInstead('raw-refused', -32006, nonceTooHigh(23, 14)),
  'trace.json#117': errorInstead('raw-refused', -32004, tooPoor('0x71afd498d0001')),
  'trace.json#118': errorInstead(
    'raw-refused',
    -32000,
    'Wrong chainId (transaction was meant for chain id 5 and not this chain id 1337)',
  ),
  'trace.json#106': resultInstead('raw-from', (result: Json) => ({ ...result, from: RICH })),
  'trace.json#107': resultInstead('raw-from', (result: Json) => ({ ...result, from: RICH })),
  'trace.json#108': resultInstead('raw-from', (result: Json) => ({ ...result, from: RICH })),
  'trace.json#139': entryInstead('36', {
    action: { author: VALIDATOR, rewardType: 'block', value: '0x0' },
    type: 'reward',
  }),
  'trace.json#140': errorInstead('36', -39001, 'Unknown block'),
  'eth.json#455': resultInstead('call-tracer-gas', ({ calls, ...top }: Json) => {
    const [first, second, third] = calls as unknown as [object, object, object]
    const shown = [first, { ...second, gasUsed: NESTED_GAS['1'] }, { ...third, gas: '0xe9177' }]
    return { ...top, gasUsed: '0x7f60', calls: shown }
  }),
  'eth.json#456': prestateInstead('37'),
  'eth.json#458': entryInstead('37', {
    ...callTo(CONTRACT, SET_SEVEN, '0xeef6c', { result: { gasUsed: '0x5f87', output: '0x' } }, RICH),
    transactionPosition: 9,
  }),
}
