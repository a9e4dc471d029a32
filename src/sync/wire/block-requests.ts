/** Requests for headers and by hash, and their answers as lists of encoded items. */
import { ethFault } from '#sync/faults.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { decodeRlp, encodedRlpItems, encodeRlp, listFromRlp, rlpScalar } from '#types/rlp.ts'
import { asEthMessage, encodeIdentified, readHashes, readIdentified, readUint64 } from './read-message.ts'

export interface HeadersRequest {
  /** The number or hash of the first header. */
  readonly from: bigint | Hash
  readonly count: bigint
  /** Blocks skipped between two headers. */
  readonly skip: bigint
  readonly isReverse: boolean
}

export interface Asked<What> {
  readonly id: bigint
  readonly what: What
}

const MAX_REQUEST_BYTES = 128
const MAX_REQUEST_ITEMS = 8

/** `[id, [from, count, skip, reverse]]` */
export function decodeGetBlockHeaders(data: Uint8Array): Asked<HeadersRequest> {
  return asEthMessage('GetBlockHeaders', data, () => {
    const { id, content } = readIdentified(data)
    const limits = { maxBytes: MAX_REQUEST_BYTES, maxItems: MAX_REQUEST_ITEMS, maxDepth: 1 }
    const [from, count, skip, reverse] = listFromRlp(decodeRlp(content, limits), 4)
    const isHash = from instanceof Uint8Array && from.length === HASH_BYTES
    return {
      id,
      what: {
        from: isHash ? hashFromBytes(from) : readUint64(from),
        count: readUint64(count),
        skip: readUint64(skip),
        isReverse: readUint64(reverse) !== 0n,
      },
    }
  })
}

export function encodeGetBlockHeaders({ id, what }: Asked<HeadersRequest>): Uint8Array {
  const from = typeof what.from === 'bigint' ? rlpScalar(what.from) : hashToBytes(what.from)
  const items = [from, rlpScalar(what.count), rlpScalar(what.skip), rlpScalar(what.isReverse ? 1 : 0)]
  return encodeIdentified({ id, content: encodeRlp(items) })
}

/** Decodes `[id, [hash…]]`; throws if there are more than `max`. */
export function decodeAskedHashes(name: string, data: Uint8Array, max: number): Asked<readonly Hash[]> {
  return asEthMessage(name, data, () => {
    const { id, content } = readIdentified(data)
    return { id, what: readHashes(content, max) }
  })
}

export function encodeAskedHashes({ id, what }: Asked<readonly Hash[]>): Uint8Array {
  return encodeIdentified({ id, content: encodeRlp(what.map(hashToBytes)) })
}

/** Decodes `[id, [item…]]` with items as views of the message; throws if there are more than `max`. */
export function decodeAnswer(name: string, data: Uint8Array, max: number): Asked<readonly Uint8Array[]> {
  return asEthMessage(name, data, () => {
    const { id, content } = readIdentified(data)
    return { id, what: [...encodedRlpItems(content, max)] }
  })
}

/** Reads only the request id. */
export function answerId(name: string, data: Uint8Array): bigint {
  return asEthMessage(name, data, () => readIdentified(data).id)
}

/** Extracts a transaction in its hashed encoding from a list, which contains typed transactions as byte strings. */
export function pooledBytes(item: Uint8Array): Uint8Array {
  if (item[0]! >= 0xc0) return item
  const bytes = decodeRlp(item, { maxBytes: item.length }) as Uint8Array
  if (bytes.length > 0 && bytes[0]! < 0xc0) return bytes
  throw ethFault('A byte string in a list of transactions has no type before it.')
}

export function pooledItem(bytes: Uint8Array): Uint8Array {
  return bytes[0]! >= 0xc0 ? bytes : encodeRlp(bytes)
}
