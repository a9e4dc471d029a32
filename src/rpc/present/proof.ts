import type { AccountProof } from '#chain/read/chain-view.ts'
import type { Address } from '#types/address.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { formatData, formatDigits, formatQuantity } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'

const EMPTY_CODE_HASH = formatData(keccak256(new Uint8Array(0)))
const EMPTY_TRIE_ROOT = formatData(keccak256(Uint8Array.of(0x80)))

/** The order of members is Besu's. An account that does not exist has zero values and a proof of its absence. */
export function presentProof(address: Address, { account, nodes, storage }: AccountProof) {
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

/** Without leading zero bytes, each byte left with both digits; zero is 0x0. */
function presentKey(slot: Uint8Array): string {
  const first = slot.findIndex((byte) => byte !== 0)
  return first === -1 ? '0x0' : `0x${formatDigits(slot.subarray(first))}`
}
