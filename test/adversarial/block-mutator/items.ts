/** Blocks as trees of RLP items, in which an attacker may place any bytes. */
import { concatBytes, numberToBytes } from '#types/bytes.ts'
import { encodeRlp, encodeRlpList, rlpHeaderLength } from '#types/rlp.ts'

/** Bytes that take the place of an encoded item. */
export interface Encoded {
  readonly encoded: Uint8Array
}

export type Item = Uint8Array | readonly Item[] | Encoded

/** The position of the extra data in a header. */
export const EXTRA_DATA = 12
/** Marks the place of the extra data, which is encoded last: seals depend on the other fields. */
export const EXTRA_PLACE: Encoded = { encoded: new Uint8Array(0) }

/** Returns the commit seals for the digest that the validators sign. */
export type MakeSeals = (digest: Uint8Array) => Item

export interface RawBlock {
  /** With EXTRA_PLACE. */
  readonly header: readonly Item[]
  readonly extra: readonly Item[]
  /** Transactions, ommers and, from Shanghai on, withdrawals. */
  readonly body: readonly Item[]
  /** Overrides the honest seals. */
  readonly makeSeals?: MakeSeals
  /** Changes the bytes of the complete block. */
  readonly wrap?: (encoded: Uint8Array) => Uint8Array
}

/** The position of the commit seals in the extra data. */
const SEALS = 4

export function encodeItem(item: Item): Uint8Array {
  if (item instanceof Uint8Array) return encodeRlp(item)
  return isEncoded(item) ? item.encoded : encodeRlpList(item.map(encodeItem))
}

export function headerBytes({ header, extra }: RawBlock): Uint8Array {
  return encodeItem(header.map((item) => (item === EXTRA_PLACE ? encodeItem(extra) : item)))
}

export function bodyBytes({ body }: RawBlock): Uint8Array {
  return encodeItem(body)
}

export function blockBytes(raw: RawBlock): Uint8Array {
  const encoded = encodeRlpList([headerBytes(raw), ...raw.body.map(encodeItem)])
  return raw.wrap === undefined ? encoded : raw.wrap(encoded)
}

export function withSeals(raw: RawBlock, seals: Item): RawBlock {
  if (raw.extra.length <= SEALS) return raw
  return { ...raw, extra: raw.extra.with(SEALS, seals) }
}

/** The same item with a length prefix that is longer than necessary. */
export function longForm(item: Item): Encoded {
  const encoded = encodeItem(item)
  const first = encoded[0]!
  const payload = encoded.subarray(rlpHeaderLength(first))
  const length = numberToBytes(payload.length)
  const padded = concatBytes(Uint8Array.of(0), length)
  return {
    encoded: concatBytes(Uint8Array.of((first < 0xc0 ? 0xb7 : 0xf7) + padded.length), padded, payload),
  }
}

function isEncoded(item: Item): item is Encoded {
  return 'encoded' in item
}
