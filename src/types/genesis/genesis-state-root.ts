/** The state root of a genesis file, computed without a store. The store must compute the same. */
import { addressToBytes } from '#types/address.ts'
import { type TrieEntry, trieRoot } from '#types/block/ordered-trie-root.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import type { GenesisAccount, GenesisAlloc } from './genesis-alloc.ts'

/** Every account of the file is in the state, including empty ones. */
export function genesisStateRoot(alloc: GenesisAlloc, keccak: Keccak = keccak256): Hash {
  const entries = [...alloc].map(
    ([address, account]): TrieEntry => [keccak(addressToBytes(address)), encodeAccount(account, keccak)],
  )
  return trieRoot(entries, keccak)
}

function encodeAccount({ nonce, balance, storage, code }: GenesisAccount, keccak: Keccak): Uint8Array {
  return encodeRlp([
    rlpScalar(nonce),
    rlpScalar(balance),
    hashToBytes(storageRoot(storage, keccak)),
    keccak(code),
  ])
}

function storageRoot(storage: GenesisAccount['storage'], keccak: Keccak): Hash {
  const entries = [...storage].flatMap(([slot, value]): TrieEntry[] =>
    value === 0n ? [] : [[keccak(bigintToBytes(slot, 32)), encodeRlp(rlpScalar(value))]],
  )
  return trieRoot(entries, keccak)
}
