/** EIP-7685: requests to the beacon chain, and their hash in the header. */
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'

/** The first byte of a request list: EIP-6110, EIP-7002, EIP-7251. */
export const REQUEST_TYPE = { deposit: 0, withdrawal: 1, consolidation: 2 } as const

/** Each request is a type byte and the contract's output; requests without output do not count. */
export function hashRequests(requests: readonly Uint8Array[]): Hash {
  const hashes = requests.filter((request) => request.length > 1).map((request) => sha256(request))
  return hashFromBytes(sha256(concatBytes(...hashes)))
}

/** The hash of a block without requests, such as every block of a BFT network. */
export const EMPTY_REQUESTS_HASH = hashRequests([])
