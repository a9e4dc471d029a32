/** Reads `eth` messages within limits and reports every problem as one kind of fault. */
import { ethFault } from '#sync/faults.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  encodeRlpList,
  type RlpItem,
  rlpScalar,
  scalarFromRlp,
} from '#types/rlp.ts'

const UINT64_BYTES = 8
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024

/** `name` appears in the error message. */
export function asEthMessage<Value>(
  name: string,
  data: Uint8Array,
  read: (data: Uint8Array) => Value,
): Value {
  try {
    return read(data)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw ethFault(`Malformed ${name} message. ${cause.data.sentence}`)
  }
}

/** Decodes a small message completely. */
export function readList(data: Uint8Array, maxItems: number): readonly RlpItem[] {
  const item = decodeRlp(data, { maxDepth: 4, maxItems, maxBytes: MESSAGE_MAX_BYTES })
  if (item instanceof Uint8Array) throw ethFault('It is not a list.')
  return item
}

export function readUint64(item: RlpItem | undefined): bigint {
  if (item === undefined) throw ethFault('A number is missing.')
  return scalarFromRlp(item, UINT64_BYTES)
}

/** Reads a block number that fits into a Number. */
export function readBlockNumber(item: RlpItem | undefined): number {
  const number = readUint64(item)
  if (number <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(number)
  throw ethFault(`No block has the number ${number}.`)
}

export function readHash(item: RlpItem | undefined): Hash {
  if (item === undefined) throw ethFault('A hash is missing.')
  return hashFromBytes(bytesFromRlp(item, HASH_BYTES))
}

/** A request or answer: its id and its encoded content. */
export interface Identified {
  readonly id: bigint
  readonly content: Uint8Array
}

/** `[id, content]` */
export function readIdentified(data: Uint8Array): Identified {
  const [id, content, ...rest] = encodedRlpItems(data, 3)
  if (id === undefined || content === undefined || rest.length > 0)
    throw ethFault('It has no id and content.')
  return { id: scalarFromRlp(decodeRlp(id, { maxBytes: UINT64_BYTES + 1 }), UINT64_BYTES), content }
}

export function encodeIdentified({ id, content }: Identified): Uint8Array {
  return encodeRlpList([encodeRlp(rlpScalar(id)), content])
}

/** Reads a list of hashes; throws if there are more than `max`. */
export function readHashes(list: Uint8Array, max: number): Hash[] {
  const hashes: Hash[] = []
  for (const item of encodedRlpItems(list, max)) {
    hashes.push(readHash(decodeRlp(item, { maxBytes: HASH_BYTES + 1 })))
  }
  return hashes
}

export function encodeHashes(hashes: readonly Hash[]): Uint8Array {
  return encodeRlp(hashes.map(hashToBytes))
}
