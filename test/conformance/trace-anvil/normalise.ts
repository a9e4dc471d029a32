/**
 * Explained differences between Cairn's answers and anvil's. Each rule removes one difference, names the authority
 * that decides which side is right, and changes only the other side's answer, unless noted. anvil's debug tracers and
 * ours imitate geth; "specification" includes Besu, which decides for trace_*.
 */
import type { BlockHashes } from './chain-pair.ts'

/** The result of JSON.parse on another program's answer. */
export type Json = ReturnType<typeof JSON.parse>

/** Values of the receipt and the transaction from anvil. */
export interface Facts {
  readonly gasLimit: string
  readonly gasUsed: string
  /** Slots of failed SLOAD and SSTORE instructions. */
  readonly unpaidSlots: ReadonlySet<string>
}

export type Rule = (answer: Json, by: 'ours' | 'anvil', facts: Facts) => Json

const only =
  (whose: 'ours' | 'anvil', change: (answer: Json, facts: Facts) => Json): Rule =>
  (answer, by, facts) =>
    by === whose ? change(answer, facts) : answer

/** Replaces anvil's block hashes by ours everywhere, because BLOCKHASH pushes them onto the stack too. */
export function withOurBlockHashes(answer: Json, hashes: readonly BlockHashes[]): Json {
  let text = JSON.stringify(answer)
  for (const { ours, anvils } of hashes) text = text.replaceAll(anvils, ours)
  return JSON.parse(text)
}

/** anvil adds a result, often null, to an error; the specification has none. */
export const withoutResultOfFailed = only('anvil', (calls) =>
  calls.map(({ result, ...rest }: Json) => (rest.error === undefined ? { ...rest, result } : rest)),
)

/**
 * The outermost call of callTracer: geth shows the transaction's gas limit and gas used; anvil shows the gas after
 * the intrinsic cost, and the block's gas so far (a bug). The receipt has the right value.
 */
export const withTransactionGas = only('anvil', (root, { gasLimit, gasUsed }) => ({
  ...root,
  gas: gasLimit,
  gasUsed,
}))

/** As above, for struct logs. */
export const withReceiptGas = only('anvil', (trace, { gasUsed }) => ({ ...trace, gas: Number(gasUsed) }))

/** geth omits reverted logs, as a receipt does; anvil shows them. */
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
/** geth shows the code hash since 1.16; anvil imitates an older version. */
export const withoutCodeHash = only('ours', (answer) => withoutKey(answer, 'codeHash'))

function withoutKey(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== key)
      .map(([name, each]) => [name, withoutKey(each, key)]),
  )
}

/** Accounts that did not exist before: geth omits them since 1.16; anvil shows them without a balance. */
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

/** Error texts: ours are geth's; anvil has its library's names for some. */
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

/** As above, for trace_*: our texts are Besu's. */
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

/** Besu shows the revert reason; anvil does not. */
export const withoutRevertReason = only('ours', (calls) =>
  calls.map(({ revertReason: _, ...rest }: Json) => rest),
)

/** A precompile's output to a transaction is not from a RETURN: specification, "Trace entry". */
export const withoutPrecompileOutput = only('anvil', ([root, ...rest]) => [
  root.result && isPrecompile(root.action.to) ? { ...root, result: { ...root.result, output: '0x' } } : root,
  ...rest,
])

/** Besu has no entry for precompile calls; anvil omits only the ones without value. */
export const withoutPrecompileCalls = only('anvil', (calls) =>
  without(calls, (call) => call.traceAddress.length > 0 && isPrecompile(call.action.to)),
)

/** Besu has no entry for calls that did not execute; anvil shows them with their error. */
export const withoutRefusedCalls = only('anvil', (calls) =>
  without(calls, (call) => call.traceAddress.length > 0 && REFUSALS.has(call.error)),
)

const REFUSALS: ReadonlySet<string> = new Set(['Insufficient balance for transfer'])

/**
 * If the transaction itself executed nothing, Besu includes the additional price of call data (EIP-7623); anvil shows
 * zero. A precompile counts as execution, even BLAKE2F without rounds.
 */
export const withPriceOfData = only('anvil', ([root, ...rest], { gasLimit, gasUsed }) => {
  if (root.result?.gasUsed !== '0x0' || isPrecompile(root.action.to)) return [root, ...rest]
  const added = BigInt(gasUsed) - (BigInt(gasLimit) - BigInt(root.action.gas))
  const result = { ...root.result, gasUsed: `0x${(added > 0n ? added : 0n).toString(16)}` }
  return [{ ...root, result }, ...rest]
})

/**
 * A contract that self-destructs to itself and stays (EIP-6780): anvil shows zeros, because nothing moved; Cairn
 * shows address and amount, as for any other. Removed from both, because anvil shows it for a contract that is
 * removed.
 */
export const withoutOwnHeirs: Rule = (calls) =>
  calls.map((call: Json) => {
    const { address, refundAddress } = call.action
    if (call.type !== 'suicide' || address !== refundAddress) return call
    return { ...call, action: 'to itself' }
  })

/** As above, for callTracer, where anvil omits the beneficiary. */
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

/** Removes entries without calls of their own; later entries move up. */
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

/** Besu shows `create2` for every creation of a transaction that has one; anvil shows each kind. */
export const withOneCreationMethod = only('anvil', (calls) => {
  const isCreate2 = calls.some(({ action }: Json) => action.creationMethod === 'create2')
  return calls.map((call: Json) =>
    isCreate2 && call.type === 'create'
      ? { ...call, action: { ...call.action, creationMethod: 'create2' } }
      : call,
  )
})

/** geth omits empty memory, return data and refunds; anvil writes [], 0x and 0. */
export const withoutEmptyMembers = only('anvil', ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map(({ returnData, memory, refund, ...step }: Json) => ({
    ...step,
    ...(returnData !== '0x' && { returnData }),
    ...(memory.length > 0 && { memory }),
    ...(refund > 0 && { refund }),
  })),
}))

/** A creation with empty code executes no instruction in geth, and one STOP in anvil. */
export const withoutStopOfNothing = only('anvil', ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.filter(({ op, pc, depth }: Json, index: number) => {
    const before = structLogs[index - 1]
    const isFirst = op === 'STOP' && pc === 0 && before?.depth === depth - 1
    return !(isFirst && before.op.startsWith('CREATE') && BigInt(before.stack.at(-3)) === 0n)
  }),
}))

/** True if the call frame ends with this instruction. */
export function isLast(steps: readonly Json[], index: number): boolean {
  return (steps[index + 1]?.depth ?? 0) < steps[index].depth
}

/**
 * For failing instructions geth shows the cost if it computed one, and anvil the remaining gas; anvil also shows its
 * library's error and an empty storage, which the pack's vectors do not have. The gas of the caller shows the real
 * cost of a frame's last instruction. Changes both sides.
 */
export const withoutLastCosts: Rule = ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map((step: Json, index: number) => {
    if (!isLast(structLogs, index)) return step
    const { gasCost: _, error: __, refund: ___, storage: ____, ...shown } = step
    return shown
  }),
})

/** geth shows a write without a change; anvil shows it only if it warms the slot. Changes both sides. */
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

/** A write without enough gas did not happen; anvil shows its value, also at later steps. Changes both sides. */
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

/** geth shows a creation's cost without the gas of its init code, anvil with it. Changes both sides. */
export const withoutCreationCosts: Rule = ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map(({ gasCost, ...step }: Json) =>
    step.op === 'CREATE' || step.op === 'CREATE2' ? step : { ...step, gasCost },
  ),
})

/**
 * The refund counter: geth shows the transaction's value after the instruction, anvil the frame's value before it. In
 * the outermost frame they differ only at SSTORE, which changes it. Changes both sides.
 */
export const withComparableRefunds: Rule = ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map(({ refund, ...step }: Json) =>
    step.op === 'SSTORE' || step.depth > 1 || refund === undefined ? step : { ...step, refund },
  ),
})

/** Uses the name of opcode 0x44 since the merge, and one name for all invalid opcodes. */
export const withOurNames = only('anvil', ({ structLogs, ...rest }) => ({
  ...rest,
  structLogs: structLogs.map((step: Json) => ({ ...step, op: OUR_NAMES[step.op] ?? step.op })),
}))

const OUR_NAMES: Readonly<Record<string, string>> = { DIFFICULTY: 'PREVRANDAO', Unknown: 'INVALID' }

/**
 * In geth an instruction without enough gas accesses nothing; anvil's library has loaded the slot. Changes both
 * sides.
 */
export const withoutUnpaidSlots: Rule = (accounts, _, { unpaidSlots }) =>
  Object.fromEntries(
    Object.entries<Json>(accounts).map(([address, { storage = {}, ...rest }]) => {
      const paid = Object.entries(storage).filter(([slot]) => !unpaidSlots.has(slot))
      return [address, { ...rest, ...(paid.length > 0 && { storage: Object.fromEntries(paid) }) }]
    }),
  )

/** anvil does not show the earlier balance of an account that one transaction creates and destroys. */
export const withoutShortLived = only('ours', (accounts) =>
  Object.fromEntries(Object.entries<Json>(accounts).filter(([, { code }]) => code['-'] === undefined)),
)

/**
 * The values of stateDiff before and after, without marks. Changes both sides: for a new account Besu marks all
 * members `+`, and anvil marks its balance as changed from zero unless it has code.
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

/** anvil does not treat a delegation (EIP-7702) as code: its stateDiff shows it as unchanged. */
export const withoutDelegations = only('ours', (accounts) =>
  Object.fromEntries(
    Object.entries<Json>(accounts).map(([address, { code, ...rest }]) => [
      address,
      { ...rest, code: /^(nothing|0xef0100.{40}) to (nothing|0xef0100.{40})$/.test(code) ? '=' : code },
    ]),
  ),
)

/**
 * An instruction that fails for two reasons reports the one that is checked first. Clients have different orders, and
 * the sender sees no difference; this lists equivalent pairs of errors.
 */
export function isOtherReason(path: string, ours: unknown, theirs: unknown): boolean {
  if (!path.endsWith('/error')) return false
  // A DUP below the stack: too many items for anvil, too few for the yellow paper and geth.
  if (/^stack underflow$/i.test(String(ours)) && theirs === 'Out of stack') return true
  return [ours, theirs].every((each) => REASONS.has(String(each)))
}

/** An access list slot that an SLOAD reads: geth shows it; anvil does not, because nothing was loaded. */
export function isUntoldSlot(path: string, theirs: unknown): boolean {
  return /\/structLogs\/\d+\/storage\/0x[0-9a-f]{64}$/.test(path) && theirs === undefined
}

const REASONS: ReadonlySet<string> = new Set([
  ...['out of gas', 'write protection', 'invalid input length', 'stack underflow'],
  ...['Out of gas', 'Illegal state change', 'Precompile error', 'Stack underflow'],
])
