/**
 * The engine in Rust: revm in the crate native/, through Node-API. 35 to 170 times as fast as engine-js, with
 * identical output. It is optional: if no binary fits, the js engine runs.
 */

import { type Address, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Authorization } from '#types/transaction/authorization.ts'
import { minGasLimit } from '#types/transaction/intrinsic-gas.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import { GAS_PER_BLOB, maxFeePerGas, maxPriorityFeePerGas } from '#types/transaction/transaction-fees.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import {
  type BlockEnvironment,
  DEFAULT_SESSION_OPTIONS,
  type Engine,
  type EngineSession,
  type EngineTransaction,
  type RefusedTransaction,
  type RunResult,
  type SessionOptions,
} from './engine.ts'
import { evmFault } from './faults.ts'
import { clampToUint64, encodeSettings, nativeSupports } from './native/encode-settings.ts'
import {
  type Addon,
  type AddonOperation,
  type AddonSession,
  loadAddon,
  OPERATION,
} from './native/load-addon.ts'
import { recoverSenders } from './native/recover-senders.ts'
import type { Rules } from './rules.ts'
import type { StateLookup } from './state-lookup.ts'
import { CHUNK_BYTES, encodeWants, type TraceRequest } from './trace/events.ts'
import { refuseTransaction, type SenderState } from './transaction-refusal.ts'

export type NativeEngineVerdict =
  | { readonly ok: true; readonly engine: Engine; readonly addon: Addon; readonly path: string }
  | { readonly ok: false; readonly sentence: string }

/** Call it once per thread. `path` names the binary to load instead of the default ones. */
export function createNativeEngine(path?: string): NativeEngineVerdict {
  const loaded = loadAddon(path)
  if (!loaded.ok) return loaded
  const { addon } = loaded
  const engine: Engine = {
    name: 'native',
    open: (block, rules, state, options) => {
      if (!nativeSupports(rules)) {
        const sentence = `The native engine has no rules of ${rules.fork} alone; set CAIRN_ENGINE=js.`
        throw evmFault('UNSUPPORTED_FORK', { sentence, fork: rules.fork })
      }
      return new NativeSession({
        addon,
        block,
        rules,
        state,
        options: { ...DEFAULT_SESSION_OPTIONS, ...options },
      })
    },
    recoverSenders: (signed) => recoverSenders(addon, signed),
  }
  return { ok: true, engine, addon, path: loaded.path }
}

/** Offsets of gas used and blob gas used in an outcome (docs/internals/wire/engine.md). */
const OUTCOME_GAS = 2
const OUTCOME_BLOB_GAS = 18
const CANCELLED = 'Cancelled'
const EXHAUSTED = 'exhausted'
const NOTHING = new Uint8Array(0)
const WANTS_BYTES = 2
/** Why a run ended early (docs/internals/wire/engine-native.md); 0 after the last transaction. */
const REFUSED = 1
const INTERRUPTED = 2

interface Usage {
  readonly gas: bigint
  readonly blobGas: bigint
}

interface NativeSessionParts {
  readonly addon: Addon
  readonly block: BlockEnvironment
  readonly rules: Rules
  readonly state: StateLookup
  readonly options: SessionOptions
}

class NativeSession implements EngineSession {
  readonly #native: AddonSession
  readonly #parts: NativeSessionParts
  readonly #checkpoints: Usage[] = []
  #usage: Usage = { gas: 0n, blobGas: 0n }
  /** The session has finished or failed, and the addon has released its memory. */
  #isOver = false
  /** One per session: blocks are traced transaction by transaction, and most have few events. */
  #events: Uint8Array | undefined

  constructor(parts: NativeSessionParts) {
    const { addon, block, rules, options } = parts
    this.#native = new addon.NativeSession(encodeSettings(block, rules, options))
    this.#parts = parts
  }

  get gasUsed(): bigint {
    return this.#usage.gas
  }

  get blobGasUsed(): bigint {
    return this.#usage.blobGas
  }

  run(transactions: readonly EngineTransaction[], trace?: TraceRequest): RunResult {
    const encoded = encodeTransactions(transactions)
    const wants = trace === undefined ? NOTHING : bigintToBytes(BigInt(encodeWants(trace.wants)), WANTS_BYTES)
    const sink = trace === undefined ? undefined : this.#sinkOf(trace)
    const reader = new ByteReader(this.#call(OPERATION.run, encoded, wants, sink))
    // A long encoding is not kept until the next one.
    writer.clear()
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

  #sinkOf({ onEvents }: TraceRequest): EventSink {
    this.#events ??= new Uint8Array(CHUNK_BYTES)
    return createEventSink(this.#events, onEvents)
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

  /** Translates the addon's errors; an exception of the state reader passes through. */
  #call(
    operation: AddonOperation,
    first: Uint8Array,
    second: Uint8Array = NOTHING,
    sink?: EventSink,
  ): Uint8Array {
    const { state, options } = this.#parts
    const { scratch, lookup } = state
    const { cancel } = options
    try {
      const answer = this.#native.call(
        operation,
        scratch,
        lookup,
        cancel,
        first,
        second,
        sink?.buffer,
        sink?.onEvents,
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

  /**
   * The addon only reports that a transaction cannot run. The shared rules explain why, so both engines use the same
   * words.
   */
  #explain(
    transactions: readonly EngineTransaction[],
    index: number,
    reader: ByteReader,
  ): RefusedTransaction {
    const { transaction } = transactions[index]!
    const { gasCap, waivers } = this.#parts.options
    const sender: SenderState = {
      nonce: reader.uint64(),
      balance: reader.uint256(),
      hasCode: reader.uint8() !== 0,
    }
    const refusal = refuseTransaction(transaction, {
      block: this.#parts.block,
      waivers,
      gasLimit: gasCap !== undefined && gasCap < transaction.gasLimit ? gasCap : transaction.gasLimit,
      minGasLimit: minGasLimit(transaction, this.#parts.rules.fork),
      gasLeftInBlock: this.#parts.block.gasLimit - this.#usage.gas,
      blobGasLeftInBlock: BigInt(this.#parts.rules.blobs?.max ?? 0) * GAS_PER_BLOB - this.#usage.blobGas,
      sender,
    })
    assert(refusal !== undefined, 'A transaction refused by the native engine breaks a rule.')
    return { index, ...refusal }
  }
}

/** Receives trace events from the addon, which reuses one buffer. */
interface EventSink {
  readonly buffer: Uint8Array
  readonly onEvents: (length: number, isEnd: number) => number
}

/** Joins an event that is longer than the buffer from its pieces. */
function createEventSink(buffer: Uint8Array, onEvents: (chunk: Uint8Array) => void): EventSink {
  let pieces: Uint8Array[] = []
  return {
    buffer,
    onEvents: (length, isEnd) => {
      const piece = buffer.subarray(0, length)
      if (isEnd === 0) pieces.push(piece.slice())
      else if (pieces.length === 0) onEvents(piece)
      else {
        const whole = concatBytes(...pieces, piece)
        pieces = []
        onEvents(whole)
      }
      return 0
    },
  }
}

/** Replaces a parity: the last 20 of the 64 signature bytes name the authority. */
const NAMED_AUTHORITY = 0xff
const NO_SIGNATURE = new Uint8Array(64 - 20)

/** Shared, because most sessions run one short call. */
const writer = new ByteWriter()

/**
 * Encodes transactions for the native engine, which reads as many as their count says before it returns.
 * docs/internals/wire/engine-native.md is the specification.
 */
function encodeTransactions(transactions: readonly EngineTransaction[]): Uint8Array {
  // A failed encoding may have left bytes.
  writer.clear()
  writer.uint32(transactions.length)
  for (const { transaction, sender, authorities } of transactions) {
    writer.uint8(transaction.type)
    writer.bytes(addressToBytes(sender))
    encodeCall(transaction)
    encodeLists(transaction, authorities)
  }
  return writer.peek()
}

function encodeCall(transaction: UnsignedTransaction): void {
  const { to } = transaction
  writer.uint64(transaction.nonce)
  writer.uint64(clampToUint64(transaction.gasLimit))
  writer.uint256(maxFeePerGas(transaction))
  writer.uint256(maxPriorityFeePerGas(transaction))
  writer.uint256(transaction.value)
  writer.uint8(to === null ? 0 : 1)
  if (to !== null) writer.bytes(addressToBytes(to))
  writer.sizedBytes(transaction.data)
}

function encodeLists(transaction: UnsignedTransaction, authorities: EngineTransaction['authorities']): void {
  if (transaction.type === 0) return
  writer.uint32(transaction.accessList.length)
  for (const { address, storageKeys } of transaction.accessList) {
    writer.bytes(addressToBytes(address))
    writer.uint32(storageKeys.length)
    for (const key of storageKeys) writer.bytes(hashToBytes(key))
  }
  if (transaction.type === 3) {
    writer.uint256(transaction.maxFeePerBlobGas)
    writer.uint32(transaction.blobVersionedHashes.length)
    for (const hash of transaction.blobVersionedHashes) writer.bytes(hashToBytes(hash))
  }
  if (transaction.type === 4) {
    writer.uint32(transaction.authorizationList.length)
    for (const [index, authorization] of transaction.authorizationList.entries()) {
      encodeAuthorization(authorization, authorities?.[index])
    }
  }
}

function encodeAuthorization(authorization: Authorization, authority: Address | undefined): void {
  writer.uint256(authorization.chainId)
  writer.bytes(addressToBytes(authorization.address))
  writer.uint64(authorization.nonce)
  if (authority !== undefined) {
    writer.uint8(NAMED_AUTHORITY)
    writer.bytes(NO_SIGNATURE)
    writer.bytes(addressToBytes(authority))
    return
  }
  // A parity above 1 never recovers to a key; 0xff would name an authority.
  writer.uint8(Math.min(authorization.yParity, NAMED_AUTHORITY - 1))
  writer.uint256(authorization.r)
  writer.uint256(authorization.s)
}
