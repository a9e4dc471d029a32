import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import type { Fault } from '#types/fault.ts'
import { decodeEntry, decodeRoot, parseListAddress } from './list-entry.ts'

/** The example in EIP-1459. */
const URL = 'enrtree://AKPYQIUQIL7PSIACI32J7FGZW56E5FKHEFCCOFHILBIMW3M6LWXS2@nodes.example.org'
const ROOT =
  'enrtree-root:v1 e=JWXYDBPXYWG6FX3GMDIBFA6CJ4 l=C7HRFPF3BLGF3YR4DY5KX3SMBE seq=1 sig=o908WmNp7LibOfPsr4btQwatZJ5URBr2ZAuxvK4UWHlsB9sUOTJQaGAlLPVAhM__XJesCHxLISo94z5Z2a463gA'
const BRANCH_NAME = 'JWXYDBPXYWG6FX3GMDIBFA6CJ4'
const CHILDREN = ['2XS2367YHAXJFGLZHVAWLQD4ZY', 'H4FHT4B454P6UXFD7JCYQ5PWDY', 'MHTDO6TMUBRIA2XWG5LUDACK24']
const BRANCH = `enrtree-branch:${CHILDREN.join()}`
const LINK_NAME = 'C7HRFPF3BLGF3YR4DY5KX3SMBE'
const LINK = 'enrtree://AM5FCQLWIZX2QFPNJAP7VUERCCRNGRHWZG3YYHIUV7BVDQ5FDPRT2@morenodes.example.org'
const RECORD =
  'enr:-HW4QOFzoVLaFJnNhbgMoDXPnOvcdVuj7pDpqRvh6BRDO68aVi5ZcjB3vzQRZH2IcLBGHzo8uUN3snqmgTiE56CH3AMBgmlkgnY0iXNlY3AyNTZrMaECC2_24YYkYHEgdzxlSNKQEnHhuNAbNlMlWJxrJxbAFvA'

const { parts } = await testNode()
const address = parseListAddress(URL)!
const invalid = (fault: Fault) => fault.kind === 'INVALID_NODE_LIST'

test('the list of EIP-1459 is verified from its address to a node', () => {
  assert.equal(address.domain, 'nodes.example.org')
  assert.deepEqual(decodeRoot(ROOT, address, parts), { nodes: BRANCH_NAME, links: LINK_NAME, sequence: 1n })
  assert.deepEqual(decodeEntry(BRANCH_NAME, BRANCH, parts), { type: 'branch', children: CHILDREN })
  assert.deepEqual(decodeEntry(LINK_NAME, LINK, parts), {
    type: 'link',
    address: parseListAddress(LINK)!,
  })
  const leaf = decodeEntry(CHILDREN[0]!, RECORD, parts)
  assert.equal(leaf.type === 'node' && leaf.record.sequence, 1n)
})

test('a root that its owner did not sign is refused', () => {
  const other = parseListAddress(LINK)!
  assert.throws(() => decodeRoot(ROOT, other, parts), invalid)
  assert.throws(() => decodeRoot(ROOT.replace('seq=1', 'seq=2'), address, parts), invalid)
  assert.throws(() => decodeRoot(ROOT.replace(/gA$/, 'AA'), address, parts), invalid)
  assert.throws(() => decodeRoot('enrtree-root:v2', address, parts), invalid)
  assert.throws(() => decodeRoot('', address, parts), invalid)
})

test('an entry whose name is not its hash is refused', () => {
  assert.throws(() => decodeEntry(BRANCH_NAME, `${BRANCH},${LINK_NAME}`, parts), invalid)
  assert.throws(() => decodeEntry(LINK_NAME, BRANCH, parts), invalid)
  assert.throws(() => decodeEntry('1', BRANCH, parts), invalid)
})

test('an address needs a key of 33 bytes and a domain', () => {
  for (const text of ['', 'enrtree://nodes.example.org', 'enrtree://AKPYQI@nodes.example.org', `${URL}/path`])
    assert.equal(parseListAddress(text), undefined, text)
})
