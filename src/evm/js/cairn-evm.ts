/** @ethereumjs/evm with our interpreter loop, our state and a record of its calls. One per session at a time. */
import type { StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
} from '@ethereumjs/evm'
import type { FrameType } from '#evm/call-tree.ts'
import { assert } from '#types/assert.ts'
import { byteKeyFromHex } from './byte-key.ts'
import type { CallRecorder, FrameStart } from './call-recorder.ts'
import { executionErrorOf } from './ethereumjs-errors.ts'
import type { EthereumjsState } from './ethereumjs-state.ts'
import { HOT_INSTRUCTIONS } from './hot-instructions.ts'
import type { InterpreterClass, InterpreterHost, OpcodeEntry } from './interpreter.ts'
import { SYNCHRONOUS_GAS } from './synchronous-gas.ts'

type Message = NonNullable<EVMRunCallOpts['message']>
type Precompile = NonNullable<ReturnType<EVM['getPrecompile']>>

const NOTHING = new Uint8Array(0)

export class CairnEvm extends EVM {
  readonly #Interpreter: InterpreterClass
  /** By byte key. */
  readonly precompileKeys: ReadonlySet<string>
  #recorder: CallRecorder | undefined
  #poll: () => void = () => {}
  /** What the creation that ended last reverted with. */
  #revertOutput: Uint8Array = NOTHING

  constructor(options: EVMOpts, Interpreter: InterpreterClass) {
    super(options)
    this.#Interpreter = Interpreter
    this._opcodeMap = this._opcodeMap.map(withHotHandlers)
    this.precompileKeys = new Set([...this.precompiles.keys()].map(byteKeyFromHex))
  }

  /** Before every session. */
  attach(state: EthereumjsState, recorder: CallRecorder | undefined, poll: () => void): void {
    // Its promises are plain values, see there; `await` does not mind, only the types do.
    this.stateManager = state as unknown as StateManagerInterface
    this.journal = state as unknown as EVM['journal']
    this.blockchain = state as unknown as EVM['blockchain']
    this.#recorder = recorder
    this.#poll = poll
    this.host.nextFrame = undefined
  }

  readonly host: InterpreterHost = {
    nextFrame: undefined,
    poll: () => this.#poll(),
    refusedFrame: (type, message, error) =>
      this.#recorder?.single({ type, ...message }, { error, gasUsed: 0n, output: NOTHING }),
    selfdestruct: (from, to, value) =>
      this.#recorder?.single(
        { type: 'selfdestruct', from, to, value, gas: 0n, input: NOTHING },
        { error: 'none', gasUsed: 0n, output: NOTHING },
      ),
  }

  override async runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const type = this.host.nextFrame
    this.host.nextFrame = undefined
    const { message } = options
    this.#recorder?.enter(message === undefined ? topFrame(options) : innerFrame(message, type))
    const result = await super.runCall(options)
    const { exceptionError, executionGasUsed, returnValue } = result.execResult
    this.#recorder?.leave({
      error: executionErrorOf(exceptionError),
      gasUsed: executionGasUsed,
      output: returnValue,
      to: result.createdAddress?.bytes,
    })
    return result
  }

  /** The library has a dozen errors for input that is refused, some of them those of code. */
  protected override async runPrecompile(
    code: Precompile,
    data: Uint8Array,
    gasLimit: bigint,
  ): Promise<ExecResult> {
    const result = await super.runPrecompile(code, data, gasLimit)
    const error = result.exceptionError?.error
    if (error === undefined || error === EVMError.errorMessages.OUT_OF_GAS) return result
    return { ...result, exceptionError: new EVMError(EVMError.errorMessages.INVALID_INPUTS) }
  }

  /**
   * The library looks for 0xef (EIP-3541) in what init code reverted with too, and takes all gas; the specification
   * in code only. So it does not get to see that output.
   */
  protected override async _executeCreate(message: Message): Promise<EVMResult> {
    this.#revertOutput = NOTHING
    const result = await super._executeCreate(message)
    if (result.execResult.exceptionError?.error === EVMError.errorMessages.REVERT) {
      result.execResult.returnValue = this.#revertOutput
    }
    return result
  }

  /** As in the library, but with our interpreter, and without what only drafts of forks need. */
  protected override async runInterpreter(message: Message): Promise<ExecResult> {
    const { to, caller, gasLimit } = message
    const block = this._block
    const tx = this._tx
    assert(
      to !== undefined && block !== undefined && tx !== undefined,
      'A message runs inside a transaction.',
    )
    const contract = await this.stateManager.getAccount(to)
    assert(contract !== undefined, 'An account exists while its code runs.')
    const environment = {
      address: to,
      caller,
      callData: message.data,
      callValue: message.value,
      code: message.code,
      isStatic: message.isStatic,
      isCreate: message.isCreate ?? false,
      depth: message.depth,
      gasPrice: tx.gasPrice,
      origin: tx.origin,
      block,
      contract,
      codeAddress: message.codeAddress,
      gasRefund: message.gasRefund,
      blobVersionedHashes: message.blobVersionedHashes ?? [],
      createdAddresses: message.createdAddresses,
    }
    const parts = [this, this.stateManager, this.blockchain, environment, gasLimit, this.journal]
    const interpreter = new this.#Interpreter(...(parts as never[]))
    if (message.selfdestruct) interpreter._result.selfdestruct = message.selfdestruct
    if (message.createdAddresses) interpreter._result.createdAddresses = message.createdAddresses
    const { runState, exceptionError } = await interpreter.run(message.code as Uint8Array)
    const isRevert = exceptionError?.error === 'revert'
    const failed = { logs: [], selfdestruct: new Map(), createdAddresses: new Set<never>() }
    const { returnValue = NOTHING, ...result } = interpreter._result
    const isHidden = isRevert && environment.isCreate
    if (isHidden) this.#revertOutput = returnValue
    return {
      ...result,
      ...(exceptionError === undefined ? {} : { ...failed, exceptionError }),
      executionGasUsed: exceptionError === undefined || isRevert ? gasLimit - runState.gasLeft : gasLimit,
      gasRefund: runState.gasRefund,
      returnValue: isHidden ? NOTHING : returnValue,
    }
  }
}

/** Codes that the fork does not know share the entry of INVALID. */
function withHotHandlers(entry: OpcodeEntry, opcode: number): OpcodeEntry {
  if (entry.opcodeInfo.code !== opcode) return entry
  return {
    opcodeInfo: entry.opcodeInfo,
    opHandler: HOT_INSTRUCTIONS[opcode] ?? entry.opHandler,
    gasHandler: SYNCHRONOUS_GAS[opcode] ?? entry.gasHandler,
  }
}

function topFrame({ to, caller, value, gasLimit, data }: EVMRunCallOpts): FrameStart {
  return {
    type: to === undefined ? 'create' : 'call',
    from: caller!.bytes,
    to: to?.bytes,
    value: value ?? 0n,
    gas: gasLimit ?? 0n,
    input: data ?? NOTHING,
  }
}

function innerFrame(message: Message, type: FrameType | undefined): FrameStart {
  assert(type !== undefined, 'An interpreter says what kind of frame it enters.')
  const { caller, to, value, gasLimit, data } = message
  // A delegatecall passes its own caller on; who calls is the account whose state it uses.
  const from = type === 'delegatecall' ? to! : caller
  const target = to === undefined ? undefined : message.codeAddress.bytes
  return { type, from: from.bytes, to: target, value, gas: gasLimit, input: data }
}
