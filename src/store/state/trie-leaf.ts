/** Trie leaves of accounts and slots. */
import type { AccountRecord } from './account-record.ts'

/** rlp([nonce, balance, storage root, code hash]) with 9 + 33 + 33 + 33 bytes at most, and its header. */
const leaf = new Uint8Array(2 + 9 + 33 + 33 + 33)
const HASH_BYTES = 32

export function accountLeaf({ nonce, balance, storageRoot, codeHash }: AccountRecord): Uint8Array {
  // With two hashes it always has 56 to 255 bytes.
  let end = writeNumber(2, nonce)
  end = writeNumber(end, balance)
  for (const hash of [storageRoot, codeHash]) {
    leaf[end++] = 0x80 + HASH_BYTES
    leaf.set(hash, end)
    end += HASH_BYTES
  }
  leaf[0] = 0xf8
  leaf[1] = end - 2
  return leaf.slice(0, end)
}

/** rlp(value), the value without leading zeros. */
export function slotLeaf(value: Uint8Array): Uint8Array {
  if (value.length === 1 && value[0]! < 0x80) return value.slice()
  const bytes = new Uint8Array(1 + value.length)
  bytes[0] = 0x80 + value.length
  bytes.set(value, 1)
  return bytes
}

/** The value of a slot leaf: one small byte itself, or the bytes after a length. */
export function slotOfLeaf(leaf: Uint8Array): Uint8Array {
  return leaf.length === 1 ? leaf : leaf.subarray(1)
}

function writeNumber(at: number, bytes: Uint8Array): number {
  if (bytes.length === 1 && bytes[0]! < 0x80) {
    leaf[at] = bytes[0]!
    return at + 1
  }
  leaf[at] = 0x80 + bytes.length
  leaf.set(bytes, at + 1)
  return at + 1 + bytes.length
}
