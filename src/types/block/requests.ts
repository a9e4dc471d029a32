/** EIP-7685: what the execution of a block asks of the beacon chain, and its hash in the header. */
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'

/** The first byte of a request list: EIP-6110, EIP-7002, EIP-7251. */
export const REQUEST_TYPE = { deposit: 0, withdrawal: 1, consolidation: 2 } as const

/** Each is a type byte and what the contract gave; those that are nothing but their type do not count. */
export function hashRequests(requests: readonly Uint8Array[]): Hash {
  const hashes = requests.filter((request) => request.length > 1).map((request) => sha256(request))
  return hashFromBytes(sha256(concatBytes(...hashes)))
}

/** Of a block that asks nothing, as all blocks of BFT networks do. */
export const EMPTY_REQUESTS_HASH = hashRequests([])
