/** Reads message lists item by item without re-encoding, so items are relayed unchanged. */

import type { ProposedBlock, WireGeneration } from '#consensus/bft/messages.ts'
import { consensusFault } from '#consensus/faults.ts'
import type { Address } from '#types/address.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES, type Hash, hashFromBytes } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { bytesFromRlp, decodeRlp, encodedRlpItems, encodeRlp, rlpScalar } from '#types/rlp.ts'

/** The largest p2p message, 16 MiB. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Maximum payloads per certificate: five times the validators of the largest network. Each costs a key recovery. */
export const MAX_CERTIFICATE_PAYLOADS = 512
/** Maximum bytes the main thread hashes at once, in less than a millisecond. */
export const MAX_HASHED_BYTES = 128 * 1024
/** Maximum payloads per message; IBFT 2.0 nests certificates. */
const MAX_MESSAGE_PAYLOADS = 16_384

/** The encoded empty string and the encoded empty list. */
export const EMPTY_STRING = Uint8Array.of(0x80)
export const EMPTY_LIST = Uint8Array.of(0xc0)

type Tuple<Length extends number, Items extends Uint8Array[] = []> = Items['length'] extends Length
  ? Items
  : Tuple<Length, [...Items, Uint8Array]>

/** The items of a list with at least `min` and at most `max`. */
export function itemsOf<Min extends number>(
  encoded: Uint8Array,
  min: Min,
  max: number = min,
): [...Tuple<Min>, ...Uint8Array[]] {
  const items = [...encodedRlpItems(encoded, max)]
  if (items.length >= min) return items as [...Tuple<Min>, ...Uint8Array[]]
  throw invalid(`A list has ${items.length} items, and not ${min}.`)
}

export function payloadsOf(encoded: Uint8Array, { maxPayloads }: MessageWork): Uint8Array[] {
  return [...encodedRlpItems(encoded, maxPayloads)]
}

/** Whether the item is this one-byte empty item. */
export function isItem(encoded: Uint8Array, nothing: Uint8Array): boolean {
  return encoded.length === 1 && encoded[0] === nothing[0]
}

export function bytesOf(encoded: Uint8Array, length: number): Uint8Array {
  return bytesFromRlp(decodeRlp(encoded, { maxBytes: length + 9 }), length)
}

export function hashOf(encoded: Uint8Array): Hash {
  return hashFromBytes(bytesOf(encoded, HASH_BYTES))
}

export function sealOf(encoded: Uint8Array): Uint8Array {
  return bytesOf(encoded, SIGNATURE_BYTES)
}

export function encodeScalar(value: number): Uint8Array {
  return encodeRlp(rlpScalar(value))
}

/** Maximum validators that join at once; if more do, nodes that lag behind lose their messages of the next height. */
const MAX_NEW_VALIDATORS = 16

/** A signed prepare takes at most 150 bytes. */
const PAYLOAD_BYTES = 512

/**
 * Limits and caches the work on the payloads of one message. In IBFT 2.0 each of a hundred round changes may contain the same
 * hundred prepares. The author is recovered first; messages of non-validators are not decoded any further.
 */
export class MessageWork {
  /** Maximum payloads per certificate. */
  readonly maxPayloads: number
  /** Maximum bytes of a payload in a certificate, which may be nested in IBFT 2.0; the message's own may contain a block. */
  readonly maxPayloadBytes: number
  readonly #validators: readonly Address[] | undefined
  readonly #strangers = new Set<Address>()
  #left = MAX_MESSAGE_PAYLOADS
  #hasAuthor = false
  readonly #signers = new Map<string, Address>()
  readonly #digest: Uint8Array | undefined

  /** `digest` is the hash of the signed part if it was computed elsewhere. */
  constructor(validators?: readonly Address[], digest?: Uint8Array) {
    this.#validators = validators
    this.#digest = digest
    const known = validators === undefined ? MAX_CERTIFICATE_PAYLOADS : validators.length + MAX_NEW_VALIDATORS
    this.maxPayloads = Math.min(MAX_CERTIFICATE_PAYLOADS, known)
    this.maxPayloadBytes = PAYLOAD_BYTES * (this.maxPayloads + 1)
  }

  /** Admits a short message of a non-validator, who may be a validator of the next height. */
  admit(author: Address): void {
    const isStranger = this.#validators?.includes(author) === false
    if (isStranger && !this.#hasAuthor) this.#left = 0
    else if (isStranger && this.#strangers.add(author).size > MAX_NEW_VALIDATORS) {
      throw invalid(`More than ${MAX_NEW_VALIDATORS} payloads in it are not signed by validators.`)
    }
    this.#hasAuthor = true
  }

  take(): void {
    if (--this.#left >= 0) return
    throw invalid('There are more payloads in it than its author may write.')
  }

  digest(payload: Uint8Array, hash: () => Uint8Array): Uint8Array {
    if (this.#hasAuthor && payload.length > this.maxPayloadBytes) {
      throw invalid(`A payload in its certificates has ${payload.length} bytes.`)
    }
    const known = this.#hasAuthor ? undefined : this.#digest
    return known ?? hash()
  }

  signer(digest: Uint8Array, signature: Uint8Array, recover: () => Address): Address {
    const key = `${formatDigits(digest)}${formatDigits(signature)}`
    const known = this.#signers.get(key) ?? recover()
    this.#signers.set(key, known)
    return known
  }
}

export function invalid(sentence: string): Fault {
  return consensusFault('INVALID_BFT_MESSAGE', { sentence })
}

/** Wraps an error as a fault of the complete message. */
export function asMessageFault<Value>(protocol: string, data: Uint8Array, decode: () => Value): Value {
  try {
    if (data.length > MAX_MESSAGE_BYTES) throw invalid(`It has ${data.length} bytes.`)
    return decode()
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const sentence = `Malformed ${protocol} message. ${cause.data.sentence}`
    throw consensusFault('INVALID_BFT_MESSAGE', { sentence }, { cause })
  }
}

/** Undefined in messages up to 25.12, which have no such item. */
export function decodeAccessList(item: Uint8Array | undefined): Uint8Array | undefined {
  return item === undefined || isItem(item, EMPTY_STRING) ? undefined : item
}

/** The access list items of a message of this generation. */
export function accessListItems(
  generation: WireGeneration,
  block: ProposedBlock | undefined,
): readonly Uint8Array[] {
  return generation === 'legacy' ? [] : [block?.accessList ?? EMPTY_STRING]
}
