import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adrRow } from './adr-index.ts'

test('a decision is listed with its number, title, status and date', () => {
  const text = '# 61. The node key\n\nStatus: accepted, 2026-11-16; amended by [ADR 66](0066-x.md)\n'
  assert.equal(
    adrRow('0061-node-key.md', text),
    '| 61 | [The node key](0061-node-key.md) | accepted; amended by [ADR 66](0066-x.md) | 2026-11-16 |',
  )
})

test('a decision without a status, or with another number than its file, is refused', () => {
  assert.throws(() => adrRow('0061-node-key.md', '# 61. The node key\n'), /no line 'Status:/)
  assert.throws(
    () => adrRow('0061-node-key.md', '# 16. The node key\n\nStatus: accepted, 2026-11-16\n'),
    /begin with/,
  )
})
