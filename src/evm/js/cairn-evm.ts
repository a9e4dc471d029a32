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
import { type Account, Address, generateAddress, generateAddress2 } from '@ethereumjs/util'
import type { FrameType } from '#evm/call-tree.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { byteKey, byteKeyFromHex } from './byte-key.ts'
import type { CallRecorder, FrameStart } from './call-recorder.ts'
import { DELEGATION, isDelegation } from './delegation.ts'
import { executionErrorOf } from './ethereumjs-errors.ts'
import type { EthereumjsState } from './ethereumjs-state.ts'
import { HOT_INSTRUCTIONS } from './hot-instructions.ts'
import type { InterpreterClass, InterpreterHost, OpcodeEntry } from './interpreter.ts'
import { SYNCHRONOUS_GAS } from './synchronous-gas.ts'
import type { Tracer } from './tracer.ts'

type Message = NonNullable<EVMRunCallOpts['message']>
type Precompile = NonNullable<ReturnType<EVM['getPrecompile']>>

const NOTHING = new Uint8Array(0)

export class CairnEvm extends EVM {
  readonly #Interpreter: InterpreterClass
  /** By byte key. */
  readonly precompileKeys: ReadonlySet<string>
  #recorder: CallRecorder | undefined
  /** Without 0x; undefined: there is none any more. */
  readonly #moved = new Map<string, Precompile | undefined>()
  /** While a transaction is traced. */
  tracer: Tracer | undefined
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
    this.tracer = undefined
    this.#poll = poll
    this.host.nextFrame = undefined
  }

  readonly host: InterpreterHost = this.#createHost()

  #createHost(): InterpreterHost {
    const evm = this
    return {
      nextFrame: undefined,
      get tracer() {
        return evm.tracer
      },
      poll: () => this.#poll(),
      refusedFrame: (type, message, error) => {
        const start = { type, ...message }
        const end = { error, gasUsed: 0n, output: NOTHING }
        this.#recorder?.single(start, end)
        this.#traceEnter(start, start.to)
        this.tracer?.exit(end)
      },
      selfdestruct: (from, to, value) => {
        this.tracer?.steps.destroyed(from, to, value)
        this.#recorder?.single(
          { type: 'selfdestruct', from, to, value, gas: 0n, input: NOTHING },
          { error: 'none', gasUsed: 0n, output: NOTHING },
        )
      },
    }
  }

  /** For a session: from where to where. A place that one left runs whatever code it has. */
  movePrecompiles(moved: ReadonlyMap<string, string> | undefined): void {
    this.#moved.clear()
    for (const from of moved?.keys() ?? []) this.#moved.set(from.slice(2), undefined)
    for (const [from, to] of moved ?? []) this.#moved.set(to.slice(2), this.precompiles.get(from.slice(2)))
  }

  override getPrecompile(address: Address | `0x${string}`): Precompile | undefined {
    if (this.#moved.size === 0) return super.getPrecompile(address)
    const digits = address.toString().slice(2)
    return this.#moved.has(digits) ? this.#moved.get(digits) : super.getPrecompile(address)
  }

  override async runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const type = this.host.nextFrame
    this.host.nextFrame = undefined
    const { message } = options
    if (this.#recorder === undefined && this.tracer === undefined) return super.runCall(options)
    const start = message === undefined ? topFrame(options) : innerFrame(message, type)
    this.#recorder?.enter(start)
    if (this.tracer !== undefined) {
      this.#traceEnter(start, start.to ?? this.#createdAddress(start, message?.salt))
    }
    const result = await super.runCall(options)
    const { exceptionError, executionGasUsed, returnValue } = result.execResult
    const end = {
      error: executionErrorOf(exceptionError),
      gasUsed: executionGasUsed,
      output: returnValue,
      to: result.createdAddress?.bytes,
    }
    this.#recorder?.leave(end)
    this.tracer?.exit(end)
    return result
  }

  /** `to`: of a creation too, unless it was refused. */
  #traceEnter(start: FrameStart, to: Uint8Array | undefined): void {
    if (this.tracer === undefined) return
    this.tracer.enter({ ...start, to }, this.#isPrecompile(start))
    const mayDelegate = this.tracer.wants.touched && this.common.isActivatedEIP(7702)
    if (mayDelegate && start.to !== undefined) this.#touchDelegate(start.to)
  }

  /** As the library will have it, which says so only when the frame has ended. */
  #createdAddress({ from, input }: FrameStart, salt: Uint8Array | undefined): Uint8Array {
    if (salt !== undefined) return generateAddress2(from, salt, input)
    // Not a promise: our state answers at once (ethereumjs-state.ts). The nonce was raised already.
    const account = this.stateManager.getAccount(new Address(from)) as unknown as Account | undefined
    return generateAddress(from, bigintToBytes((account?.nonce ?? 1n) - 1n))
  }

  #isPrecompile({ type, to }: FrameStart): boolean {
    const isCall = type !== 'create' && type !== 'create2'
    return isCall && to !== undefined && this.precompileKeys.has(byteKey(to))
  }

  /** EIP-7702: whose code an account runs. */
  #touchDelegate(address: Uint8Array): void {
    const code = this.stateManager.getCode(new Address(address)) as unknown as Uint8Array
    if (isDelegation(code)) this.tracer?.touched?.address(code.subarray(DELEGATION.length))
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
