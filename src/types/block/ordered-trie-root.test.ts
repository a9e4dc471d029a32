import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import { EMPTY_TRIE_ROOT, hexPrefix, orderedTrieRoot, type TrieEntry, trieRoot } from './ordered-trie-root.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const entries = (content: Record<string, string>) =>
  Object.entries(content).map(([key, value]): TrieEntry => [bytes(key), bytes(value)])

test('an empty trie has the known root', () => {
  assert.equal(EMPTY_TRIE_ROOT, '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
  assert.equal(trieRoot([]), EMPTY_TRIE_ROOT)
  assert.equal(orderedTrieRoot([]), EMPTY_TRIE_ROOT)
})

test('prefix keys, short nodes and long values give the known roots', () => {
  for (const [content, root] of [
    [{ A: 'a'.repeat(50) }, '0xd23786fb4a010da3ce639d66d5e904a11dbc02746d1ce25029e53290cabf28ab'],
    [
      { doe: 'reindeer', dog: 'puppy', dogglesworth: 'cat' },
      '0x8aad789dff2f538bca5d8ea56e8abe10f4c7ba3a5dea95fea4cd6e7c3a1168d3',
    ],
    [
      { do: 'verb', horse: 'stallion', doge: 'coin', dog: 'puppy' },
      '0x5991bb8c6514148a29db676a14ac506cd2cd5775ace63c30a4fe457715e9ac84',
    ],
  ] as const) {
    assert.equal(trieRoot(entries(content)), root)
    assert.equal(trieRoot(entries(content).reverse()), root)
  }
})

test('an ordered trie has the RLP of the index as key', () => {
  const values = Array.from({ length: 300 }, (_, index) => bytes(`value ${index}`))
  const root = trieRoot(values.map((value, index) => [encodeRlp(rlpScalar(index)), value]))
  assert.equal(orderedTrieRoot(values), root)
})

test('the given hash function is used', () => {
  let calls = 0
  const counting = (input: Uint8Array) => {
    calls++
    return keccak256(input)
  }
  const content = entries({ do: 'verb', horse: 'stallion', doge: 'coin', dog: 'puppy' })
  assert.equal(trieRoot(content, counting), trieRoot(content))
  assert.ok(calls > 1)
})

test('a repeated key and an empty value are bugs', () => {
  const [entry] = entries({ a: 'b' })
  assert.throws(() => trieRoot([entry!, entry!]), { name: 'AssertionFailure' })
  assert.throws(() => trieRoot([[bytes('a'), bytes('')]]), { name: 'AssertionFailure' })
})

test('nibbles are packed with their kind and parity', () => {
  const key = Uint8Array.of(0x12, 0x34, 0x56)
  assert.equal(formatDigits(hexPrefix(key, 0, 6, false)), '00123456')
  assert.equal(formatDigits(hexPrefix(key, 1, 6, false)), '123456')
  assert.equal(formatDigits(hexPrefix(key, 2, 6, true)), '203456')
  assert.equal(formatDigits(hexPrefix(key, 3, 6, true)), '3456')
  assert.equal(formatDigits(hexPrefix(key, 6, 6, true)), '20')
})
