/** @ethereumjs/evm with Cairn's interpreter loop, state and call recorder. Used by one session at a time. */
import type { Common, StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
} from '@ethereumjs/evm'
import { type Account, Address, generateAddress, generateAddress2 } from '@ethereumjs/util'
import { assert } from '#types/assert.ts'
import { bigintToBytes } from '#types/bytes.ts'
import type { FrameType } from '#types/frame-types.ts'
import { wordAt } from '#types/state-changes.ts'
import { byteKey, byteKeyFromHex } from './byte-key.ts'
import type { CallRecorder, FrameStart } from './call-recorder.ts'
import { DELEGATION, isDelegation } from './delegation.ts'
import { executionErrorOf } from './ethereumjs-errors.ts'
import type { EthereumjsState } from './ethereumjs-state.ts'
import type { InterpreterClass, InterpreterHost, OpcodeEntry, RunState } from './interpreter.ts'
import type { Tracer } from './tracer.ts'
import { wordBytes } from './word-bytes.ts'

type Message = NonNullable<EVMRunCallOpts['message']>
type Precompile = NonNullable<ReturnType<EVM['getPrecompile']>>

const NOTHING = new Uint8Array(0)

export class CairnEvm extends EVM {
  readonly #Interpreter: InterpreterClass
  /** Precompile addresses as byte keys. */
  readonly precompileKeys: ReadonlySet<string>
  #recorder: CallRecorder | undefined
  /** Keyed without 0x; undefined at an address that a precompile left. */
  readonly #moved = new Map<string, Precompile | undefined>()
  /** Set while a transaction is traced. */
  tracer: Tracer | undefined
  #poll: () => void = () => {}
  /** The revert output of the creation that ended last. */
  #revertOutput: Uint8Array = NOTHING

  constructor(options: EVMOpts, Interpreter: InterpreterClass) {
    super(options)
    this.#Interpreter = Interpreter
    this._opcodeMap = this._opcodeMap.map(withHotHandlers)
    this.precompileKeys = new Set([...this.precompiles.keys()].map(byteKeyFromHex))
  }

  /** Called before every session. */
  attach(state: EthereumjsState, recorder: CallRecorder | undefined, poll: () => void): void {
    // Its methods return plain values instead of promises; `await` accepts both, but the types differ.
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

  /** Moves precompiles for one session, from old to new address. At an old address, the account's own code runs. */
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

  /** For a creation, `to` is the new address unless the creation was refused. */
  #traceEnter(start: FrameStart, to: Uint8Array | undefined): void {
    if (this.tracer === undefined) return
    this.tracer.enter({ ...start, to }, this.#isPrecompile(start))
    const mayDelegate = this.tracer.wants.touched && this.common.isActivatedEIP(7702)
    if (mayDelegate && start.to !== undefined) this.#touchDelegate(start.to)
  }

  /** Computes the address that the library reports only after the frame has ended. */
  #createdAddress({ from, input }: FrameStart, salt: Uint8Array | undefined): Uint8Array {
    if (salt !== undefined) return generateAddress2(from, salt, input)
    // Not a promise: the state answers synchronously (ethereumjs-state.ts). The nonce was already raised.
    const account = this.stateManager.getAccount(new Address(from)) as unknown as Account | undefined
    return generateAddress(from, bigintToBytes((account?.nonce ?? 1n) - 1n))
  }

  #isPrecompile({ type, to }: FrameStart): boolean {
    const isCall = type !== 'create' && type !== 'create2'
    return isCall && to !== undefined && this.precompileKeys.has(byteKey(to))
  }

  /** EIP-7702: notes the account whose code runs. */
  #touchDelegate(address: Uint8Array): void {
    const code = this.stateManager.getCode(new Address(address)) as unknown as Uint8Array
    if (isDelegation(code)) this.tracer?.touched?.address(code.subarray(DELEGATION.length))
  }

  /** The library has a dozen errors for refused input, some of them shared with code. */
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
   * The library also applies EIP-3541 (0xef) to the output of init code that reverts and takes all gas; the
   * specification does not. The output is therefore hidden from the library.
   */
  protected override async _executeCreate(message: Message): Promise<EVMResult> {
    this.#revertOutput = NOTHING
    const result = await super._executeCreate(message)
    if (result.execResult.exceptionError?.error === EVMError.errorMessages.REVERT) {
      result.execResult.returnValue = this.#revertOutput
    }
    return result
  }

  /** Follows the library, with Cairn's interpreter and without support for draft forks. */
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

/** Opcodes unknown to the fork share the entry of INVALID. */
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
  // A delegatecall passes its own caller on; the calling account is the one whose state it uses.
  const from = type === 'delegatecall' ? to! : caller
  const target = to === undefined ? undefined : message.codeAddress.bytes
  return { type, from: from.bytes, to: target, value, gas: gasLimit, input: data }
}

/** Dynamic gas of frequent instructions, synchronously; the library returns promises. The state tests compare the two. */

type GasOf = (runState: RunState, gas: bigint, common: Common) => bigint

const WORD = 32n
const COLD_SLOAD = 'coldsloadGas'
const WARM_READ = 'warmstoragereadGas'
const MCOPY_WORD_GAS = 3n

/** By opcode. */
const SYNCHRONOUS_GAS: Readonly<Record<number, GasOf>> = {
  32: keccakGas,
  55: copyGas,
  57: copyGas,
  62: returnDataCopyGas,
  81: (runState, gas, common) => gas + memoryGas(runState, runState.stack.peek()[0]!, WORD, common),
  82: (runState, gas, common) => gas + memoryGas(runState, runState.stack.peek()[0]!, WORD, common),
  83: (runState, gas, common) => gas + memoryGas(runState, runState.stack.peek()[0]!, 1n, common),
  84: sloadGas,
  94: mcopyGas,
  160: logGas,
  161: logGas,
  162: logGas,
  163: logGas,
  164: logGas,
  243: outputGas,
  253: outputGas,
}

/** Growing memory costs 3 per word plus a quadratic part, minus the amount paid before. */
function memoryGas(runState: RunState, offset: bigint, length: bigint, common: Common): bigint {
  if (length === 0n) return 0n
  const words = wordsOf(offset + length)
  if (words <= runState.memoryWordCount) return 0n
  const cost = words * common.param('memoryGas') + (words * words) / common.param('quadCoefficientDivGas')
  const paid = runState.highestMemCost
  runState.memoryWordCount = words
  if (cost <= paid) return cost
  runState.highestMemCost = cost
  return cost - paid
}

function wordsOf(bytes: bigint): bigint {
  return (bytes + 31n) / WORD
}

function keccakGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [offset, length] = runState.stack.peek(2) as [bigint, bigint]
  return (
    gas + memoryGas(runState, offset, length, common) + common.param('keccak256WordGas') * wordsOf(length)
  )
}

function copyGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [offset, , length] = runState.stack.peek(3) as [bigint, bigint, bigint]
  return gas + memoryGas(runState, offset, length, common) + common.param('copyGas') * wordsOf(length)
}

function returnDataCopyGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [, from, length] = runState.stack.peek(3) as [bigint, bigint, bigint]
  if (from + length > runState.interpreter.getReturnDataSize()) {
    throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
  }
  return copyGas(runState, gas, common)
}

function mcopyGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [to, from, length] = runState.stack.peek(3) as [bigint, bigint, bigint]
  const read = memoryGas(runState, from, length, common)
  return gas + MCOPY_WORD_GAS * wordsOf(length) + read + memoryGas(runState, to, length, common)
}

function sloadGas(runState: RunState, gas: bigint, common: Common): bigint {
  if (!common.isActivatedEIP(2929)) return gas
  const { journal } = runState.interpreter
  const address = runState.interpreter.getAddress().bytes
  const slot = wordBytes(runState.stack.peek()[0]!)
  if (journal.isWarmedStorage(address, slot)) return gas + common.param(WARM_READ)
  journal.addWarmedStorage(address, slot)
  return gas + common.param(COLD_SLOAD)
}

function logGas(runState: RunState, gas: bigint, common: Common): bigint {
  if (runState.interpreter.isStatic()) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
  const [offset, length] = runState.stack.peek(2) as [bigint, bigint]
  const topics = BigInt(runState.opCode - 0xa0) * common.param('logTopicGas')
  return gas + memoryGas(runState, offset, length, common) + topics + length * common.param('logDataGas')
}

function outputGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [offset, length] = runState.stack.peek(2) as [bigint, bigint]
  return gas + memoryGas(runState, offset, length, common)
}

/**
 * Frequent instructions that the library implements via hexadecimal text, done on bytes: loops ran 1.6 (Keccak) to 4
 * times (memory, SLOAD) as fast. The state tests compare the two.
 */

type Instruction = (runState: RunState, common: Common) => void

const WORD_BYTES = 32

/** By opcode. */
const HOT_INSTRUCTIONS: Readonly<Record<number, Instruction>> = {
  32: keccak,
  53: callDataLoad,
  81: mload,
  82: mstore,
  84: sload,
}

function keccak({ stack, memory }: RunState, { customCrypto }: Common): void {
  const offset = stack.pop()
  const length = stack.pop()
  const input = length === 0n ? NOTHING : memory.read(Number(offset), Number(length), true)
  stack.push(wordAt(customCrypto.keccak256!(input), 0))
}

function callDataLoad({ stack, interpreter }: RunState): void {
  const offset = stack.pop()
  const data = interpreter.getCallData()
  stack.push(offset < BigInt(data.length) ? paddedWordAt(data, Number(offset)) : 0n)
}

/** Bytes beyond the end are zero. */
function paddedWordAt(data: Uint8Array, at: number): bigint {
  if (at + WORD_BYTES <= data.length) return wordAt(data, at)
  const padded = new Uint8Array(WORD_BYTES)
  padded.set(data.subarray(at))
  return wordAt(padded, 0)
}

function mload({ stack, memory }: RunState): void {
  stack.push(wordAt(memory.read(Number(stack.pop()), WORD_BYTES, true), 0))
}

function mstore({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  memory.write(offset, WORD_BYTES, wordBytes(stack.pop()))
}

function sload({ stack, interpreter, stateManager }: RunState): void {
  // Not a promise: the state answers synchronously (ethereumjs-state.ts).
  const value = stateManager.getStorage(interpreter.getAddress(), wordBytes(stack.pop())) as unknown
  stack.push((value as Uint8Array).length === 0 ? 0n : wordAt(value as Uint8Array, 0))
}
