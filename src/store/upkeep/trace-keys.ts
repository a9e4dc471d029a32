import { NUMBER_BYTES, numberKey, TABLE } from '#store/kv/keys.ts'
import type { Kv } from '#store/kv/kv.ts'
import { ADDRESS_BYTES } from '#types/address.ts'

const SLICE_KEYS = 4_000

/** Of call trees, and of the index of who called whom, for blocks before one; some at a time. */
export async function* traceKeysBefore(
  kv: Kv,
  before: number,
): AsyncGenerator<Uint8Array[], void, undefined> {
  let slice: Uint8Array[] = []
  for await (const key of keysBefore(kv, before)) {
    slice.push(key)
    if (slice.length < SLICE_KEYS) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

async function* keysBefore(kv: Kv, before: number): AsyncGenerator<Uint8Array, void, undefined> {
  const trees = { gte: numberKey(TABLE.callTrees, 0), lt: numberKey(TABLE.callTrees, before) }
  for await (const [key] of kv.range({ ...trees, limit: Number.POSITIVE_INFINITY })) yield key
  // The address comes first in these: each entry has to be looked at.
  const index = { gte: Uint8Array.of(TABLE.traceCaller), lt: Uint8Array.of(TABLE.traceCallee + 1) }
  for await (const [key] of kv.range({ ...index, limit: Number.POSITIVE_INFINITY })) {
    const number = Buffer.from(key.buffer, key.byteOffset, key.length).readUIntBE(
      1 + ADDRESS_BYTES,
      NUMBER_BYTES,
    )
    if (number < before) yield key
  }
}
