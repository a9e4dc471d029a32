/**
 * The loop over instructions, in place of that of @ethereumjs/evm, which awaits twice per instruction, knows nothing
 * of cancelling and analyses a contract's jumps in every call to it. The instructions themselves are the library's.
 */
import { EVMError, type EVMOpts } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'
import type { FrameType } from '#evm/call-tree.ts'
import type { ExecutionError } from '#evm/execution-error.ts'
import { assert } from '#types/assert.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { runTracedLoop } from './traced-loop.ts'
import type { Tracer } from './tracer.ts'

// The package exports neither the class nor its types; both are reachable from what it does export.
type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
type Logic = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction']
export type RunState = Parameters<Logic>[0]
export type Interpreter = RunState['interpreter']
export type OpcodeEntry = ReturnType<Interpreter['lookupOpInfo']>
type RunResult = Awaited<ReturnType<Interpreter['run']>>
type Message = Parameters<Interpreter['_baseCall']>[0]

export type InterpreterClass = new (...args: never[]) => Interpreter

/** What an interpreter tells beside its result. */
export interface InterpreterHost {
  /** Of the transaction that runs, if it is traced. */
  readonly tracer: Tracer | undefined
  /** Throws to end the work. */
  poll(): void
  /** The kind of the frame that is about to be entered; taken when it is. */
  nextFrame: FrameType | undefined
  refusedFrame(type: FrameType, message: RefusedMessage, error: ExecutionError): void
  selfdestruct(from: Uint8Array, to: Uint8Array, value: bigint): void
}

export interface RefusedMessage {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly gas: bigint
  readonly input: Uint8Array
}

/** Instructions between two looks at the cancel cell: well below a millisecond. */
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

/** By the bytes themselves: the journal hands out the same ones for the same code hash. */
const analyses = new WeakMap<Uint8Array, Analysis>()

/** The class inside the package, which it does not export. Versions are pinned, and its absence is told at start. */
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

/** Runs until the code ends or something ends it; the error, if it was one. */
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

/** Errors of the EVM are values that code throws to end itself; anything else is none of its business. */
function evmErrorOf(error: unknown): EVMError | undefined {
  if (!(error instanceof EVMError)) throw error
  return error.error === EVMError.errorMessages.STOP ? undefined : error
}
