import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Random } from '#platform/random.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { naiveRoot } from './naive-trie.fixture.ts'
import { encodeStoredNode, visitNew } from './stored-node.fixture.ts'
import {
  loadRoot,
  type NodeReader,
  pathText,
  rootHash,
  sortChanges,
  type TrieChange,
  updateTrie,
} from './update.ts'

const keccak = loadFastKeccak()
const seed = Number(process.env.CAIRN_SEED ?? 1)

/** A database of nodes, and the expected content. */
class Model {
  readonly nodes = new Map<string, Uint8Array>()
  readonly entries = new Map<string, Uint8Array>()
  readonly read: NodeReader = (path, length) => this.nodes.get(pathText(path, length))

  apply(changes: readonly TrieChange[]): Uint8Array {
    for (const { key, value } of changes) {
      if (value === null) this.entries.delete(formatDigits(key))
      else this.entries.set(formatDigits(key), value)
    }
    const { root, removed } = updateTrie(loadRoot(this.read), sortChanges([...changes]), this.read, keccak)
    for (const path of removed) this.nodes.delete(path)
    if (root !== null) {
      visitNew(root, new Uint8Array(64), 0, (node, path) => this.nodes.set(path, encodeStoredNode(node)))
    }
    return rootHash(root, keccak)
  }
}

/** Keys that share long prefixes, so extensions and inline nodes appear. */
function randomKey(random: Random, spread: number): Uint8Array {
  const key = new Uint8Array(32)
  for (let index = 0; index < 32; index++) {
    const isDeep = random.randomBelow(4) === 0
    key[index] = isDeep ? random.randomBelow(spread) * 0x11 : 0
  }
  return key
}

function randomChanges(random: Random, model: Model): TrieChange[] {
  const changes = new Map<string, TrieChange>()
  const count = 1 + random.randomBelow(12)
  const known = [...model.entries.keys()]
  for (let index = 0; index < count; index++) {
    const isKnown = known.length > 0 && random.randomBelow(2) === 0
    const key = isKnown
      ? Uint8Array.from(Buffer.from(known[random.randomBelow(known.length)]!, 'hex'))
      : random.randomBelow(2) === 0
        ? randomKey(random, 3)
        : random.randomBytes(32)
    const isDeleted = random.randomBelow(5) < 2
    const value = isDeleted
      ? null
      : random.randomBytes(1 + random.randomBelow(random.randomBelow(2) ? 3 : 120))
    changes.set(formatDigits(key), { key, value })
  }
  return [...changes.values()]
}

test(`the root and the stored nodes after random changes match the definition (seed ${seed})`, () => {
  const random = createSeededRandom(seed)
  for (let round = 0; round < 6; round++) {
    const model = new Model()
    for (let step = 0; step < 25; step++) {
      const root = model.apply(randomChanges(random, model))
      assert.equal(formatDigits(root), formatDigits(naiveRoot(model.entries)), `round ${round} step ${step}`)
      const fresh = new Model()
      fresh.apply([...model.entries].map(([key, value]) => ({ key: Buffer.from(key, 'hex'), value })))
      assert.deepEqual([...model.nodes.keys()].sort(), [...fresh.nodes.keys()].sort())
    }
    const all = [...model.entries.keys()].map((key) => ({ key: Buffer.from(key, 'hex'), value: null }))
    model.apply(all)
    assert.equal(model.nodes.size, 0)
  }
})

test('setting a value to itself leaves root and nodes unchanged', () => {
  const random = createSeededRandom(seed + 1)
  const model = new Model()
  const changes = Array.from({ length: 50 }, () => ({
    key: random.randomBytes(32),
    value: random.randomBytes(40),
  }))
  const root = model.apply(changes)
  const nodes = new Map(model.nodes)
  assert.deepEqual(model.apply(changes.slice(0, 5)), root)
  assert.deepEqual(model.nodes, nodes)
})

test('deleting a missing key changes nothing', () => {
  const random = createSeededRandom(seed + 2)
  const model = new Model()
  const root = model.apply([{ key: random.randomBytes(32), value: random.randomBytes(40) }])
  assert.deepEqual(model.apply([{ key: random.randomBytes(32), value: null }]), root)
  assert.equal(model.nodes.size, 1)
})

interface TrieVector {
  readonly in: Record<string, string> | [string, string | null][]
  readonly root: string
}

const pack = process.env.CAIRN_CONFORMANCE ?? join(import.meta.dirname, '../../../../shared/conformance')
const folder = join(pack, 'ethereum-tests/TrieTests')
const secureFiles = ['hex_encoded_securetrie_test', 'trieanyorder_secureTrie', 'trietest_secureTrie']

for (const name of secureFiles) {
  const file = join(folder, `${name}.json`)
  test(`the vectors of ${name} have their roots`, { skip: !existsSync(file) }, () => {
    const vectors = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, TrieVector>)
    for (const [vector, { in: input, root }] of vectors) {
      const model = new Model()
      let found: Uint8Array = new Uint8Array(0)
      for (const [key, value] of Array.isArray(input) ? input : Object.entries(input)) {
        const change = { key: keccak256(bytesOf(key)), value: value === null ? null : bytesOf(value) }
        found = model.apply([change])
      }
      assert.equal(`0x${formatDigits(found)}`, root, vector)
    }
  })
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text))
}
