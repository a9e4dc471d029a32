/**
 * A transaction as peers and RPC clients send it: with the blobs of type 3 (EIP-4844, and EIP-7594 from Osaka on).
 * Blocks do not contain them, so they are kept apart. Proofs are checked by the owner of the trusted
 * setup (evm/native/kzg.ts).
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  encodeRlpList,
  listFromRlp,
  type RlpItem,
  type RlpLimits,
  rlpItemEnd,
  rlpListStart,
} from '#types/rlp.ts'
import { BLOB_TYPE, type Transaction } from './transaction.ts'
import { decodeTransaction } from './transaction-decode.ts'

/** 0 for one proof per blob, 1 for CELLS_PER_BLOB cell proofs per blob. */
export type SidecarVersion = 0 | 1

export interface BlobSidecar {
  readonly version: SidecarVersion
  readonly blobs: readonly Uint8Array[]
  /** One per blob. */
  readonly commitments: readonly Uint8Array[]
  readonly proofs: readonly Uint8Array[]
}

export interface PooledTransaction {
  readonly transaction: Transaction
  /** Undefined for other types, and for type 3 in the form of blocks. */
  readonly sidecar: BlobSidecar | undefined
}

export const BLOB_BYTES = 131_072
export const COMMITMENT_BYTES = 48
export const PROOF_BYTES = 48
export const CELLS_PER_BLOB = 128
const VERSION_KZG = 0x01
/** More than any fork allows in a block. */
export const MAX_SIDECAR_BLOBS = 128

/** Transaction, version, blobs, commitments, proofs. */
const MAX_WRAPPER_ITEMS = 5
const LIMITS: RlpLimits = { maxDepth: 1, maxItems: 1 + MAX_SIDECAR_BLOBS * CELLS_PER_BLOB, maxBytes: 2 ** 24 }

/** The result contains views of the input. */
export function decodePooledTransaction(bytes: Uint8Array, keccak: Keccak = keccak256): PooledTransaction {
  if (bytes[0] !== BLOB_TYPE) return { transaction: decodeTransaction(bytes, keccak), sidecar: undefined }
  let sidecar: BlobSidecar
  let body: Uint8Array | undefined
  try {
    body = wrappedBody(bytes)
    if (body === undefined) return { transaction: decodeTransaction(bytes, keccak), sidecar: undefined }
    sidecar = decodeSidecar([...encodedRlpItems(bytes.subarray(1), MAX_WRAPPER_ITEMS)].slice(1))
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.kind === 'INVALID_TRANSACTION') throw cause
    const sentence = `Malformed blob transaction. ${cause.data.sentence}`
    throw new Fault('INVALID_TRANSACTION', { sentence }, { cause })
  }
  return { transaction: decodeTransaction(concatBytes(bytes.subarray(0, 1), body), keccak), sidecar }
}

/** Encodes a transaction as peers exchange it. */
export function encodePooledTransaction({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const { encoded } = transaction
  if (sidecar === undefined) return encoded
  const { version, blobs, commitments, proofs } = sidecar
  const items: RlpItem[] = version === 0 ? [] : [Uint8Array.of(version)]
  const rest = [...items, blobs, commitments, proofs].map(encodeRlp)
  return concatBytes(encoded.subarray(0, 1), encodeRlpList([encoded.subarray(1), ...rest]))
}

/** The hash of a transaction in exchange encoding, whose blobs are not hashed. Throws for a malformed wrapper. */
export function pooledHash(bytes: Uint8Array, keccak: Keccak): Hash {
  const body = bytes[0] === BLOB_TYPE ? wrappedBody(bytes) : undefined
  return hashFromBytes(keccak(body === undefined ? bytes : concatBytes(bytes.subarray(0, 1), body)))
}

/** The hash by which a transaction names a blob: SHA-256 of its commitment, with a version in place of the first byte. */
export function versionedHash(commitment: Uint8Array): Hash {
  const digest = sha256(commitment)
  digest[0] = VERSION_KZG
  return hashFromBytes(digest)
}

/** The RLP list of the transaction in a wrapper with blobs; undefined if the bytes are a transaction without a wrapper. */
function wrappedBody(bytes: Uint8Array): Uint8Array | undefined {
  const wrapper = bytes.subarray(1)
  const start = rlpListStart(wrapper)
  // A transaction begins with its chain id, a wrapper with the transaction's list.
  if (start === wrapper.length || wrapper[start]! < 0xc0) return undefined
  return wrapper.subarray(start, rlpItemEnd(wrapper, start))
}

function decodeSidecar(encodedItems: readonly Uint8Array[]): BlobSidecar {
  const items = listFromRlp(encodedItems.map((item) => decodeRlp(item, LIMITS)))
  const version = items.length === 4 ? bytesFromRlp(items[0]!, 1)[0] : 0
  if (version !== (items.length === 4 ? 1 : 0)) throw invalid('The version of the wrapper is 1 or left out.')
  const [blobs, commitments, proofs] = listFromRlp(items.slice(items.length === 4 ? 1 : 0), 3)
  const sidecar: BlobSidecar = {
    version,
    blobs: pieces(blobs, BLOB_BYTES),
    commitments: pieces(commitments, COMMITMENT_BYTES),
    proofs: pieces(proofs, PROOF_BYTES),
  }
  const proofsPerBlob = version === 0 ? 1 : CELLS_PER_BLOB
  const count = sidecar.blobs.length
  if (sidecar.commitments.length !== count || sidecar.proofs.length !== count * proofsPerBlob) {
    throw invalid(`${count} blobs need as many commitments, and ${count * proofsPerBlob} proofs.`)
  }
  return sidecar
}

function pieces(item: RlpItem, length: number): readonly Uint8Array[] {
  return listFromRlp(item).map((piece) => bytesFromRlp(piece, length))
}

function invalid(sentence: string): Fault {
  return new Fault('INVALID_RLP', { sentence })
}
