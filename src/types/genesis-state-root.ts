/** The root of the state that a genesis file describes, without a store: what a store must come to as well. */
import { addressToBytes } from './address.ts'
import { bigintToBytes } from './bytes.ts'
import type { GenesisAccount, GenesisAlloc } from './genesis-alloc.ts'
import { type Hash, hashToBytes } from './hash.ts'
import { type Keccak, keccak256 } from './keccak.ts'
import { type TrieEntry, trieRoot } from './ordered-trie-root.ts'
import { encodeRlp, rlpScalar } from './rlp.ts'

/** Every account of the file is in the state, empty ones too. */
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
