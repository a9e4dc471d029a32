/** Balances of many accounts in few bytes: Brotli of an RLP list of pairs, a balance and the addresses that have it. */
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { formatData } from '#types/hex.ts'
import { bytesFromRlp, decodeRlp, encodeRlp, listFromRlp, rlpScalar, scalarFromRlp } from '#types/rlp.ts'
import type { Allocation } from './stake-allocation.ts'

const ADDRESS_BYTES = 20
const MAX_BYTES = 4 * 1024 * 1024

export function unpackAllocation(packed: Uint8Array): Allocation {
  const plain = brotliDecompressSync(packed, { maxOutputLength: MAX_BYTES })
  const alloc: Record<string, object> = {}
  for (const group of listFromRlp(decodeRlp(plain))) {
    const [balance, addresses] = listFromRlp(group, 2)
    const account = { balance: `0x${scalarFromRlp(balance).toString(16)}` }
    const bytes = bytesFromRlp(addresses)
    for (let at = 0; at < bytes.length; at += ADDRESS_BYTES) {
      alloc[formatData(bytes.subarray(at, at + ADDRESS_BYTES))] = account
    }
  }
  return alloc
}

export function packAllocation(balances: ReadonlyMap<string, bigint>): Uint8Array {
  const groups = new Map<bigint, string>()
  for (const [address, balance] of [...balances].sort()) {
    groups.set(balance, (groups.get(balance) ?? '') + address.slice(2))
  }
  const pairs = [...groups].map(([balance, addresses]) => [rlpScalar(balance), Buffer.from(addresses, 'hex')])
  return brotliCompressSync(encodeRlp(pairs))
}
