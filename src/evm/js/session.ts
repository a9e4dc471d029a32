import type { EVMResult } from '@ethereumjs/evm'
import { Address as EthereumjsAddress } from '@ethereumjs/util'
import { ByteWriter } from '#evm/byte-writer.ts'
import type { Crypto } from '#evm/crypto.ts'
import type {
  BlockEnvironment,
  EngineSession,
  EngineTransaction,
  RunResult,
  SessionOptions,
} from '#evm/engine.ts'
import { CANCEL, INTERRUPT } from '#evm/engine.ts'
import { executionErrorCode } from '#evm/execution-error.ts'
import { evmFault } from '#evm/faults.ts'
import { OUTCOME_FLAG } from '#evm/outcome.ts'
import type { Rules } from '#evm/rules.ts'
import type { StateLookup } from '#evm/state-lookup.ts'
import type { TraceRequest } from '#evm/trace/records.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'
import type { CairnEvm } from './cairn-evm.ts'
import { CallRecorder } from './call-recorder.ts'
import type { CodeCache } from './code-cache.ts'
import { executionErrorOf } from './ethereumjs-errors.ts'
import { EthereumjsState } from './ethereumjs-state.ts'
import { JournalState } from './journal-state.ts'
import {
  clearUp,
  type Executed,
  runTransaction,
  type TransactionResult,
  type TransactionRoom,
  type TransactionScope,
} from './run-transaction.ts'
import { Tracer } from './tracer.ts'

/** EIP-4788: who calls when the protocol itself does. */
const SYSTEM_ADDRESS = '0xfffffffffffffffffffffffffffffffffffffffe' as Address
const SYSTEM_CALL_GAS = 30_000_000n

export interface SessionParts {
  readonly evm: CairnEvm
  readonly block: BlockEnvironment
  readonly rules: Rules
  readonly state: StateLookup
  readonly options: SessionOptions
  readonly crypto: Crypto
  readonly codeCache: CodeCache
  /** In the place of one that was left in the middle of something. */
  readonly createEvm: () => CairnEvm
  /** The session is over and its EVM free. */
  readonly release: (evm: CairnEvm) => void
}

/** Goes through the library to where the transaction began, and no further. */
class Interruption extends Error {}

interface Usage {
  readonly gas: bigint
  readonly blobGas: bigint
}

export class JsSession implements EngineSession {
  readonly #parts: SessionParts
  readonly #journal: JournalState
  readonly #recorder: CallRecorder | undefined
  #scope: TransactionScope
  readonly #writer = new ByteWriter()
  readonly #checkpoints: { readonly journal: number; readonly usage: Usage }[] = []
  #usage: Usage = { gas: 0n, blobGas: 0n }
  #isOver = false
  /** Whether what runs now can be taken back and the session go on. */
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
      // The one that ran it stopped in the middle of its frames.
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

  /** What threw left the EVM in the middle of something: it is not given back. */
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
