/** The calls of a transaction as engines record them. docs/internals/wire/engine.md is the specification. */
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { FRAME_TYPES, type FrameType } from '#types/frame-types.ts'
import { ByteReader } from './byte-reader.ts'
import { EXECUTION_ERRORS, type ExecutionError } from './execution-error.ts'

const CODES = new Map(FRAME_TYPES.map((type, code) => [type, code]))

export function frameTypeCode(type: FrameType): number {
  return CODES.get(type)!
}

export interface CallFrame {
  readonly type: FrameType
  readonly error: ExecutionError
  /** 0 for the call of the transaction itself. */
  readonly depth: number
  /** Number of direct calls; they follow, each with its own calls behind it. */
  readonly subtraces: number
  /** For callcode and delegatecall, the account whose state is used. */
  readonly from: Address
  /**
   * The account whose code runs; for a creation, the new account, or the zero address if it failed; for selfdestruct,
   * the beneficiary.
   */
  readonly to: Address
  /** For delegatecall, the value of the call around it. */
  readonly value: bigint
  readonly gas: bigint
  readonly gasUsed: bigint
  /** Call data, or init code. */
  readonly input: Uint8Array
  /** Return data, the revert reason, or the deployed code. */
  readonly output: Uint8Array
}

/** Type, error, depth, subtraces, two addresses, value and two amounts of gas. */
const FIXED_BYTES = 1 + 1 + 2 + 4 + 20 + 20 + 32 + 8 + 8

/** Returns the frames undecoded, because most are stored and never read. */
export function readFrameBytes(reader: ByteReader): Uint8Array {
  const from = reader.position
  for (let left = reader.uint32(); left > 0; left--) {
    reader.skip(FIXED_BYTES)
    reader.skip(reader.uint32())
    reader.skip(reader.uint32())
  }
  return reader.since(from)
}

export interface FrameParties {
  readonly type: FrameType
  readonly from: Address
  readonly to: Address
}

/** The account whose storage a frame uses. */
export function storageOwner({ type, from, to }: FrameParties): Address {
  return type === 'delegatecall' || type === 'callcode' ? from : to
}

/** Yields callers and callees without decoding the rest. */
export function* frameParties(bytes: Uint8Array): Generator<FrameParties, void, undefined> {
  const reader = new ByteReader(bytes)
  for (let left = reader.uint32(); left > 0; left--) {
    const type = FRAME_TYPES[reader.uint8()]
    assert(type !== undefined, 'A frame has a known type.')
    reader.skip(1 + 2 + 4)
    yield { type, from: addressFromBytes(reader.bytes(20)), to: addressFromBytes(reader.bytes(20)) }
    reader.skip(32 + 8 + 8)
    reader.skip(reader.uint32())
    reader.skip(reader.uint32())
  }
}

/** Returns views into the bytes, in the order of the calls. */
export function decodeFrames(bytes: Uint8Array): CallFrame[] {
  const reader = new ByteReader(bytes)
  const count = reader.uint32()
  const frames: CallFrame[] = []
  for (let index = 0; index < count; index++) frames.push(decodeFrame(reader))
  return frames
}

function decodeFrame(reader: ByteReader): CallFrame {
  const type = FRAME_TYPES[reader.uint8()]
  const error = EXECUTION_ERRORS[reader.uint8()]
  assert(type !== undefined && error !== undefined, 'A frame has a known type and a known error.')
  return {
    type,
    error,
    depth: reader.uint16(),
    subtraces: reader.uint32(),
    from: addressFromBytes(reader.bytes(20)),
    to: addressFromBytes(reader.bytes(20)),
    value: reader.uint256(),
    gas: reader.uint64(),
    gasUsed: reader.uint64(),
    input: reader.sizedBytes(),
    output: reader.sizedBytes(),
  }
}
