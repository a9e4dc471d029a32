/** Builds block 0 from the genesis file and commits it first. */

import { toStored } from '#chain/execute/execute.ts'
import type { Store } from '#store/writer.ts'
import { addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { bigintToBytes } from '#types/bytes.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { GenesisAlloc } from '#types/genesis/genesis-alloc.ts'
import { genesisBlock } from '#types/genesis/genesis-block.ts'
import { genesisStateRoot } from '#types/genesis/genesis-state-root.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { StateChangesWriter } from '#types/state-changes.ts'

export function genesisHashOf(genesis: Genesis, keccak: Keccak): Hash {
  return hashHeader(genesisBlock(genesis, genesisStateRoot(genesis.alloc, keccak)).header, keccak)
}

/** Does nothing if block 0 is stored. The store was opened with `genesisHash`. */
export async function commitGenesis(
  store: Store,
  genesis: Genesis,
  genesisHash: Hash,
  keccak: Keccak,
): Promise<void> {
  if (store.head() !== undefined) return
  const state = store.deriveState(store.headState(), changesOf(genesis.alloc, keccak))
  const block = genesisBlock(genesis, hashFromBytes(state.root))
  const hash = hashHeader(block.header, keccak)
  assert(hash === genesisHash, 'The store and the genesis file agree about block 0.')
  const nothing = { receipts: [], outcomes: [] }
  await store.commitBlocks([toStored({ keepRevertReasons: false }, { block, hash }, nothing, [], state)])
}

function changesOf(alloc: GenesisAlloc, keccak: Keccak): Uint8Array {
  const writer = new StateChangesWriter()
  const noCode = keccak(new Uint8Array(0))
  for (const [address, { nonce, balance, code, storage }] of alloc) {
    const bytes = addressToBytes(address)
    const codeHash = code.length === 0 ? noCode : keccak(code)
    if (code.length > 0) writer.code(codeHash, code)
    writer.account(bytes, nonce, balance, codeHash)
    for (const [slot, value] of storage) {
      if (value > 0n) writer.storage(bytes, bigintToBytes(slot, 32), bigintToBytes(value, 32))
    }
  }
  return writer.finish()
}
