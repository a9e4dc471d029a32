/** Computes the root by its definition from all entries, sharing nothing but RLP with the tested code. */
import { concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, type RlpItem } from '#types/rlp.ts'

type Entry = readonly [nibbles: readonly number[], value: Uint8Array]

const NOTHING = new Uint8Array(0)

/** Keys are in hex. */
export function naiveRoot(entries: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const list = [...entries].map(
    ([key, value]): Entry => [[...key].map((digit) => Number(`0x${digit}`)), value],
  )
  return keccak256(encodeRlp(list.length === 0 ? NOTHING : structure(list)))
}

function structure(entries: readonly Entry[]): RlpItem {
  const [first] = entries
  if (first === undefined) return NOTHING
  if (entries.length === 1) return [hexPrefix(first[0], 2), first[1]]
  let shared = 0
  while (
    entries.every(([nibbles]) => nibbles[shared] !== undefined && nibbles[shared] === first[0][shared])
  ) {
    shared++
  }
  if (shared > 0) {
    const below = entries.map(([nibbles, value]): Entry => [nibbles.slice(shared), value])
    return [hexPrefix(first[0].slice(0, shared), 0), reference(structure(below))]
  }
  const children = Array.from({ length: 16 }, (_, nibble): RlpItem => {
    const below = entries.filter(([nibbles]) => nibbles[0] === nibble)
    return below.length === 0
      ? NOTHING
      : reference(structure(below.map(([nibbles, value]): Entry => [nibbles.slice(1), value])))
  })
  return [...children, NOTHING]
}

function reference(node: RlpItem): RlpItem {
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : keccak256(encoded)
}

function hexPrefix(nibbles: readonly number[], flag: number): Uint8Array {
  const odd = nibbles.length % 2
  const padded = odd ? [flag + 1, ...nibbles] : [flag, 0, ...nibbles]
  const bytes = padded.flatMap((nibble, index) => (index % 2 === 0 ? [nibble * 16 + padded[index + 1]!] : []))
  return concatBytes(Uint8Array.from(bytes))
}
