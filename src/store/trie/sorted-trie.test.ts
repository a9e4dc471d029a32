import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import { EMPTY_ROOT } from '#store/state/account-record.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { naiveRoot } from './naive-trie.fixture.ts'
import { writeStoredNode } from './node-codec.ts'
import { SortedTrie } from './sorted-trie.ts'
import { visitNew } from './stored-node.fixture.ts'
import { pathText, sortChanges, updateTrie } from './update.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)

test(`a trie of sorted entries has the same root and nodes as any other (seed ${seed})`, () => {
  const random = createSeededRandom(seed)
  for (const size of [0, 1, 2, 3, 17, 300]) {
    for (const shared of [0, 1, 20, 31]) {
      const prefix = random.randomBytes(shared)
      const entries = new Map<string, Uint8Array>()
      for (let count = 0; count < size; count++) {
        const key = Buffer.concat([prefix, random.randomBytes(32 - shared)])
        // Short values produce inline nodes.
        entries.set(
          formatDigits(key),
          random.randomBytes(1 + random.randomBelow(random.randomBelow(2) ? 3 : 60)),
        )
      }
      const changes = sortChanges(
        [...entries].map(([key, value]) => ({ key: Uint8Array.from(Buffer.from(key, 'hex')), value })),
      )
      const nodes = new Map<string, string>()
      const sink = (path: Uint8Array, length: number, node: Parameters<typeof writeStoredNode>[2]) => {
        const bytes = new Uint8Array(2_000)
        nodes.set(pathText(path, length), formatDigits(bytes.subarray(0, writeStoredNode(bytes, 0, node))))
      }
      let trie = new SortedTrie(keccak256, sink)
      for (const { key, value } of changes) {
        if (random.randomBelow(4) === 0) trie = movedTo(trie, new SortedTrie(keccak256, sink))
        trie.add(key, value!)
        assert.equal(trie.isNext(key), false)
      }
      trie = movedTo(trie, new SortedTrie(keccak256, sink))
      assert.deepEqual(trie.finish(), size === 0 ? EMPTY_ROOT : naiveRoot(entries))
      const expected = new Map<string, string>()
      const { root } = updateTrie(null, changes, () => undefined, keccak256)
      if (root !== null)
        visitNew(root, new Uint8Array(64), 0, (node, path) => {
          const bytes = new Uint8Array(2_000)
          expected.set(path, formatDigits(bytes.subarray(0, writeStoredNode(bytes, 0, node))))
        })
      assert.deepEqual([...nodes].sort(), [...expected].sort())
    }
  }
})

function movedTo(from: SortedTrie, to: SortedTrie): SortedTrie {
  const writer = new ValueWriter()
  from.save(writer)
  const reader = new ValueReader(writer.view().slice())
  to.load(reader)
  assert.equal(reader.left, 0)
  return to
}
