/**
 * Short bytes with runs of zeros, such as the blooms of headers and the padded words of logs: what stands between the
 * runs, each part with its length, and the lengths of the runs. docs/wire/store.md is the specification.
 */
import { corruptFault } from '#store/faults.ts'
import { ValueReader, ValueWriter } from './varint.ts'

/** What is longer is not packed, and not unpacked either. */
export const MAX_PACKED_BYTES = 4096
/** A run costs two bytes, its own length and that of the part after it. */
const MIN_RUN = 4

const writer = new ValueWriter(MAX_PACKED_BYTES)
const unpacked = new Uint8Array(MAX_PACKED_BYTES)

/** A view, valid until the next call. */
export function packZeros(bytes: Uint8Array): Uint8Array {
  writer.clear()
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== 0) {
      at++
      continue
    }
    const start = at
    while (at < bytes.length && bytes[at] === 0) at++
    if (at - start < MIN_RUN) continue
    append(bytes.subarray(from, start))
    writer.varint(at - start)
    from = at
  }
  if (from < bytes.length) append(bytes.subarray(from))
  return writer.view()
}

function append(part: Uint8Array): void {
  writer.varint(part.length)
  writer.append(part)
}

export function unpackZeros(packed: Uint8Array): Uint8Array {
  const reader = new ValueReader(packed)
  let at = 0
  while (reader.left > 0) {
    const part = reader.take(reader.varint())
    const zeros = reader.left > 0 ? reader.varint() : 0
    const end = at + part.length + zeros
    if (end > MAX_PACKED_BYTES) throw corruptFault('a packed blob is too long')
    unpacked.set(part, at)
    unpacked.fill(0, at + part.length, end)
    at = end
  }
  return unpacked.slice(0, at)
}
