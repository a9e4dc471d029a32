/** Traces on the frozen chains that differ from the recording on purpose. Keys are `file#index`. */
import { type Deviation, errorInstead, resultInstead } from './deviation.ts'

type Json = { readonly [name: string]: never }

const CONTRACT = '0xa50a51c09a5c451c52bb714527e1974b686d8e77'
const NOBODY = `0x${'0'.repeat(40)}`
const NESTED = '0x0fefd801e01fff6f030697a98ba3310e89382b9d5573ec2fe1b0cf78d5d498aa'
/** Gas of the two calls after the reverted one, by index. */
const NESTED_GAS: Readonly<Record<string, string>> = { '1': '0x1cbb', '2': '0x997' }
const WORD_DIGITS = 64
const MLOAD = 0x51

interface Entry {
  readonly error?: string
  readonly traceAddress: readonly number[]
  readonly transactionHash?: string
}

/** Calls that succeeded after a reverted one, in the only transaction with such calls. */
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

/** MLOAD with the value it read, which it pushed. */
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

/** A complete result in place of an error; `resultIn` depends on the chain. */
function insteadOfError(decision: string, resultIn: (chain: Chain) => unknown): Deviation {
  return {
    decision,
    instead: (recorded, folder) => {
      const { jsonrpc, id } = recorded as Json
      return { jsonrpc, id, result: resultIn(folder.endsWith('prague') ? 'prague' : 'g1s') }
    },
  }
}

type Chain = 'g1s' | 'prague'

/** A new account, with the balance that remains after the gas refund. */
function appeared(balance: string): object {
  return { balance: { '+': balance }, code: { '+': '0x' }, nonce: { '+': '0x1' }, storage: {} }
}

function callTo(to: string, input: string, gas: string, outcome: object, from = NOBODY): object {
  const action = { callType: 'call', from, gas, input, to, value: '0x0' }
  return { action, ...outcome, subtraces: 0, traceAddress: [], type: 'call' }
}

const POOR = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const RICH = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const VALIDATOR = '0x1fe1f753688babbf61349a6623daff1f88fe5a2f'
const SET_SEVEN = `0x60fe47b1${'7'.padStart(WORD_DIGITS, '0')}`

/** The revert data of `require`. */
function reasonOf(text: string): string {
  const length = text.length.toString(16).padStart(WORD_DIGITS, '0')
  return `0x08c379a0${'20'.padStart(WORD_DIGITS, '0')}${length}${Buffer.from(text).toString('hex').padEnd(WORD_DIGITS, '0')}`
}

const REASON = reasonOf('some reason')
const POORER = reasonOf('balance')
const ZERO = `0x${'0'.repeat(WORD_DIGITS)}`
const ONE = `0x${'1'.padStart(WORD_DIGITS, '0')}`
const TOKEN = '0x42699a7612a82f1d9c36148af9c77354759b210b'
/** A transfer of one token. */
const TRANSFER = `0xa9059cbb${'f17f52151ebef6c7334fad080c5704d77216b732'.padStart(WORD_DIGITS, '0')}${ONE.slice(2)}`
const FIRST_OF_NOBODY = '0xbd770416a3345f91e4b34576cb804a576fa48eb1'
const HEADS: Readonly<Record<Chain, object>> = {
  g1s: { blockHash: '0x5c8b373d084af151fd302534dc1e81cee5a8c3489d1b725a65b9a8cb25b2a757', blockNumber: 15 },
  prague: {
    blockHash: '0xceb6e39feb3abf14250dda192d883175a136e4e28439b4c3ae71b920bf6548cd',
    blockNumber: 16,
  },
}
const SET_SEVEN_BLOCKS: Readonly<Record<Chain, object>> = {
  g1s: { blockHash: '0xb8e5cc6dff3478bb5858df7de157658346c8a20f6bdd6789500b1e2faf285135', blockNumber: 6 },
  prague: { blockHash: '0x22b37ec3520484261ccb7281d9297aa834dd9e780f70c198d9ca94b0c1cda4f9', blockNumber: 7 },
}

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
  'trace.json#73': insteadOfError('trace-call-order', () => ({
    output: ONE,
    stateDiff: null,
    trace: [callTo(TOKEN, TRANSFER, '0x1c96f3c', { result: { gasUsed: '0x7446', output: ONE } }, RICH)],
    vmTrace: null,
  })),
  'trace.json#76': errorInstead('36', -32004, tooPoor('0x1')),
  'trace.json#77': errorInstead('36', -32001, nonceTooLow(0, 14)),
  'trace.json#78': errorInstead('36', -32006, nonceTooHigh(65_535, 14)),
  'trace.json#79': errorInstead(
    '36',
    -32003,
    'Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 1)',
  ),
  'trace.json#86': insteadOfError('trace-call-strict', (chain) => ({
    output: POORER,
    stateDiff: { [POOR]: appeared({ g1s: '0xec9a9fa2e4cc9', prague: '0xcf075281eadf3' }[chain]) },
    trace: [callTo(TOKEN, TRANSFER, '0x1c96f3c', { error: 'Reverted', revertReason: POORER }, POOR)],
    vmTrace: 'sha256 2b3de46b576ca4199e0e67fe3ccaf656e719feb67446305bf8e0f618c6d76eed of 20269 bytes',
  })),
  'trace.json#87': insteadOfError('40', (chain) => ({
    output: REASON,
    stateDiff: { [NOBODY]: appeared({ g1s: '0xeca089bcde320', prague: '0xcf0c7f58d0c60' }[chain]) },
    trace: [callTo(CONTRACT, '0xa9cc4718', '0x1c97138', { error: 'Reverted', revertReason: REASON })],
    vmTrace: 'sha256 3899832b6c5972a284fef0be216a6a610410971cde5e767f7f1fc45819db232e of 12365 bytes',
  })),
  'trace.json#88': insteadOfError('40', () => ({
    output: '0x',
    stateDiff: { [NOBODY]: appeared('0x0') },
    trace: [callTo(CONTRACT, '0xbde9e40e', '0x1c97138', { error: 'Bad instruction' })],
    vmTrace: 'sha256 0de15265dba9bfd563e7a15228853740c1b18b0c0e941c4dac81128ff8cbbb45 of 8332 bytes',
  })),
  'trace.json#90': errorInstead(
    '36',
    -32009,
    'Gas price below current base fee (gasPrice is less than the current BaseFee)',
  ),
  'trace.json#91': insteadOfError('40', (chain) => ({
    output: '0x',
    stateDiff: {
      [NOBODY]: appeared({ g1s: '0xec609279723b8', prague: '0xced486fbf9e68' }[chain]),
      [FIRST_OF_NOBODY]: appeared('0x0'),
    },
    trace: [
      {
        action: { from: NOBODY, gas: '0x1c8f478', init: '0x', value: '0x0' },
        result: { address: FIRST_OF_NOBODY, code: '0x', gasUsed: '0x0' },
        subtraces: 0,
        traceAddress: [],
        type: 'create',
      },
    ],
    vmTrace: { code: '0x', ops: [] },
  })),
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
  'trace.json#139': insteadOfError('36', (chain) => [
    {
      action: { author: VALIDATOR, rewardType: 'block', value: '0x0' },
      ...HEADS[chain],
      result: null,
      subtraces: 0,
      traceAddress: [],
      transactionHash: null,
      transactionPosition: null,
      type: 'reward',
    },
  ]),
  'eth.json#455': resultInstead('call-tracer-gas', ({ calls, ...top }: Json) => {
    const [first, second, third] = calls as unknown as [object, object, object]
    const shown = [first, { ...second, gasUsed: NESTED_GAS['1'] }, { ...third, gas: '0xe9177' }]
    return { ...top, gasUsed: '0x7f60', calls: shown }
  }),
  'eth.json#456': insteadOfError('37', (chain) => ({
    [VALIDATOR]: { balance: { g1s: '0x5ac5c1150b358', prague: '0x5af0929a9e402' }[chain] },
    [CONTRACT]: {
      balance: '0x0',
      code: 'sha256 8f72007a013306d71f2d7f2acf38b8437780f81cf43ec483417cf2c6457bb8a9 of 4302 bytes',
      codeHash: '0x1a5ab50df226c0d7190864e9a0a56a06f29ddc85573f4a2a9afb1d75a876860f',
      nonce: 1,
      storage: { [ZERO]: ZERO },
    },
    [RICH]: { balance: { g1s: '0xad788c4303ca55198', prague: '0xad78904b7fdf1b99a' }[chain], nonce: 3 },
  })),
  'eth.json#458': insteadOfError('37', (chain) => [
    {
      ...callTo(CONTRACT, SET_SEVEN, '0xeef6c', { result: { gasUsed: '0x5f87', output: '0x' } }, RICH),
      ...SET_SEVEN_BLOCKS[chain],
      transactionHash: '0xc475a87122e86f1f366494ad792446a342895a3c47bae1dbab954a07d9039e79',
      transactionPosition: 9,
    },
  ]),
}
