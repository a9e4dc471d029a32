/**
 * The Snappy block format, used by every message after HELLO (EIP-706). Implemented here because the claimed length of a
 * message must be checked before anything is allocated, and must not be exceeded.
 */
import { p2pFault } from '#p2p/faults.ts'

const LITERAL = 0
const COPY_1 = 1
const COPY_2 = 2
/** A 32-bit length has five groups of seven bits. */
const LENGTH_MAX_BYTES = 5
/** Shorter literals have their length in the tag. */
const SHORT_LITERAL = 60
/** A copy of three bytes yields at most 64; a message that claims more is lying. */
const RATIO_MAX = 22

/** The claimed length, and where the content begins. */
export function inflatedLength(packed: Uint8Array): { readonly length: number; readonly start: number } {
  let length = 0
  for (let at = 0; at < LENGTH_MAX_BYTES && at < packed.length; at++) {
    const byte = packed[at]!
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { length, start: at + 1 }
  }
  throw invalid('has no length')
}

/** Throws INVALID_COMPRESSION unless the message has exactly the claimed length, which is at most `maxBytes`. */
export function inflate(packed: Uint8Array, maxBytes: number): Uint8Array {
  const { length, start } = inflatedLength(packed)
  if (length > maxBytes) throw invalid(`claims ${length} bytes, more than ${maxBytes}`)
  if (length > (packed.length - start) * RATIO_MAX) throw invalid('claims more bytes than it can hold')
  const plain = new Uint8Array(length)
  let from = start
  let to = 0
  while (from < packed.length) {
    const tag = packed[from++]!
    const kind = tag & 3
    if (kind === LITERAL) {
      let size = tag >> 2
      if (size >= SHORT_LITERAL) {
        const bytes = size - SHORT_LITERAL + 1
        size = littleEndian(packed, from, bytes)
        from += bytes
      }
      size += 1
      if (size > packed.length - from || size > length - to) throw invalid('has a literal that is too long')
      plain.set(packed.subarray(from, from + size), to)
      from += size
      to += size
      continue
    }
    const bytes = kind === COPY_1 ? 1 : kind === COPY_2 ? 2 : 4
    let offset = littleEndian(packed, from, bytes)
    let size = (tag >> 2) + 1
    if (kind === COPY_1) {
      offset += (tag >> 5) << 8
      size = ((tag >> 2) & 7) + 4
    }
    from += bytes
    if (offset === 0 || offset > to || size > length - to) throw invalid('has a copy from outside')
    to = copy(plain, to, offset, size)
  }
  if (to !== length) throw invalid(`claims ${length} bytes and holds ${to}`)
  return plain
}

/** A copy may read bytes it has just written, which encodes runs. */
function copy(plain: Uint8Array, to: number, offset: number, size: number): number {
  if (offset >= size) plain.copyWithin(to, to - offset, to - offset + size)
  else for (let at = to; at < to + size; at++) plain[at] = plain[at - offset]!
  return to + size
}

function littleEndian(bytes: Uint8Array, from: number, count: number): number {
  if (count > bytes.length - from) throw invalid('is cut off')
  let value = 0
  for (let at = count - 1; at >= 0; at--) value = value * 256 + bytes[from + at]!
  return value
}

function invalid(what: string) {
  return p2pFault('INVALID_COMPRESSION', { sentence: `A compressed message of the peer ${what}.` })
}

/** Matches are only searched within a part, so copy offsets fit in two bytes. */
const PART_BYTES = 0x10000
/** A short message uses a part of the table, which is cleared for each message. */
const MIN_TABLE_BITS = 8
const MAX_TABLE_BITS = 14
/** Positions in the part, by a hash of four bytes. */
const table = new Uint16Array(2 ** MAX_TABLE_BITS)
const MATCH_MIN_BYTES = 4
/** Shorter parts, and the end of each, are literals. */
const MARGIN_BYTES = 15
/** The format's bound on growth. */
const GROWTH_BYTES = 32
const GROWTH_RATIO = 7 / 6

interface Packed {
  readonly plain: Uint8Array
  readonly packed: Uint8Array
}

let last: Packed = { plain: new Uint8Array(0), packed: Uint8Array.of(0) }

/** Several connections often send the same message in turn; it is packed once. */
export function deflateShared(plain: Uint8Array): Uint8Array {
  if (last.plain !== plain) last = { plain, packed: deflate(plain) }
  return last.packed
}

export function deflate(plain: Uint8Array): Uint8Array {
  const packed = new Uint8Array(GROWTH_BYTES + Math.ceil(plain.length * GROWTH_RATIO))
  let to = 0
  let length = plain.length
  for (; length >= 0x80; length = Math.floor(length / 0x80)) packed[to++] = (length & 0x7f) | 0x80
  packed[to++] = length
  for (let from = 0; from < plain.length; from += PART_BYTES) {
    to = packPart(plain.subarray(from, from + PART_BYTES), packed, to)
  }
  return packed.subarray(0, to)
}

function packPart(part: Uint8Array, packed: Uint8Array, start: number): number {
  let to = start
  let literalFrom = 0
  const end = part.length - MARGIN_BYTES
  if (end > 0) {
    const bits = Math.min(Math.max(32 - Math.clz32(end), MIN_TABLE_BITS), MAX_TABLE_BITS)
    table.fill(0, 0, 1 << bits)
    // Steps grow while nothing matches, so incompressible data costs little.
    let misses = 32
    for (let at = 1; at < end; ) {
      const word = wordAt(part, at)
      const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - bits)
      const candidate = table[slot]!
      table[slot] = at
      if (candidate >= at || wordAt(part, candidate) !== word) {
        at += misses++ >> 5
        continue
      }
      let size = MATCH_MIN_BYTES
      while (at + size < part.length && part[candidate + size] === part[at + size]) size++
      to = writeLiteral(part.subarray(literalFrom, at), packed, to)
      to = writeCopies(at - candidate, size, packed, to)
      at += size
      literalFrom = at
      misses = 32
    }
  }
  return writeLiteral(part.subarray(literalFrom), packed, to)
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

function writeLiteral(literal: Uint8Array, packed: Uint8Array, start: number): number {
  let to = start
  const size = literal.length - 1
  if (size < 0) return to
  if (size < SHORT_LITERAL) packed[to++] = size << 2
  else if (size < 0x100) {
    packed[to++] = SHORT_LITERAL << 2
    packed[to++] = size
  } else {
    packed[to++] = (SHORT_LITERAL + 1) << 2
    packed[to++] = size & 0xff
    packed[to++] = size >> 8
  }
  packed.set(literal, to)
  return to + literal.length
}

/** A copy has 4 to 64 bytes; the remainder must not be below 4. */
function writeCopies(offset: number, size: number, packed: Uint8Array, start: number): number {
  let to = start
  let left = size
  while (left > 0) {
    const bytes = left > 64 ? (left < 68 ? 60 : 64) : left
    packed[to++] = ((bytes - 1) << 2) | COPY_2
    packed[to++] = offset & 0xff
    packed[to++] = offset >> 8
    left -= bytes
  }
  return to
}
