import { ByteReader } from '#evm/byte-reader.ts'
import type {
  BlockEnvironment,
  EngineSession,
  EngineTransaction,
  RefusedTransaction,
  RunResult,
  SessionOptions,
} from '#evm/engine.ts'
import { evmFault } from '#evm/faults.ts'
import type { Rules } from '#evm/rules.ts'
import type { StateLookup } from '#evm/state-lookup.ts'
import { CHUNK_BYTES, encodeWants, type TraceRequest } from '#evm/trace/records.ts'
import { refuseTransaction, type SenderState } from '#evm/transaction-refusal.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { minGasLimit } from '#types/transaction/intrinsic-gas.ts'
import { GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'
import { encodeSettings } from './encode-settings.ts'
import { encodeTransactions } from './encode-transactions.ts'
import { type Addon, type AddonOperation, type AddonSession, OPERATION } from './load-addon.ts'

/** Where an outcome has its gas used and its blob gas used (docs/wire/engine.md). */
const OUTCOME_GAS = 2
const OUTCOME_BLOB_GAS = 18
const CANCELLED = 'Cancelled'
const EXHAUSTED = 'exhausted'
const NOTHING = new Uint8Array(0)
const WANTS_BYTES = 2
/** Why a run has no more outcomes (docs/wire/engine-native.md); 0: there are no more transactions. */
const REFUSED = 1
const INTERRUPTED = 2

interface Usage {
  readonly gas: bigint
  readonly blobGas: bigint
}

export interface NativeSessionParts {
  readonly addon: Addon
  readonly block: BlockEnvironment
  readonly rules: Rules
  readonly state: StateLookup
  readonly options: SessionOptions
}

export class NativeSession implements EngineSession {
  readonly #native: AddonSession
  readonly #block: BlockEnvironment
  readonly #rules: Rules
  readonly #options: SessionOptions
  readonly #state: StateLookup
  readonly #checkpoints: Usage[] = []
  #usage: Usage = { gas: 0n, blobGas: 0n }
  /** Finished or failed: the addon has given its memory back. */
  #isOver = false
  #records: Uint8Array | undefined

  constructor({ addon, block, rules, state, options }: NativeSessionParts) {
    this.#native = new addon.NativeSession(encodeSettings(block, rules, options))
    this.#block = block
    this.#rules = rules
    this.#options = options
    this.#state = state
  }

  get gasUsed(): bigint {
    return this.#usage.gas
  }

  get blobGasUsed(): bigint {
    return this.#usage.blobGas
  }

  async run(transactions: readonly EngineTransaction[], trace?: TraceRequest): Promise<RunResult> {
    const encoded = encodeTransactions(transactions)
    const wants = trace === undefined ? NOTHING : bigintToBytes(BigInt(encodeWants(trace.wants)), WANTS_BYTES)
    const sink = trace === undefined ? undefined : this.#sinkOf(trace)
    const reader = new ByteReader(this.#call(OPERATION.run, encoded, wants, sink))
    const count = reader.uint32()
    const outcomes: Uint8Array[] = []
    for (let index = 0; index < count; index++) {
      const outcome = reader.sizedBytes()
      this.#count(outcome)
      outcomes.push(outcome)
    }
    const end = reader.uint8()
    const refusal = end === REFUSED ? this.#explain(transactions, count, reader) : undefined
    return { outcomes, refusal, isInterrupted: end === INTERRUPTED }
  }

  #sinkOf({ onRecords }: TraceRequest): RecordSink {
    this.#records ??= createRecordBuffer()
    return createRecordSink(this.#records, onRecords)
  }

  async systemCall(to: Address, input: Uint8Array): Promise<Uint8Array> {
    return this.#call(OPERATION.systemCall, addressToBytes(to), input)
  }

  credit(address: Address, wei: bigint): void {
    this.#call(OPERATION.credit, addressToBytes(address), bigintToBytes(wei, 32))
  }

  sweep(from: Address, to: Address): void {
    this.#call(OPERATION.sweep, addressToBytes(from), addressToBytes(to))
  }

  hasCode(address: Address): boolean {
    return this.#call(OPERATION.hasCode, addressToBytes(address))[0] === 1
  }

  checkpoint(): number {
    this.#checkpoints.push(this.#usage)
    return this.#native.checkpoint()
  }

  revert(checkpoint: number): void {
    const usage = this.#checkpoints[checkpoint]
    assert(
      usage !== undefined,
      'A session reverts to a checkpoint that it made and that no earlier one undid.',
    )
    this.#native.revert(checkpoint)
    this.#usage = usage
    this.#checkpoints.length = checkpoint + 1
  }

  changes(): Uint8Array {
    return this.#native.changes()
  }

  finish(): Uint8Array {
    this.#isOver = true
    return this.#native.finish()
  }

  [Symbol.dispose](): void {
    if (!this.#isOver) this.finish()
  }

  /** Errors of the addon in our words; what the reader of the state threw comes through as it is. */
  #call(
    operation: AddonOperation,
    first: Uint8Array,
    second: Uint8Array = NOTHING,
    sink?: RecordSink,
  ): Uint8Array {
    const { scratch, lookup } = this.#state
    const { cancel } = this.#options
    try {
      const answer = this.#native.call(
        operation,
        scratch,
        lookup,
        cancel,
        first,
        second,
        sink?.buffer,
        sink?.onRecords,
      )
      return typeof answer === 'number' ? scratch.slice(0, answer) : answer
    } catch (error) {
      this.#isOver = true
      const { code, message } = error as NodeJS.ErrnoException
      if (code !== CANCELLED) throw error
      if (message === EXHAUSTED) {
        const sentence = 'The execution is more work than its session allows.'
        throw evmFault('ENGINE_EXHAUSTED', { sentence }, { cause: error })
      }
      const sentence = 'The execution was cancelled before it was done.'
      throw evmFault('ENGINE_CANCELLED', { sentence }, { cause: error })
    }
  }

  #count(outcome: Uint8Array): void {
    const view = new DataView(outcome.buffer, outcome.byteOffset, outcome.byteLength)
    this.#usage = {
      gas: this.#usage.gas + view.getBigUint64(OUTCOME_GAS),
      blobGas: this.#usage.blobGas + view.getBigUint64(OUTCOME_BLOB_GAS),
    }
  }

  /** The addon finds that a transaction cannot run; why, and in which words, is decided where both engines ask. */
  #explain(
    transactions: readonly EngineTransaction[],
    index: number,
    reader: ByteReader,
  ): RefusedTransaction {
    const { transaction } = transactions[index]!
    const { gasCap, waivers } = this.#options
    const sender: SenderState = {
      nonce: reader.uint64(),
      balance: reader.uint256(),
      hasCode: reader.uint8() !== 0,
    }
    const refusal = refuseTransaction(transaction, {
      block: this.#block,
      waivers,
      gasLimit: gasCap !== undefined && gasCap < transaction.gasLimit ? gasCap : transaction.gasLimit,
      minGasLimit: minGasLimit(transaction, this.#rules.fork),
      gasLeftInBlock: this.#block.gasLimit - this.#usage.gas,
      blobGasLeftInBlock: BigInt(this.#rules.blobs?.max ?? 0) * GAS_PER_BLOB - this.#usage.blobGas,
      sender,
    })
    assert(refusal !== undefined, 'What the native engine refuses, the rules refuse.')
    return { index, ...refusal }
  }
}

/** Takes trace records from the addon, which fills one buffer again and again. */
interface RecordSink {
  readonly buffer: Uint8Array
  readonly onRecords: (length: number, isEnd: number) => number
}

/** For one session: blocks are traced transaction by transaction, and most have few records. */
function createRecordBuffer(): Uint8Array {
  return new Uint8Array(CHUNK_BYTES)
}

/** A record that is longer than the buffer comes in pieces and is put together. */
function createRecordSink(buffer: Uint8Array, onRecords: (chunk: Uint8Array) => void): RecordSink {
  let pieces: Uint8Array[] = []
  return {
    buffer,
    onRecords: (length, isEnd) => {
      const piece = buffer.subarray(0, length)
      if (isEnd === 0) pieces.push(piece.slice())
      else if (pieces.length === 0) onRecords(piece)
      else {
        const whole = concatBytes(...pieces, piece)
        pieces = []
        onRecords(whole)
      }
      return 0
    },
  }
}
