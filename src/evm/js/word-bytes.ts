/** The 32 bytes of an EVM word. */
export function wordBytes(word: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  const view = new DataView(bytes.buffer)
  let rest = word
  for (let at = 24; rest !== 0n; at -= 8, rest >>= 64n) view.setBigUint64(at, BigInt.asUintN(64, rest))
  return bytes
}
