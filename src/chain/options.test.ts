import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ledgerOptions } from './options.ts'

test('a node keeps all blocks in the database, or enough for the block hashes that contracts read', () => {
  const { kind, default: preset } = ledgerOptions.historyHotBlocks
  assert.equal(preset, 90_000)
  for (const text of ['0', '256', '90000']) assert.equal(kind.parse(text), Number(text))
  for (const text of ['1', '255', '-1', 'all', ''])
    assert.throws(() => kind.parse(text), { kind: 'USAGE' }, text)
})
