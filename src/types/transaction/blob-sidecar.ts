/**
 * A transaction as peers and RPC clients send it: with the blobs of type 3 (EIP-4844, and EIP-7594 from Osaka on).
 * Blocks do not contain them, so they are kept apart. Proofs, commitments and hashes are checked by the owner of the
 * trusted setup.
 */
import { concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  listFromRlp,
  type RlpItem,
  type RlpLimits,
  rlpItemEnd,
  rlpListStart,
} from '#types/rlp.ts'
import type { Transaction } from './transaction.ts'
import { decodeTransaction } from './transaction-decode.ts'

export interface BlobSidecar {
  /** 0 for one proof per blob, 1 for CELLS_PER_BLOB cell proofs per blob. */
  readonly version: 0 | 1
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
/** More than any fork allows in a block. */
export const MAX_SIDECAR_BLOBS = 128

const BLOB_TYPE = 0x03
/** Transaction, version, blobs, commitments, proofs. */
const MAX_WRAPPER_ITEMS = 5
const LIMITS: RlpLimits = { maxDepth: 1, maxItems: 1 + MAX_SIDECAR_BLOBS * CELLS_PER_BLOB, maxBytes: 2 ** 24 }

/** The result contains views of the input. */
export function decodePooledTransaction(bytes: Uint8Array, keccak: Keccak = keccak256): PooledTransaction {
  if (bytes[0] !== BLOB_TYPE) return { transaction: decodeTransaction(bytes, keccak), sidecar: undefined }
  let sidecar: BlobSidecar
  let body: Uint8Array
  try {
    const wrapper = bytes.subarray(1)
    const bodyStart = rlpListStart(wrapper)
    // A transaction begins with its chain id, a wrapper with the transaction's list.
    if (bodyStart === wrapper.length || wrapper[bodyStart]! < 0xc0) {
      return { transaction: decodeTransaction(bytes, keccak), sidecar: undefined }
    }
    body = wrapper.subarray(bodyStart, rlpItemEnd(wrapper, bodyStart))
    sidecar = decodeSidecar([...encodedRlpItems(wrapper, MAX_WRAPPER_ITEMS)].slice(1))
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.kind === 'INVALID_TRANSACTION') throw cause
    const sentence = `Malformed blob transaction. ${cause.data.sentence}`
    throw new Fault('INVALID_TRANSACTION', { sentence }, { cause })
  }
  return { transaction: decodeTransaction(concatBytes(bytes.subarray(0, 1), body), keccak), sidecar }
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
