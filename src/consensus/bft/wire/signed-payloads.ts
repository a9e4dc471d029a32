/** Signs and decodes `[payload, signature]`, and recovers its author. */
import type { Payload, SignDigest, Signed } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'
import { bytesToBigint, concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, SIGNATURE_BYTES } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { isLowS, type Recover } from '#types/transaction/signature.ts'
import { bytesOf, invalid, itemsOf, type MessageWork } from './read-items.ts'

export interface WireCrypto {
  readonly keccak: Keccak
  readonly recover: Recover
}

/** The signed bytes in pieces: message code and payload, which the protocols join differently. */
export type Preimage = (code: number, payload: Uint8Array) => readonly Uint8Array[]

export function encodeSignedList(signed: readonly Signed<Payload>[]): Uint8Array {
  return encodeRlpList(signed.map(({ encoded }) => encoded))
}

export class SignedPayloads {
  readonly #crypto: WireCrypto
  readonly #preimage: Preimage

  constructor(crypto: WireCrypto, preimage: Preimage) {
    this.#crypto = crypto
    this.#preimage = preimage
  }

  /** The signature covers the received bytes, whichever generation wrote them. */
  decode<Content extends Payload>(
    encoded: Uint8Array,
    code: number,
    read: (payload: Uint8Array) => Content,
    work: MessageWork,
  ): Signed<Content> {
    work.take()
    const [payload, signature] = itemsOf(encoded, 2)
    const signed = bytesOf(signature, SIGNATURE_BYTES)
    if (!isLowS(bytesToBigint(signed.subarray(32, 64)))) throw invalid('A signature has a high s.')
    const digest = work.digest(payload, () => this.#digestOf(code, payload))
    const author = work.signer(digest, signed, () => this.#signerOf(digest, signed))
    work.admit(author)
    return { author, payload: read(payload), encoded }
  }

  /** The signed bytes of `[payload, signature]`, as views. */
  signedPieces(encoded: Uint8Array, code: number): readonly Uint8Array[] {
    const [payload] = itemsOf(encoded, 2)
    return this.#preimage(code, payload)
  }

  async sign<Content extends Payload>(
    content: Content,
    code: number,
    items: readonly Uint8Array[],
    author: Address,
    signDigest: SignDigest,
  ): Promise<Signed<Content>> {
    const payload = encodeRlpList(items)
    const signature = await signDigest(this.#digestOf(code, payload))
    return { payload: content, author, encoded: encodeRlpList([payload, encodeRlp(signature)]) }
  }

  /** Returns undefined if no key can have made it. */
  sealAuthor(digest: Uint8Array, seal: Uint8Array): Address | undefined {
    try {
      return this.#signerOf(digest, seal)
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  #digestOf(code: number, payload: Uint8Array): Uint8Array {
    return this.#crypto.keccak(concatBytes(...this.#preimage(code, payload)))
  }

  #signerOf(digest: Uint8Array, signature: Uint8Array): Address {
    const { recover, keccak } = this.#crypto
    return addressFromPublicKey(recover(digest, signature), keccak)
  }
}
