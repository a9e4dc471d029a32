/**
 * How messages are signed and delivered. Direct: as objects, signed by the stated author, since no one in the simulation forges
 * signatures. Coded: with real keys and as protocol bytes, each validator in its own generation.
 */
import type {
  BftMessage,
  Draft,
  MessageCodec,
  Payload,
  SignDigest,
  Signed,
  WireGeneration,
} from '#consensus/bft/messages.ts'
import type { WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'

export interface Carrier {
  /** Bytes of all delivered messages; 0 if they have none. */
  readonly bytes: number
  /** Returns the same bytes for every copy of a message. */
  rawOf(message: BftMessage): Uint8Array
  messageOf(raw: Uint8Array): BftMessage
  /** Returns the message as it arrives. */
  carry(message: BftMessage, from: number, to: number): BftMessage
  /** May take real time, during which virtual time does not advance. */
  sign(draft: Draft, author: number): Signed<Payload> | Promise<Signed<Payload>>
  authorOfSeal(seal: Uint8Array, digest: Hash): Address | undefined
  generationOf(party: number): WireGeneration
  /** Signs any payload with any name; attackers use only their own. */
  signAs(payload: Payload, author: Address): Signed<Payload>
}

/** The size of a message without bytes, for limits. */
const RAW_BYTES = 64
const ADDRESS_END = 20
const DIGEST_END = 52
const NOT_ENCODED = new Uint8Array(0)

export class DirectCarrier implements Carrier {
  readonly bytes = 0
  readonly #protocol: BftProtocol
  readonly #addresses: readonly Address[]
  readonly #raw = new WeakMap<BftMessage, Uint8Array>()
  readonly #messages = new WeakMap<Uint8Array, BftMessage>()

  constructor(protocol: BftProtocol, addresses: readonly Address[]) {
    this.#protocol = protocol
    this.#addresses = addresses
  }

  rawOf(message: BftMessage): Uint8Array {
    const known = this.#raw.get(message)
    if (known !== undefined) return known
    const raw = new Uint8Array(RAW_BYTES)
    this.#raw.set(message, raw)
    this.#messages.set(raw, message)
    return raw
  }

  messageOf(raw: Uint8Array): BftMessage {
    const message = this.#messages.get(raw)
    assert(message !== undefined, 'Only received messages are forwarded.')
    return message
  }

  carry(message: BftMessage): BftMessage {
    return message
  }

  sign(draft: Draft, author: number): Signed<Payload> {
    const address = this.#addresses[author]!
    return { payload: payloadOf(this.#protocol, draft, address), author: address, encoded: NOT_ENCODED }
  }

  signAs(payload: Payload, author: Address): Signed<Payload> {
    if (payload.kind !== 'commit') return { payload, author, encoded: NOT_ENCODED }
    const sealAuthor = this.authorOfSeal(payload.seal, payload.digest)
    return { payload: { ...payload, sealAuthor }, author, encoded: NOT_ENCODED }
  }

  authorOfSeal(seal: Uint8Array, digest: Hash): Address | undefined {
    if (hashFromBytes(seal.slice(ADDRESS_END, DIGEST_END)) !== digest) return undefined
    return addressFromBytes(seal.slice(0, ADDRESS_END))
  }

  generationOf(): WireGeneration {
    return 'current'
  }
}

function payloadOf(protocol: BftProtocol, draft: Draft, author: Address): Payload {
  const { height, round } = draft
  switch (draft.kind) {
    case 'proposal':
      return { kind: 'proposal', height, round, digest: draft.block.digest }
    case 'prepare':
      return { kind: 'prepare', height, round, digest: draft.digest }
    case 'commit': {
      const seal = new Uint8Array(SIGNATURE_BYTES)
      seal.set(addressToBytes(author), 0)
      seal.set(hashToBytes(draft.sealed), ADDRESS_END)
      const sealAuthor = draft.sealed === draft.digest ? author : undefined
      return { kind: 'commit', height, round, digest: draft.digest, seal, sealAuthor }
    }
    case 'roundChange': {
      const { certificate } = draft
      if (certificate === undefined) return { kind: 'roundChange', height, round, prepared: undefined }
      const { proposal, prepares, block } = certificate
      const proof = protocol === 'ibft2' ? { proposal: proposal!, prepares } : undefined
      const prepared = { round: certificate.round, digest: block.digest, proof }
      return { kind: 'roundChange', height, round, prepared }
    }
  }
}

export interface CodedParty {
  readonly address: Address
  readonly signDigest: SignDigest
  readonly generation: WireGeneration
}

export class CodedCarrier implements Carrier {
  bytes = 0
  readonly #parties: readonly CodedParty[]
  readonly #codecs: readonly MessageCodec[]
  readonly #recoverSeal: Carrier['authorOfSeal']
  readonly #written = new WeakMap<BftMessage, { readonly code: number; readonly data: Uint8Array }>()
  readonly #messages = new WeakMap<Uint8Array, BftMessage>()
  /** By bytes, then by receiver: a node decodes only the first copy. */
  readonly #received = new WeakMap<Uint8Array, Map<number, BftMessage>>()

  constructor(
    protocol: BftProtocol,
    parties: readonly CodedParty[],
    crypto: WireCrypto,
    recoverSeal: Carrier['authorOfSeal'],
  ) {
    this.#parties = parties
    this.#recoverSeal = recoverSeal
    const create = protocol === 'qbft' ? createQbftCodec : createIbft2Codec
    this.#codecs = parties.map(({ generation }) => create(crypto, generation))
  }

  rawOf(message: BftMessage): Uint8Array {
    const written = this.#written.get(message)
    assert(written !== undefined, 'A message that was received has bytes.')
    return written.data
  }

  messageOf(raw: Uint8Array): BftMessage {
    const message = this.#messages.get(raw)
    assert(message !== undefined, 'Only received messages are forwarded.')
    return message
  }

  carry(message: BftMessage, from: number, to: number): BftMessage {
    // Relayed bytes are those received; only the author encoded them, in its generation.
    const written = this.#written.get(message) ?? this.#codecs[from]!.encode(message)
    this.#written.set(message, written)
    this.bytes += written.data.length
    const copies = this.#received.get(written.data) ?? new Map<number, BftMessage>()
    const known = copies.get(to)
    if (known !== undefined) return known
    const received = this.#codecs[to]!.decode(written.code, written.data)
    this.#received.set(written.data, copies.set(to, received))
    this.#written.set(received, written)
    this.#messages.set(written.data, received)
    return received
  }

  sign(draft: Draft, author: number): Promise<Signed<Payload>> {
    const { address, signDigest } = this.#parties[author]!
    return this.#codecs[author]!.sign(draft, address, signDigest)
  }

  signAs(): never {
    assert(false, 'Composing attackers do not write their messages out.')
  }

  authorOfSeal(seal: Uint8Array, digest: Hash): Address | undefined {
    return this.#recoverSeal(seal, digest)
  }

  generationOf(party: number): WireGeneration {
    return this.#parties[party]!.generation
  }
}
