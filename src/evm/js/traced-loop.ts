/** The loop of interpreter.ts with a record of every instruction; apart from it, so that the other one stays as fast. */
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { executionErrorOf } from './ethereumjs-errors.ts'
import type { Interpreter, InterpreterHost, OpcodeEntry, RunState } from './interpreter.ts'
import type { Step } from './step.ts'
import type { Tracer } from './tracer.ts'

const POLL_INTERVAL = 1024
const STOP = 0x00
const JUMP = 0x56
const JUMPI = 0x57
const CREATE = 0xf0
const CALL_CODES: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
const CREATE2 = 0xf5
/** More than any instruction takes. */
const PLENTY = 2n ** 300n
const E = EVMError.errorMessages

export interface TracedLoop {
  readonly interpreter: Interpreter
  readonly runState: RunState
  readonly host: InterpreterHost
  readonly tracer: Tracer
  /** Finds where code may jump to, once it has to be known. */
  readonly analyse: () => void
}

export async function runTracedLoop(loop: TracedLoop): Promise<EVMError | undefined> {
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

/** Until code has run to its end; other ends are thrown. */
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

/** What a call would have cost is lost when it is not there: then it is asked again, with plenty. */
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
