/** The outcome of one transaction or system call, as engines report it. docs/wire/engine.md is the specification. */
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Log } from '#types/block/log.ts'
import { hashFromBytes } from '#types/hash.ts'
import { ByteReader } from './byte-reader.ts'
import { readFrameBytes } from './call-tree.ts'
import { EXECUTION_ERRORS, type ExecutionError } from './execution-error.ts'

/** Bits of the second byte. */
export const OUTCOME_FLAG = {
  /** An address of a created contract follows the fixed part. */
  contract: 1,
  /** The call tree was recorded. */
  frames: 2,
  /** The call tree has no more frames than its limit in bytes allowed. */
  framesCut: 4,
  /** The changes of the transaction alone stand at the end. */
  changes: 8,
} as const

export interface Outcome {
  /** 'none': it succeeded. 'codeNotPaid' counts as success too. */
  readonly error: ExecutionError
  readonly isSuccess: boolean
  /** After refunds. */
  readonly gasUsed: bigint
  /** What refunds took off. */
  readonly gasRefunded: bigint
  readonly blobGasUsed: bigint
  /** Of a transaction that creates one and succeeded. */
  readonly contract: Address | undefined
  readonly output: Uint8Array
  readonly logs: readonly Log[]
  /** decodeFrames in call-tree.ts reads them; undefined: not recorded. */
  readonly frames: Uint8Array | undefined
  readonly areFramesCut: boolean
  /** types/state-changes.ts; undefined: not asked for. */
  readonly changes: Uint8Array | undefined
}

/** Bytes of the outcome are views into the record. */
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
