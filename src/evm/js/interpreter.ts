/**
 * The instruction loop. It replaces the loop of @ethereumjs/evm, which awaits twice per instruction, cannot be
 * cancelled and analyses a contract's jumps in every call. The instructions themselves are the library's.
 */

import type { Common } from '@ethereumjs/common'
import { EVMError, type EVMOpts } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import type { ExecutionError } from '#evm/execution-error.ts'
import { assert } from '#types/assert.ts'
import type { FrameType } from '#types/frame-types.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import type { FrameStart } from './call-recorder.ts'
import { executionErrorOf } from './ethereumjs-errors.ts'
import type { Step } from './step.ts'
import type { Tracer } from './tracer.ts'

// The package exports neither the class nor its types; both are reachable from its exports.
type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
type Logic = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction']
export type RunState = Parameters<Logic>[0]
export type Interpreter = RunState['interpreter']
export type OpcodeEntry = ReturnType<Interpreter['lookupOpInfo']>
type RunResult = Awaited<ReturnType<Interpreter['run']>>
type Message = Parameters<Interpreter['_baseCall']>[0]

export type InterpreterClass = new (...args: never[]) => Interpreter

/** Callbacks of the interpreter. */
export interface InterpreterHost {
  /** Set if the running transaction is traced. */
  readonly tracer: Tracer | undefined
  /** Throws to end the work. */
  poll(): void
  /** The type of the frame about to be entered; cleared on entry. */
  nextFrame: FrameType | undefined
  refusedFrame(type: FrameType, message: Omit<FrameStart, 'type'>, error: ExecutionError): void
  selfdestruct(from: Uint8Array, to: Uint8Array, value: bigint): void
}

/** Instructions between two polls of the cancel cell, well below a millisecond. */
const POLL_INTERVAL = 1024
const MAX_DEPTH = 1024
const JUMP = 0x56
const JUMPI = 0x57
const PUSH1 = 0x60
const PUSH32 = 0x7f
const CALL_TYPES: Readonly<Record<number, FrameType>> = {
  241: 'call',
  242: 'callcode',
  244: 'delegatecall',
  250: 'staticcall',
}

interface Analysis {
  readonly jumps: Uint8Array
  readonly pushes: { [pc: number]: bigint }
}

/** Keyed by the byte array: the journal returns the same one for the same code hash. */
const analyses = new WeakMap<Uint8Array, Analysis>()

/** Loads the class, which the package does not export. The version is pinned, and a missing class is reported at start. */
export async function loadInterpreterClass(): Promise<InterpreterClass> {
  const file = new URL('./interpreter.js', import.meta.resolve('@ethereumjs/evm'))
  const { Interpreter } = (await import(file.href)) as { Interpreter?: InterpreterClass }
  assert(Interpreter !== undefined, '@ethereumjs/evm has its interpreter in dist/esm/interpreter.js.')
  return Interpreter
}

export function extendInterpreter(Base: InterpreterClass): InterpreterClass {
  return class extends Base {
    override async run(code: Uint8Array): Promise<RunResult> {
      const runState = this._runState
      runState.code = code
      const exceptionError = await runCode(this, runState, hostOf(this))
      return exceptionError === undefined ? { runState } : { runState, exceptionError }
    }

    override async _baseCall(message: Message): Promise<bigint> {
      const host = hostOf(this)
      const type = CALL_TYPES[this._runState.opCode]!
      host.nextFrame = type
      const { caller, to, codeAddress, value, gasLimit, data } = message
      const result = await super._baseCall(message)
      if (host.nextFrame === undefined) return result
      host.nextFrame = undefined
      const error = this._env.depth >= MAX_DEPTH ? 'callTooDeep' : 'insufficientBalance'
      const from = type === 'delegatecall' ? to! : caller
      host.refusedFrame(
        type,
        { from: from.bytes, to: codeAddress.bytes, value, gas: gasLimit, input: data },
        error,
      )
      return result
    }

    override async create(gas: bigint, value: bigint, input: Uint8Array, salt?: Uint8Array): Promise<bigint> {
      const host = hostOf(this)
      const type = salt === undefined ? 'create' : 'create2'
      host.nextFrame = type
      const { balance, nonce } = this._env.contract
      const result = await super.create(gas, value, input, salt)
      if (host.nextFrame === undefined) return result
      host.nextFrame = undefined
      const refusal = refusalOfCreate(this._env.depth, balance < value, nonce)
      host.refusedFrame(type, { from: this._env.address.bytes, to: undefined, value, gas, input }, refusal)
      return result
    }

    override async _selfDestruct(to: Address): Promise<void> {
      hostOf(this).selfdestruct(this._env.address.bytes, to.bytes, this._env.contract.balance)
      await super._selfDestruct(to)
    }
  }
}

function refusalOfCreate(depth: number, isPoor: boolean, nonce: bigint): ExecutionError {
  if (depth >= MAX_DEPTH) return 'callTooDeep'
  if (isPoor) return 'insufficientBalance'
  return nonce === MAX_NONCE ? 'nonceOverflow' : 'initCodeTooLarge'
}

function hostOf(interpreter: Interpreter): InterpreterHost {
  return (interpreter._evm as unknown as { readonly host: InterpreterHost }).host
}

function runCode(
  interpreter: Interpreter,
  runState: RunState,
  host: InterpreterHost,
): Promise<EVMError | undefined> {
  const { tracer } = host
  if (tracer === undefined || !tracer.steps.isWatching) {
    tracer?.code(runState.code)
    return runLoop(interpreter, runState, host)
  }
  useAnalysis(runState, analyses.get(runState.code))
  const analyse = () => useAnalysis(runState, analyseCode(interpreter, runState.code))
  return runTracedLoop({ interpreter, runState, host, tracer, analyse })
}

/** Runs until the code ends; returns the error, if any. */
async function runLoop(
  interpreter: Interpreter,
  runState: RunState,
  host: InterpreterHost,
): Promise<EVMError | undefined> {
  const { code, stack } = runState
  const { common } = interpreter._evm
  const entries = (interpreter._evm as unknown as { _opcodeMap: OpcodeEntry[] })._opcodeMap
  useAnalysis(runState, analyses.get(code))
  let steps = 0
  try {
    while (runState.programCounter < code.length) {
      if (++steps % POLL_INTERVAL === 0) host.poll()
      const opcode = code[runState.programCounter]!
      const { opcodeInfo, gasHandler, opHandler } = entries[opcode]!
      runState.opCode = opcode
      let gas = opcodeInfo.feeBigInt
      if (opcodeInfo.dynamicGas) {
        const cost = gasHandler(runState, gas, common)
        gas = typeof cost === 'bigint' ? cost : await cost
      }
      if (opcodeInfo.isInvalid) return invalidOpcode()
      interpreter.useGas(gas)
      runState.programCounter++
      if (opcode >= PUSH1 && opcode <= PUSH32 && !runState.shouldDoJumpAnalysis) {
        stack.push(runState.cachedPushes[runState.programCounter]!)
        runState.programCounter += opcode - PUSH1 + 1
        continue
      }
      if (runState.shouldDoJumpAnalysis && (opcode === JUMP || opcode === JUMPI)) {
        useAnalysis(runState, analyseCode(interpreter, code))
      }
      const pending = opHandler(runState, common)
      if (pending !== undefined) await pending
    }
    return undefined
  } catch (error) {
    return evmErrorOf(error)
  }
}

function useAnalysis(runState: RunState, analysis: Analysis | undefined): void {
  if (analysis === undefined) return
  runState.validJumps = analysis.jumps
  runState.cachedPushes = analysis.pushes
  runState.shouldDoJumpAnalysis = false
}

function analyseCode(interpreter: Interpreter, code: Uint8Array): Analysis {
  const analysis = interpreter._getValidJumpDestinations(code)
  analyses.set(code, analysis)
  return analysis
}

function invalidOpcode(): EVMError {
  return new EVMError(EVMError.errorMessages.INVALID_OPCODE)
}

/** The library throws EVM errors to end code; other exceptions pass through. */
function evmErrorOf(error: unknown): EVMError | undefined {
  if (!(error instanceof EVMError)) throw error
  return error.error === EVMError.errorMessages.STOP ? undefined : error
}

const STOP = 0x00
const CREATE = 0xf0
const CALL_CODES: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
const CREATE2 = 0xf5
/** More gas than any instruction takes. */
const PLENTY = 2n ** 300n
const E = EVMError.errorMessages

interface TracedLoop {
  readonly interpreter: Interpreter
  readonly runState: RunState
  readonly host: InterpreterHost
  readonly tracer: Tracer
  /** Finds the jump destinations when they are first needed. */
  readonly analyse: () => void
}

/** The loop above with a trace event per instruction, separate so the plain loop stays fast. */
async function runTracedLoop(loop: TracedLoop): Promise<EVMError | undefined> {
  const { runState, tracer } = loop
  const step = tracer.steps.createStep()
  tracer.code(runState.code)
  try {
    await runInstructions(loop, step)
    step.begin(STOP, runState)
    tracer.steps.done(step, runState)
    return undefined
  } catch (error) {
    if (!(error instanceof EVMError)) throw error
    const isEnd = error.error === E.STOP || error.error === E.REVERT
    if (isEnd) tracer.steps.done(step, runState)
    else tracer.steps.fault(step, runState, executionErrorOf(error) === 'outOfGas')
    return error.error === E.STOP ? undefined : error
  }
}

/** Runs until the end of the code; other ends are thrown. */
async function runInstructions(loop: TracedLoop, step: Step): Promise<void> {
  const { interpreter, runState, host, tracer, analyse } = loop
  const { code } = runState
  const { common } = interpreter._evm
  const entries = (interpreter._evm as unknown as { _opcodeMap: OpcodeEntry[] })._opcodeMap
  let steps = 0
  while (runState.programCounter < code.length) {
    if (++steps % POLL_INTERVAL === 0) host.poll()
    const opcode = code[runState.programCounter]!
    const entry = entries[opcode]!
    runState.opCode = opcode
    step.begin(opcode, runState)
    if (entry.opcodeInfo.isInvalid) throw new EVMError(E.INVALID_OPCODE)
    step.cost = entry.opcodeInfo.dynamicGas ? await dynamicGas(loop, entry, step) : entry.opcodeInfo.feeBigInt
    interpreter.useGas(step.cost)
    runState.programCounter++
    if (runState.shouldDoJumpAnalysis && (opcode === JUMP || opcode === JUMPI)) analyse()
    if (CALL_CODES.has(opcode) || opcode === CREATE || opcode === CREATE2) tracer.steps.wait(step, runState)
    await entry.opHandler(runState, common as Common)
    tracer.steps.done(step, runState)
  }
}

/** Without enough gas for a call, the library loses its cost. The handler runs again with plenty of gas to find it. */
async function dynamicGas(
  { interpreter, runState }: TracedLoop,
  { gasHandler, opcodeInfo }: OpcodeEntry,
  step: Step,
): Promise<bigint> {
  const { common } = interpreter._evm
  const ask = () => gasHandler(runState, opcodeInfo.feeBigInt, common)
  if (!CALL_CODES.has(step.op)) return await ask()
  const { memoryWordCount, highestMemCost, gasLeft } = runState
  const { journal } = interpreter
  await journal.checkpoint()
  try {
    const cost = await ask()
    await journal.commit()
    return cost
  } catch (error) {
    await journal.revert()
    if (!(error instanceof EVMError) || error.error !== E.OUT_OF_GAS) throw error
    Object.assign(runState, { memoryWordCount, highestMemCost, gasLeft: PLENTY })
    step.cost = await ask()
    runState.gasLeft = gasLeft
    throw error
  }
}
