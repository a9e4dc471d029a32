/** Tries of ethereum/tests: insertions in order, and the resulting root. */
import assert from 'node:assert/strict'
import { type TrieEntry, trieRoot } from '#types/block/ordered-trie-root.ts'
import { compareBytes } from '#types/bytes.ts'
import { parseData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { outcomeOf, type Pack, type Suite } from '../suite.ts'

interface RootCase {
  /** Insertions in order, with null for a deletion, or in any order. */
  readonly in: readonly (readonly [string, string | null])[] | Readonly<Record<string, string>>
  readonly root: string
}

interface NeighbourCase {
  readonly in: readonly string[]
  /** A key with its previous and next key; empty if there is none. */
  readonly tests: readonly (readonly [string, string, string])[]
}

const FOLDER = 'ethereum-tests/TrieTests'
const NEIGHBOURS = 'trietestnextprev.json'

const suite: Suite = {
  name: FOLDER,
  async *run(pack: Pack) {
    for (const path of pack.files(FOLDER)) {
      const file = path.slice(FOLDER.length + 1)
      for (const [name, vector] of Object.entries(pack.json(path) as Record<string, unknown>)) {
        yield outcomeOf(`${file}#${name}`, () => {
          if (file === NEIGHBOURS) verifyNeighbours(vector as NeighbourCase)
          else verifyRoot(vector as RootCase, /secure/i.test(file))
        })
      }
    }
  },
}

export default suite

function verifyRoot(vector: RootCase, hashesKeys: boolean): void {
  const operations = Array.isArray(vector.in) ? vector.in : Object.entries(vector.in)
  const content = new Map<string, string>()
  for (const [key, value] of operations) {
    if (value === null) content.delete(key)
    else content.set(key, value)
  }
  const entries = [...content].map(([key, value]): TrieEntry => {
    const bytes = toBytes(key)
    return [hashesKeys ? keccak256(bytes) : bytes, toBytes(value)]
  })
  assert.equal(trieRoot(entries), vector.root)
  assert.equal(trieRoot(entries.toReversed()), vector.root)
}

/** Cairn does not iterate tries by key; an iteration would use the order of bytes. */
function verifyNeighbours(vector: NeighbourCase): void {
  const keys = vector.in.map(toBytes).sort(compareBytes)
  for (const [key, previous, next] of vector.tests) {
    const bytes = toBytes(key)
    const before = keys.findLast((other) => compareBytes(other, bytes) < 0)
    const after = keys.find((other) => compareBytes(other, bytes) > 0)
    assert.deepEqual(before ?? new Uint8Array(0), toBytes(previous))
    assert.deepEqual(after ?? new Uint8Array(0), toBytes(next))
  }
}

function toBytes(text: string): Uint8Array {
  return text.startsWith('0x') ? parseData(text) : new TextEncoder().encode(text)
}
