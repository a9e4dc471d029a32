import { array, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { readPinned, requireCanonical } from '#api/read-state.ts'
import {
  Address,
  AddressText,
  Block,
  DataText,
  HashText,
  LATEST,
  QuantityText,
  SlotWire,
} from '#api/schema/values.ts'
import type { AccountProof } from '#chain/read/chain-view.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { type Address as AccountAddress, addressToBytes } from '#types/address.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { formatData, formatDigits, formatQuantity } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'

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

/** Needs 'engine' so that no other request waits: an old proof hashes everything changed since. */
export default defineMethod({
  name: 'eth_getProof',
  summary:
    'An account and its storage slots with Merkle proofs against the state root; null if there is no such block.',
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

const EMPTY_CODE_HASH = formatData(keccak256(new Uint8Array(0)))
const EMPTY_TRIE_ROOT = formatData(keccak256(Uint8Array.of(0x80)))

/** In Besu's member order. A missing account has zero values and a proof of its absence. */
function presentProof(address: AccountAddress, { account, nodes, storage }: AccountProof) {
  return {
    accountProof: nodes.map(formatData),
    address,
    balance: formatQuantity(account?.balance ?? 0n),
    codeHash: account === undefined ? EMPTY_CODE_HASH : formatData(account.codeHash),
    nonce: formatQuantity(account?.nonce ?? 0n),
    storageHash: account === undefined ? EMPTY_TRIE_ROOT : formatData(account.storageRoot),
    storageProof: storage.map(({ slot, value, nodes: path }) => ({
      key: presentKey(slot),
      value: formatQuantity(value === undefined ? 0n : bytesToBigint(value)),
      proof: path.map(formatData),
    })),
  }
}

/** Without leading zero bytes, but with two digits per byte; zero is 0x0. */
function presentKey(slot: Uint8Array): string {
  const first = slot.findIndex((byte) => byte !== 0)
  return first === -1 ? '0x0' : `0x${formatDigits(slot.subarray(first))}`
}
