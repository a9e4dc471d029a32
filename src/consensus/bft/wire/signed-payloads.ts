/** A payload with its signature, `[payload, signature]`: signed, and read with the author that the signature tells. */
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

/** What is hashed and signed: the message code and the payload, which the two protocols join differently; in pieces. */
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

  /** The signature counts over the bytes that came, whichever generation wrote them. */
  decode<Content extends Payload>(
    encoded: Uint8Array,
    code: number,
    read: (payload: Uint8Array) => Content,
    work: MessageWork,
  ): Signed<Content> {
    work.take()
    const [payload, signature] = itemsOf(encoded, 2) as [Uint8Array, Uint8Array]
    const signed = bytesOf(signature, SIGNATURE_BYTES)
    if (!isLowS(bytesToBigint(signed.subarray(32, 64)))) throw invalid('A signature has a high s.')
    const digest = work.digest(payload, () => this.#digestOf(code, payload))
    const author = work.signer(digest, signed, () => this.#signerOf(digest, signed))
    work.admit(author)
    return { author, payload: read(payload), encoded }
  }

  /** What the signature in `[payload, signature]` is over, in views. */
  signedPieces(encoded: Uint8Array, code: number): readonly Uint8Array[] {
    const [payload] = itemsOf(encoded, 2) as [Uint8Array]
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

  /** undefined: nobody can have made it. */
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
