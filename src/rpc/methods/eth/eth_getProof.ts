import { array, object, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { presentProof } from '#rpc/present/proof.ts'
import { readPinned, requireCanonical } from '#rpc/read-state.ts'
import { Address, AddressText } from '#rpc/schema/address.ts'
import { Block, LATEST } from '#rpc/schema/block-selector.ts'
import { DataText } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { SlotWire } from '#rpc/schema/storage-slot.ts'
import { addressToBytes } from '#types/address.ts'

/** Each costs a walk through the storage trie. */
const MAX_SLOTS = 1_024

const StorageKeys = new Param(array(SlotWire).max(MAX_SLOTS), 'INVALID_STORAGE_KEYS_PARAMS')

const ProofResult = object({
  accountProof: array(DataText),
  address: AddressText,
  balance: QuantityText,
  codeHash: HashText,
  nonce: QuantityText,
  storageHash: HashText,
  storageProof: array(object({ key: string(), value: QuantityText, proof: array(DataText) })),
}).meta({ title: 'proof' })

/** Needs 'engine' to run where nobody waits: a proof far back hashes what changed since. */
export default defineMethod({
  name: 'eth_getProof',
  summary:
    'An account and storage slots of it with Merkle proofs against the state root; null: no such block.',
  needs: ['chain', 'engine'],
  cost: 'medium',
  params: { address: Address, slots: StorageKeys, block: Block.default(LATEST) },
  result: ProofResult.nullable(),
  run: ({ chain }, { address, slots, block }) => {
    const verdict = readPinned(chain, block, (pinned) => {
      const proof = chain.proofAt(Number(pinned.header.number), addressToBytes(address), slots)
      requireCanonical(chain, pinned)
      return presentProof(address, proof)
    })
    if (verdict.ok) return verdict.value
    if (verdict.reason === 'no block') return null
    throw rpcFault('WORLD_STATE_UNAVAILABLE')
  },
})
