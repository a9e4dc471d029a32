/** Reading the lists of messages item by item, each left in the bytes it came in, so that it is sent on unchanged. */
import { consensusFault } from '#consensus/faults.ts'
import type { Address } from '#types/address.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES, type Hash, hashFromBytes } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { bytesFromRlp, decodeRlp, encodedRlpItems, encodeRlp, rlpScalar } from '#types/rlp.ts'

/** The largest p2p message, 16 MiB. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Payloads in one certificate: five times the validators of the largest network. Each costs a key recovery. */
export const MAX_CERTIFICATE_PAYLOADS = 512
/** What the main thread hashes at once, in less than a millisecond. */
export const MAX_HASHED_BYTES = 128 * 1024
/** In one message: those of IBFT 2.0 hold certificates in certificates. */
const MAX_MESSAGE_PAYLOADS = 16_384

/** One encoded item of nothing: a byte string, or a list. */
export const EMPTY_STRING = Uint8Array.of(0x80)
export const EMPTY_LIST = Uint8Array.of(0xc0)

/** The items of a list that has at least `min` and at most `max`. */
export function itemsOf(encoded: Uint8Array, min: number, max = min): Uint8Array[] {
  const items = [...encodedRlpItems(encoded, max)]
  if (items.length >= min) return items
  throw invalid(`A list has ${items.length} items, and not ${min}.`)
}

export function payloadsOf(encoded: Uint8Array, { maxPayloads }: MessageWork): Uint8Array[] {
  return [...encodedRlpItems(encoded, maxPayloads)]
}

/** Whether it is the one byte that stands for nothing. */
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

/**
 * Who joins with the next block is not known before it; more at a time than these, and a message of the next height is
 * lost on those who have not reached it.
 */
const MAX_NEW_VALIDATORS = 16

/** A prepare with its signature takes 150 bytes, or less. */
const PAYLOAD_BYTES = 512

/**
 * The work on the payloads of one message: counted before it is done, and done once for those that certificates repeat.
 * In IBFT 2.0 each of a hundred round changes may hold the same hundred prepares. The author of the message is recovered
 * first: what is no validator's is read no further than that.
 */
export class MessageWork {
  /** In one certificate. */
  readonly maxPayloads: number
  /** Of a payload in a certificate, which in IBFT 2.0 may hold one itself. That of the message may hold a block. */
  readonly maxPayloadBytes: number
  readonly #validators: readonly Address[] | undefined
  readonly #strangers = new Set<Address>()
  #left = MAX_MESSAGE_PAYLOADS
  #hasAuthor = false
  readonly #signers = new Map<string, Address>()
  readonly #digest: Uint8Array | undefined

  /** `digest`: what the signature of the message is over, where it was hashed elsewhere. */
  constructor(validators?: readonly Address[], digest?: Uint8Array) {
    this.#validators = validators
    this.#digest = digest
    const known = validators === undefined ? MAX_CERTIFICATE_PAYLOADS : validators.length + MAX_NEW_VALIDATORS
    this.maxPayloads = Math.min(MAX_CERTIFICATE_PAYLOADS, known)
    this.maxPayloadBytes = PAYLOAD_BYTES * (this.maxPayloads + 1)
  }

  /** One of somebody who may be a validator of the next height is read if it is short: it holds no other payload. */
  admit(author: Address): void {
    const isStranger = this.#validators?.includes(author) === false
    if (isStranger && !this.#hasAuthor) this.#left = 0
    else if (isStranger && this.#strangers.add(author).size > MAX_NEW_VALIDATORS) {
      throw invalid(`More than ${MAX_NEW_VALIDATORS} payloads in it are of no validator.`)
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

/** What went wrong, said of the message as a whole. */
export function asMessageFault<Value>(protocol: string, data: Uint8Array, decode: () => Value): Value {
  try {
    if (data.length > MAX_MESSAGE_BYTES) throw invalid(`It has ${data.length} bytes.`)
    return decode()
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const sentence = `The bytes are no message of ${protocol}. ${cause.data.sentence}`
    throw consensusFault('INVALID_BFT_MESSAGE', { sentence }, { cause })
  }
}
