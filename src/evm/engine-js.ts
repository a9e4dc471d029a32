/**
 * The engine in JavaScript: @ethereumjs/evm over Cairn's journal. It runs wherever Node does, knows every fork from
 * Frontier on, and is the reference for the native engine. Only this file and js/ import @ethereumjs.
 */
import { Common, type CustomCrypto, type HardforkTransitionConfig } from '@ethereumjs/common'
import { type EVMResult, NobleBN254, paramsEVM } from '@ethereumjs/evm'
import { Address as EthereumjsAddress } from '@ethereumjs/util'
import { type Address, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { FORKS } from '#types/genesis/fork-schedule.ts'
import { GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'
import { ByteWriter } from './byte-writer.ts'
import { type Crypto, loadCrypto } from './crypto.ts'
import {
  type BlockEnvironment,
  CANCEL,
  DEFAULT_SESSION_OPTIONS,
  type Engine,
  type EngineSession,
  type EngineTransaction,
  INTERRUPT,
  type RunResult,
  type SessionOptions,
} from './engine.ts'
import { executionErrorCode } from './execution-error.ts'
import { evmFault } from './faults.ts'
import { CairnEvm } from './js/cairn-evm.ts'
import { CallRecorder } from './js/call-recorder.ts'
import { CodeCache } from './js/code-cache.ts'
import { executionErrorOf } from './js/ethereumjs-errors.ts'
import { EthereumjsState } from './js/ethereumjs-state.ts'
import { extendInterpreter, type InterpreterClass, loadInterpreterClass } from './js/interpreter.ts'
import { JournalState } from './js/journal-state.ts'
import { verifyKzgProof } from './js/kzg.ts'
import {
  clearUp,
  type Executed,
  runTransaction,
  type TransactionResult,
  type TransactionRoom,
  type TransactionScope,
} from './js/run-transaction.ts'
import { Tracer } from './js/tracer.ts'
import { OUTCOME_FLAG } from './outcome.ts'
import type { Rules } from './rules.ts'
import type { StateLookup } from './state-lookup.ts'
import type { TraceRequest } from './trace/events.ts'

/** EVMs kept for later sessions, per rules; more would waste memory. */
const MAX_IDLE = 4

/** Call it once per thread. After that, only execution is asynchronous. */
export async function createJsEngine(): Promise<Engine> {
  const crypto = await loadCrypto()
  const Interpreter = extendInterpreter(await loadInterpreterClass())
  const codeCache = new CodeCache()
  const idle = new WeakMap<Rules, CairnEvm[]>()
  return {
    name: 'js',
    open: (block, rules, state, options) => {
      const waiting = idle.get(rules) ?? []
      idle.set(rules, waiting)
      const evm = waiting.pop() ?? createEvm(rules, crypto, Interpreter)
      return new JsSession({
        evm,
        block,
        rules,
        state,
        options: { ...DEFAULT_SESSION_OPTIONS, ...options },
        crypto,
        codeCache,
        createEvm: () => createEvm(rules, crypto, Interpreter),
        release: (free) => {
          if (waiting.length < MAX_IDLE) waiting.push(free)
        },
      })
    },
  }
}

function createEvm(rules: Rules, crypto: Crypto, Interpreter: InterpreterClass): CairnEvm {
  const common = createCommon(rules, customCryptoOf(crypto))
  const options = { common, params: createParameters(rules), bn254: new NobleBN254() }
  return new CairnEvm(options, Interpreter)
}

function customCryptoOf({ keccak, recover }: Crypto): CustomCrypto {
  return {
    keccak256: keccak,
    // Only the precompile calls it, which admits nothing but 27 and 28.
    ecrecover: (digest, v, r, s) => recover(digest, concatBytes(r, s, bigintToBytes(v - 27n, 1))),
    // The other KZG functions create blobs, which no engine does.
    kzg: { verifyProof: verifyKzgProof } as NonNullable<CustomCrypto['kzg']>,
  }
}

/** EIP-4788: the caller of system calls. */
const SYSTEM_ADDRESS = '0xfffffffffffffffffffffffffffffffffffffffe' as Address
const SYSTEM_CALL_GAS = 30_000_000n

interface SessionParts {
  readonly evm: CairnEvm
  readonly block: BlockEnvironment
  readonly rules: Rules
  readonly state: StateLookup
  readonly options: SessionOptions
  readonly crypto: Crypto
  readonly codeCache: CodeCache
  /** Replaces an EVM that was left in the middle of a call. */
  readonly createEvm: () => CairnEvm
  /** Called when the session is over and its EVM is free. */
  readonly release: (evm: CairnEvm) => void
}

/** Unwinds the library's stack to the start of the transaction. */
class Interruption extends Error {}

interface Usage {
  readonly gas: bigint
  readonly blobGas: bigint
}

class JsSession implements EngineSession {
  readonly #parts: SessionParts
  readonly #journal: JournalState
  readonly #recorder: CallRecorder | undefined
  #scope: TransactionScope
  readonly #writer = new ByteWriter()
  readonly #checkpoints: { readonly journal: number; readonly usage: Usage }[] = []
  #usage: Usage = { gas: 0n, blobGas: 0n }
  #isOver = false
  /** Whether the running work can be reverted so the session continues. */
  #mayInterrupt = false

  constructor(parts: SessionParts) {
    const { state, options, crypto, codeCache } = parts
    this.#parts = parts
    this.#journal = new JournalState(state, crypto.keccak, codeCache, () => this.#poll())
    this.#recorder = options.callTree ? new CallRecorder(options.callTreeMaxBytes) : undefined
    this.#scope = this.#attach(parts.evm)
  }

  #attach(evm: CairnEvm): TransactionScope {
    const { block, rules, options, crypto } = this.#parts
    const journal = this.#journal
    const state = new EthereumjsState(journal, evm.precompileKeys)
    evm.attach(state, this.#recorder, () => this.#poll())
    evm.movePrecompiles(options.movedPrecompiles)
    const coinbase = addressToBytes(block.coinbase)
    const header = headerOf(block, coinbase)
    return { evm, journal, state, rules, block, header, options, crypto, coinbase }
  }

  get gasUsed(): bigint {
    return this.#usage.gas
  }

  get blobGasUsed(): bigint {
    return this.#usage.blobGas
  }

  async run(transactions: readonly EngineTransaction[], trace?: TraceRequest): Promise<RunResult> {
    this.#assertOpen()
    const { evm } = this.#scope
    evm.tracer = trace === undefined ? undefined : new Tracer(trace)
    const result = await this.#guard(this.#runAll(transactions, evm.tracer))
    evm.tracer = undefined
    return result
  }

  async #runAll(transactions: readonly EngineTransaction[], tracer: Tracer | undefined): Promise<RunResult> {
    const { block, rules } = this.#scope
    const maxBlobGas = BigInt(rules.blobs?.max ?? 0) * GAS_PER_BLOB
    const outcomes: Uint8Array[] = []
    for (const [index, transaction] of transactions.entries()) {
      this.#recorder?.begin()
      const room = {
        gasLeftInBlock: block.gasLimit - this.#usage.gas,
        blobGasLeftInBlock: maxBlobGas - this.#usage.blobGas,
      }
      const result =
        tracer === undefined
          ? await this.#runOrInterrupt(transaction, room)
          : await runTransaction(this.#scope, transaction, room)
      if (result === 'interrupted') return { outcomes, refusal: undefined, isInterrupted: true }
      if (!result.ok) return { outcomes, refusal: { index, ...result.refusal }, isInterrupted: false }
      const { executed } = result
      if (tracer !== undefined) this.#endTrace(tracer, executed, transaction.sender)
      outcomes.push(this.#encode(executed, this.#scope.options.changesPerTransaction))
      this.#usage = {
        gas: this.#usage.gas + executed.gasUsed,
        blobGas: this.#usage.blobGas + executed.blobGasUsed,
      }
      if (this.#checkpoints.length === 0) this.#scope.journal.forgetUndo()
    }
    return { outcomes, refusal: undefined, isInterrupted: false }
  }

  async #runOrInterrupt(
    transaction: EngineTransaction,
    room: TransactionRoom,
  ): Promise<TransactionResult | 'interrupted'> {
    const start = this.#journal.checkpoint()
    this.#mayInterrupt = true
    try {
      this.#poll()
      return await runTransaction(this.#scope, transaction, room)
    } catch (error) {
      if (!(error instanceof Interruption)) throw error
      this.#journal.revert(start)
      // The old EVM stopped in the middle of its call frames.
      this.#scope = this.#attach(this.#parts.createEvm())
      return 'interrupted'
    } finally {
      this.#mayInterrupt = false
    }
  }

  #poll(): void {
    const { cancel } = this.#parts.options
    if (cancel === undefined) return
    const bits = Atomics.load(cancel, 0)
    if ((bits & CANCEL) !== 0) {
      throw evmFault('ENGINE_CANCELLED', { sentence: 'The execution was cancelled before it was done.' })
    }
    if ((bits & INTERRUPT) !== 0 && this.#mayInterrupt) throw new Interruption()
  }

  #endTrace(tracer: Tracer, executed: Executed, sender: Address): void {
    const { journal, coinbase } = this.#scope
    tracer.touched?.address(addressToBytes(sender))
    tracer.touched?.address(coinbase)
    tracer.end(executed, tracer.touched?.take(journal) ?? [])
  }

  async systemCall(to: Address, input: Uint8Array): Promise<Uint8Array> {
    this.#assertOpen()
    const { evm, state, header } = this.#scope
    state.beginTransaction()
    this.#recorder?.begin()
    const result = await this.#guard(
      evm.runCall({
        block: header,
        gasPrice: 0n,
        caller: new EthereumjsAddress(addressToBytes(SYSTEM_ADDRESS)),
        gasLimit: SYSTEM_CALL_GAS,
        to: new EthereumjsAddress(addressToBytes(to)),
        value: 0n,
        data: input,
        skipNonceIncrement: true,
      }),
    )
    clearUp(this.#scope, result)
    return this.#encode(describeCall(result), false)
  }

  credit(address: Address, wei: bigint): void {
    this.#assertOpen()
    const { journal, state, rules } = this.#scope
    const bytes = addressToBytes(address)
    const account = journal.account(bytes) ?? { nonce: 0n, balance: 0n, codeHash: journal.emptyCodeHash }
    const credited = { ...account, balance: account.balance + wei }
    if (rules.has('spuriousDragon') && state.isEmpty(credited)) journal.destroy(bytes)
    else journal.setAccount(bytes, credited)
  }

  sweep(from: Address, to: Address): void {
    const account = this.#scope.journal.account(addressToBytes(from))
    const wei = account?.balance ?? 0n
    this.credit(from, -wei)
    this.credit(to, wei)
  }

  hasCode(address: Address): boolean {
    const { journal } = this.#scope
    const account = journal.account(addressToBytes(address))
    return account !== undefined && journal.code(account.codeHash).length > 0
  }

  checkpoint(): number {
    this.#assertOpen()
    return this.#checkpoints.push({ journal: this.#scope.journal.checkpoint(), usage: this.#usage }) - 1
  }

  revert(checkpoint: number): void {
    this.#assertOpen()
    const target = this.#checkpoints[checkpoint]
    assert(
      target !== undefined,
      'A session reverts to a checkpoint that it made and that no earlier one undid.',
    )
    this.#scope.journal.revert(target.journal)
    this.#usage = target.usage
    this.#checkpoints.length = checkpoint + 1
  }

  changes(): Uint8Array {
    this.#assertOpen()
    return this.#scope.journal.changes()
  }

  finish(): Uint8Array {
    const changes = this.changes()
    this.#isOver = true
    this.#parts.release(this.#scope.evm)
    return changes
  }

  [Symbol.dispose](): void {
    if (!this.#isOver) this.finish()
  }

  /** A failure leaves the EVM in the middle of a call, so it is not released. */
  async #guard<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work
    } catch (error) {
      this.#isOver = true
      throw error
    }
  }

  #assertOpen(): void {
    assert(!this.#isOver, 'A session does nothing after it has finished or failed.')
  }

  #encode(executed: Executed, withChanges: boolean): Uint8Array {
    const writer = this.#writer
    const recorder = this.#recorder
    let flags = 0
    if (executed.contract !== undefined) flags |= OUTCOME_FLAG.contract
    if (recorder !== undefined) flags |= OUTCOME_FLAG.frames
    if (recorder?.isCut) flags |= OUTCOME_FLAG.framesCut
    if (withChanges) flags |= OUTCOME_FLAG.changes
    writer.uint8(executionErrorCode(executed.error))
    writer.uint8(flags)
    writer.uint64(executed.gasUsed)
    writer.uint64(executed.gasRefunded)
    writer.uint64(executed.blobGasUsed)
    if (executed.contract !== undefined) writer.bytes(executed.contract)
    writer.sizedBytes(executed.output)
    writer.uint32(executed.logs.length)
    for (const [address, topics, data] of executed.logs) {
      writer.bytes(address)
      writer.uint8(topics.length)
      for (const topic of topics) writer.bytes(topic)
      writer.sizedBytes(data)
    }
    recorder?.write(writer)
    if (withChanges) writer.sizedBytes(this.#scope.journal.transactionChanges())
    return writer.finish()
  }
}

function describeCall({ execResult }: EVMResult): Executed {
  const error = executionErrorOf(execResult.exceptionError)
  return {
    error,
    gasUsed: execResult.executionGasUsed,
    gasRefunded: 0n,
    blobGasUsed: 0n,
    contract: undefined,
    output: execResult.returnValue,
    logs: error === 'none' ? (execResult.logs ?? []) : [],
  }
}

function headerOf(block: BlockEnvironment, coinbase: Uint8Array): TransactionScope['header'] {
  return {
    header: {
      number: block.number,
      coinbase: new EthereumjsAddress(coinbase),
      timestamp: block.timestamp,
      difficulty: block.difficulty,
      prevRandao: block.prevRandao,
      gasLimit: block.gasLimit,
      baseFeePerGas: block.baseFeePerGas,
      getBlobGasPrice: () => block.blobBaseFee,
    },
  }
}

/** The library's name for the first fork. */
const FRONTIER = 'chainstart'

/** The parameter set of @ethereumjs/evm with the limit of EIP-170. */
const EIP_170_PARAMETERS = '607'

/**
 * Names every active fork, because the library applies only named forks. All begin at block 0, because the active
 * rules are already known.
 */
function createCommon(rules: Rules, customCrypto: CustomCrypto): Common {
  const hardforks: HardforkTransitionConfig[] = FORKS.filter(
    ({ name, code }) => code?.startsWith('changes') && rules.has(name),
  ).map(({ name }) => ({ name: name === 'frontier' ? FRONTIER : name, block: 0 }))
  return new Common({
    chain: {
      name: 'cairn',
      chainId: rules.chainId.toString(),
      genesis: { gasLimit: 0, difficulty: 0, nonce: '0x0000000000000000', extraData: '0x' },
      hardforks,
      bootstrapNodes: [],
      // The library checks only for 'poa'.
      consensus: { type: 'pow', algorithm: 'ethash' },
    },
    hardfork: hardforks.at(-1)!.name,
    customCrypto,
  })
}

function createParameters(rules: Rules): typeof paramsEVM {
  const limits = { ...paramsEVM[EIP_170_PARAMETERS], maxCodeSize: rules.maxCodeBytes }
  return { ...paramsEVM, [EIP_170_PARAMETERS]: limits }
}
