/**
 * The outcome of one transaction or system call, as engines report it. docs/internals/wire/engine.md is the
 * specification.
 */
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Log } from '#types/block/log.ts'
import { hashFromBytes } from '#types/hash.ts'
import { ByteReader } from './byte-reader.ts'
import { readFrameBytes } from './call-tree.ts'
import { EXECUTION_ERRORS, type ExecutionError } from './execution-error.ts'

/** Bits of the second byte. */
export const OUTCOME_FLAG = {
  /** The address of a created contract follows the fixed part. */
  contract: 1,
  /** The call tree was recorded. */
  frames: 2,
  /** The call tree was cut at its limit in bytes. */
  framesCut: 4,
  /** The changes of the transaction follow at the end. */
  changes: 8,
} as const

export interface Outcome {
  /** 'none' and 'codeNotPaid' are successes. */
  readonly error: ExecutionError
  readonly isSuccess: boolean
  /** After refunds. */
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
  readonly blobGasUsed: bigint
  /** The created contract, if the transaction succeeded. */
  readonly contract: Address | undefined
  readonly output: Uint8Array
  readonly logs: readonly Log[]
  /** Encoded call frames (decodeFrames in call-tree.ts); undefined if not recorded. */
  readonly frames: Uint8Array | undefined
  readonly areFramesCut: boolean
  /** Encoded as in types/state-changes.ts; undefined if not requested. */
  readonly changes: Uint8Array | undefined
}

/** Byte fields of the outcome are views into the argument. */
export function decodeOutcome(record: Uint8Array): Outcome {
  const reader = new ByteReader(record)
  const error = EXECUTION_ERRORS[reader.uint8()]
  assert(error !== undefined, 'An outcome has a known error.')
  const flags = reader.uint8()
  const has = (flag: number): boolean => (flags & flag) !== 0
  const outcome = {
    error,
    isSuccess: error === 'none' || error === 'codeNotPaid',
    gasUsed: reader.uint64(),
    gasRefunded: reader.uint64(),
    blobGasUsed: reader.uint64(),
    contract: has(OUTCOME_FLAG.contract) ? addressFromBytes(reader.bytes(20)) : undefined,
    output: reader.sizedBytes(),
    logs: decodeLogs(reader),
    frames: has(OUTCOME_FLAG.frames) ? readFrameBytes(reader) : undefined,
    areFramesCut: has(OUTCOME_FLAG.framesCut),
    changes: has(OUTCOME_FLAG.changes) ? reader.sizedBytes() : undefined,
  }
  assert(reader.isAtEnd, 'An outcome ends with its last field.')
  return outcome
}

function decodeLogs(reader: ByteReader): Log[] {
  const count = reader.uint32()
  const logs: Log[] = []
  for (let index = 0; index < count; index++) {
    const address = addressFromBytes(reader.bytes(20))
    const topicCount = reader.uint8()
    const topics = Array.from({ length: topicCount }, () => hashFromBytes(reader.bytes(32)))
    logs.push({ address, topics, data: reader.sizedBytes() })
  }
  return logs
}
