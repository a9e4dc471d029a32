/**
 * Differences between our answers and anvil's that are explained. Each rule takes away one, says which side is right by
 * which authority, and changes the other side's answer only, unless it says so. "geth" is what anvil's debug tracers and
 * ours imitate; "specification" includes Besu beside it, which decides for trace_*.
 */
import type { BlockHashes } from './chain-pair.ts'

/** What JSON.parse gives: answers of another program, looked at member by member. */
export type Json = ReturnType<typeof JSON.parse>

/** What the receipt and the transaction say, in anvil's own words. */
export interface Facts {
  readonly gasLimit: string
  readonly gasUsed: string
  /** Slots of which an SLOAD or SSTORE failed. */
  readonly unpaidSlots: ReadonlySet<string>
}

export type Rule = (answer: Json, by: 'ours' | 'anvil', facts: Facts) => Json

const only =
  (whose: 'ours' | 'anvil', change: (answer: Json, facts: Facts) => Json): Rule =>
  (answer, by, facts) =>
    by === whose ? change(answer, facts) : answer

/** Hashes of anvil's blocks as those of ours, wherever they stand: BLOCKHASH brings them onto the stack too. */
export function withOurBlockHashes(answer: Json, hashes: readonly BlockHashes[]): Json {
  let text = JSON.stringify(answer)
  for (const { ours, anvils } of hashes) text = text.replaceAll(anvils, ours)
  return JSON.parse(text)
}

/** anvil writes a result, often null, beside an error; specification: no result. */
export const withoutResultOfFailed = only('anvil', (calls) =>
  calls.map(({ result, ...rest }: Json) => (rest.error === undefined ? { ...rest, result } : rest)),
)

/**
 * The outermost call of callTracer: geth shows the gas limit and the gas used of the transaction; anvil shows the gas
 * after the intrinsic cost, and the gas of the whole block up to here (a bug). The receipt says it.
 */
export const withTransactionGas = only('anvil', (root, { gasLimit, gasUsed }) => ({
  ...root,
  gas: gasLimit,
  gasUsed,
}))

/** As above, in the number of struct logs. */
export const withReceiptGas = only('anvil', (trace, { gasUsed }) => ({ ...trace, gas: Number(gasUsed) }))

/** geth shows no log that was undone, as a receipt does not; anvil does. */
export const withoutUndoneLogs = only('anvil', (root) => withoutLogsOfFailed(root, false))

function withoutLogsOfFailed(frame: Json, isUndone: boolean): Json {
  const isFailed = isUndone || frame.error !== undefined
  const { logs, calls, ...rest } = frame
  return {
    ...rest,
    ...(logs !== undefined && !isFailed && { logs }),
    ...(calls !== undefined && { calls: calls.map((each: Json) => withoutLogsOfFailed(each, isFailed)) }),
  }
}
/** The code's hash is shown since geth 1.16; anvil is older. */
export const withoutCodeHash = only('ours', (answer) => withoutKey(answer, 'codeHash'))

function withoutKey(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== key)
      .map(([name, each]) => [name, withoutKey(each, key)]),
  )
}

/** Accounts that did not exist before: geth leaves them out since 1.16, anvil shows them without money. */
export const withoutEmptyAccounts = only('anvil', (accounts) => withoutEmpty(accounts))
export const withoutEmptyBefore = only('anvil', ({ pre, post }) => ({ pre: withoutEmpty(pre), post }))

function withoutEmpty(accounts: Json): Json {
  return Object.fromEntries(
    Object.entries<Json>(accounts).filter(
      ([, { balance, storage = {}, ...rest }]) =>
        balance !== '0x0' ||
        Object.keys(rest).length > 0 ||
        Object.values(storage).some((word) => word !== ZERO),
    ),
  )
}

const ZERO = `0x${'0'.repeat(64)}`

/** Words for failures: ours are geth's; anvil has the names of its library for some. */
export const withGethWords = only('anvil', (root) => withWords(root, GETH_WORDS))

function withWords(frame: Json, words: Readonly<Record<string, string>>): Json {
  const { error, calls, ...rest } = frame
  return {
    ...rest,
    ...(error !== undefined && { error: words[error] ?? error }),
    ...(calls !== undefined && { calls: calls.map((each: Json) => withWords(each, words)) }),
  }
}

const GETH_WORDS: Readonly<Record<string, string>> = {
  StateChangeDuringStaticCall: 'write protection',
  CallNotAllowedInsideStatic: 'write protection',
  'out of gas: invalid operand': 'out of gas',
  'out of gas: reach memory limit': 'out of gas',
  CreateCollision: 'contract address collision',
  'out of gas: not enough gas for reentrancy sentry': 'out of gas',
  'out of gas: out of memory': 'out of gas',
  'precompiled failed': 'invalid input length',
  'invalid opcode: INVALID': 'invalid opcode',
  NotActivated: 'invalid opcode',
  StackUnderflow: 'stack underflow',
  CreateContractSizeLimit: 'max code size exceeded',
  OutOfOffset: 'out of gas',
  CreateContractStartingWithEF: 'invalid code: must not begin with 0xef',
}

/** As above, in trace_*: ours are Besu's. */
export const withReferenceWords = only('anvil', (calls) =>
  calls.map((call: Json) => withWords(call, REFERENCE_WORDS)),
)

const REFERENCE_WORDS: Readonly<Record<string, string>> = {
  StateChangeDuringStaticCall: 'Illegal state change',
  CallNotAllowedInsideStatic: 'Illegal state change',
  CreateCollision: 'Illegal state change',
  'Built-in failed': 'Precompile error',
  StackUnderflow: 'Stack underflow',
  NotActivated: 'Bad instruction',
  CreateContractStartingWithEF: 'Code is invalid',
  CreateContractSizeLimit: 'Code is too large',
  OutOfOffset: 'Out of gas',
}

/** Besu says why the transaction reverted; anvil does not. */
export const withoutRevertReason = only('ours', (calls) =>
  calls.map(({ revertReason: _, ...rest }: Json) => rest),
)

/** What a transaction gets from a precompile was sent by no RETURN: specification, "Trace entry". */
export const withoutPrecompileOutput = only('anvil', ([root, ...rest]) => [
  root.result && isPrecompile(root.action.to) ? { ...root, result: { ...root.result, output: '0x' } } : root,
  ...rest,
])

/** Besu has no entry for calls of precompiles; anvil leaves out only those without money. */
export const withoutPrecompileCalls = only('anvil', (calls) =>
  without(calls, (call) => call.traceAddress.length > 0 && isPrecompile(call.action.to)),
)

/** Nor for calls that did not execute; anvil shows them with their error. */
export const withoutRefusedCalls = only('anvil', (calls) =>
  without(calls, (call) => call.traceAddress.length > 0 && REFUSALS.has(call.error)),
)

const REFUSALS: ReadonlySet<string> = new Set(['Insufficient balance for transfer'])

/**
 * Where the transaction itself executed nothing, Besu counts what the price of call data (EIP-7623) added; anvil
 * says zero. A precompile executes, be it for nothing, as BLAKE2F without rounds does.
 */
export const withPriceOfData = only('anvil', ([root, ...rest], { gasLimit, gasUsed }) => {
  if (root.result?.gasUsed !== '0x0' || isPrecompile(root.action.to)) return [root, ...rest]
  const added = BigInt(gasUsed) - (BigInt(gasLimit) - BigInt(root.action.gas))
  const result = { ...root.result, gasUsed: `0x${(added > 0n ? added : 0n).toString(16)}` }
  return [{ ...root, result }, ...rest]
})

/**
 * A contract that destructs itself for its own benefit and stays (EIP-6780): anvil tells zeros, because nothing moved; we
 * tell who and how much, as of any other. Taken from both, since anvil tells it of one that goes.
 */
export const withoutOwnHeirs: Rule = (calls) =>
  calls.map((call: Json) => {
    const { address, refundAddress } = call.action
    if (call.type !== 'suicide' || address !== refundAddress) return call
    return { ...call, action: 'to itself' }
  })

/** As above, in callTracer, where anvil leaves out the heir. */
export const withoutOwnHeirsInTree: Rule = withoutHeirsOf

function withoutHeirsOf(frame: Json): Json {
  const { from, to, value, calls, ...rest } = frame
  const isOwn = frame.type === 'SELFDESTRUCT' && (from === to || to === undefined)
  return {
    ...rest,
    ...(!isOwn && { from, to, value }),
    ...(calls !== undefined && { calls: calls.map(withoutHeirsOf) }),
  }
}

const PRECOMPILES = 0x11

function isPrecompile(address: string | undefined): boolean {
  if (address === undefined) return false
  const number = BigInt(address)
  return number > 0n && number <= PRECOMPILES
}

/** Without entries that call nothing themselves; the others move up. */
function without(calls: Json, isGone: (call: Json) => boolean): Json {
  const gone: number[][] = calls.filter(isGone).map((call: Json) => call.traceAddress)
  const isSibling = (a: readonly number[], b: readonly number[], depth: number): boolean =>
    a.length === depth + 1 && a.every((place, index) => index === depth || place === b[index])
  return calls
    .filter((call: Json) => !isGone(call))
    .map((call: Json) => ({
      ...call,
      subtraces:
        call.subtraces -
        gone.filter((each) => isSibling(each, [...call.traceAddress, 0], call.traceAddress.length)).length,
      traceAddress: call.traceAddress.map(
        (place: number, depth: number) =>
          place -
          gone.filter((each) => isSibling(each, call.traceAddress, depth) && each[depth]! < place).length,
      ),
    }))
}

/** Besu shows `create2` for every creation of a transaction that has one; anvil says what each was. */
export const withOneCreationMethod = only('anvil', (calls) => {
  const isCreate2 = calls.some(({ action }: Json) => action.creationMethod === 'create2')
  return calls.map((call: Json) =>
    isCreate2 && call.type === 'create'
      ? { ...call, action: { ...call.action, creationMethod: 'create2' } }
      : call,
  )
})

/** geth leaves out memory, return data and refunds where there are none; anvil writes [], 0x and 0. */
export const withoutEmptyMembers = only('anvil', ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map(({ returnData, memory, refund, ...step }: Json) => ({
    ...step,
    ...(returnData !== '0x' && { returnData }),
    ...(memory.length > 0 && { memory }),
    ...(refund > 0 && { refund }),
  })),
}))

/** A creation of nothing executes no instruction in geth, and one STOP in anvil. */
export const withoutStopOfNothing = only('anvil', ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.filter(({ op, pc, depth }: Json, index: number) => {
    const before = structLogs[index - 1]
    const isFirst = op === 'STOP' && pc === 0 && before?.depth === depth - 1
    return !(isFirst && before.op.startsWith('CREATE') && BigInt(before.stack.at(-3)) === 0n)
  }),
}))

/** Whether the frame of an instruction ends with it. */
export function isLast(steps: readonly Json[], index: number): boolean {
  return (steps[index + 1]?.depth ?? 0) < steps[index].depth
}

/**
 * Of instructions that fail geth tells what they would have cost, if it got so far, and anvil what was left; it names
 * its library's error too and an empty storage, which the pack's vectors have not. What the last instruction of a frame
 * really cost shows in the gas of its caller. Of both.
 */
export const withoutLastCosts: Rule = ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map((step: Json, index: number) => {
    if (!isLast(structLogs, index)) return step
    const { gasCost: _, error: __, refund: ___, storage: ____, ...shown } = step
    return shown
  }),
})

/** A write that changes nothing is shown by geth, and by anvil only if it makes the slot warm. Of both. */
export const withoutIdleWrites: Rule = ({ structLogs, ...rest }) => {
  const idle = new Set(
    structLogs
      .filter(({ op, gasCost }: Json) => op === 'SSTORE' && gasCost === WARM_GAS)
      .map(({ stack }: Json) => slotText(stack.at(-1))),
  )
  return {
    ...rest,
    structLogs: structLogs.map(({ storage, ...step }: Json) => {
      if (storage === undefined) return step
      return {
        ...step,
        storage: Object.fromEntries(Object.entries(storage).filter(([slot]) => !idle.has(slot))),
      }
    }),
  }
}

/** A write that could not be paid was not made; anvil shows its value all the same, also at later steps. Of both. */
export const withoutUnpaidWrites: Rule = ({ structLogs, ...rest }, _, { unpaidSlots }) => ({
  ...rest,
  structLogs: structLogs.map(({ storage, ...step }: Json) => {
    if (storage === undefined) return step
    const paid = Object.entries(storage).filter(([slot]) => !unpaidSlots.has(slot))
    return { ...step, storage: Object.fromEntries(paid) }
  }),
})

const WARM_GAS = 100

export function slotText(word: string): string {
  return `0x${BigInt(word).toString(16).padStart(64, '0')}`
}

/** What a creation costs is without the gas of its init code in geth, and with what that used in anvil. Of both. */
export const withoutCreationCosts: Rule = ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map(({ gasCost, ...step }: Json) =>
    step.op === 'CREATE' || step.op === 'CREATE2' ? step : { ...step, gasCost },
  ),
})

/**
 * The refund counter: geth's is of the transaction and as the instruction leaves it; anvil's is of the frame and as the
 * instruction finds it. In the outermost frame they are the same except at SSTORE, which moves it. Of both.
 */
export const withComparableRefunds: Rule = ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map(({ refund, ...step }: Json) =>
    step.op === 'SSTORE' || step.depth > 1 || refund === undefined ? step : { ...step, refund },
  ),
})

/** Opcode 0x44 is named as since the merge, and one that is none as the one that is none by definition. */
export const withOurNames = only('anvil', ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map((step: Json) => ({ ...step, op: OUR_NAMES[step.op] ?? step.op })),
}))

const OUR_NAMES: Readonly<Record<string, string>> = { DIFFICULTY: 'PREVRANDAO', Unknown: 'INVALID' }

/** An instruction that could not pay looked at nothing in geth; anvil's library had loaded the slot. Of both. */
export const withoutUnpaidSlots: Rule = (accounts, _, { unpaidSlots }) =>
  Object.fromEntries(
    Object.entries<Json>(accounts).map(([address, { storage = {}, ...rest }]) => {
      const paid = Object.entries(storage).filter(([slot]) => !unpaidSlots.has(slot))
      return [address, { ...rest, ...(paid.length > 0 && { storage: Object.fromEntries(paid) }) }]
    }),
  )

/** anvil does not show the money that an account had before it was made and destroyed by one transaction. */
export const withoutShortLived = only('ours', (accounts) =>
  Object.fromEntries(Object.entries<Json>(accounts).filter(([, { code }]) => code['-'] === undefined)),
)

/**
 * The values of stateDiff before and after, without the marks. Of both: where an account comes into being Besu
 * marks all members `+`, and anvil marks its money as changed from zero unless it got code.
 */
export const withPlainValues: Rule = (accounts) => {
  const plain: Record<string, Json> = {}
  for (const [address, { balance, nonce, code, storage }] of Object.entries<Json>(accounts)) {
    const members = {
      balance: values(balance),
      nonce: values(nonce),
      code: values(code),
      storage: {} as Json,
    }
    for (const [slot, value] of Object.entries(storage)) members.storage[slot] = values(value)
    plain[address] = members
  }
  return plain
}

const NOTHING = new Set(['0x', '0x0', ZERO])

function values(member: Json): string {
  if (member === '=') return '='
  const [from, to] = '*' in member ? [member['*'].from, member['*'].to] : [member['-'], member['+']]
  const text = (value: string | undefined): string =>
    value === undefined || NOTHING.has(value) ? 'nothing' : value
  return text(from) === text(to) ? '=' : `${text(from)} to ${text(to)}`
}

/** anvil does not see that a delegation (EIP-7702) is code: its stateDiff says that it is unchanged. */
export const withoutDelegations = only('ours', (accounts) =>
  Object.fromEntries(
    Object.entries<Json>(accounts).map(([address, { code, ...rest }]) => [
      address,
      { ...rest, code: /^(nothing|0xef0100.{40}) to (nothing|0xef0100.{40})$/.test(code) ? '=' : code },
    ]),
  ),
)

/**
 * What fails for two reasons at once fails for the one that is looked at first. Every client has its own order, and to the
 * sender it is all the same; pairs of errors that may stand for each other.
 */
export function isOtherReason(path: string, ours: unknown, theirs: unknown): boolean {
  if (!path.endsWith('/error')) return false
  // A DUP that reaches below the stack: to anvil too many items, to the yellow paper and geth too few.
  if (/^stack underflow$/i.test(String(ours)) && theirs === 'Out of stack') return true
  return [ours, theirs].every((each) => REASONS.has(String(each)))
}

/** A slot of the access list that an SLOAD reads: geth tells it, anvil does not, since nothing was loaded. */
export function isUntoldSlot(path: string, theirs: unknown): boolean {
  return /\/structLogs\/\d+\/storage\/0x[0-9a-f]{64}$/.test(path) && theirs === undefined
}

const REASONS: ReadonlySet<string> = new Set([
  ...['out of gas', 'write protection', 'invalid input length', 'stack underflow'],
  ...['Out of gas', 'Illegal state change', 'Precompile error', 'Stack underflow'],
])
