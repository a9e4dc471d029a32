import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { decodeBlock, encodeBlock } from '#types/block/block.ts'
import { BODY_RULES, GENESIS_RULES, HEADER_RULES, OTHER_RULES, STAGES } from './block-rules.ts'

const root = join(import.meta.dirname, '..')

test('every field of a decoded block has a rule', () => {
  const empty = { header: PLAIN_HEADER, transactions: [], ommers: [], withdrawals: [] }
  const { header, ...body } = decodeBlock(encodeBlock(empty))
  assert.deepEqual(Object.keys(HEADER_RULES).sort(), Object.keys(header).sort())
  assert.deepEqual(Object.keys(BODY_RULES).sort(), Object.keys(body).sort())
})

test('every stage names a function that exists', () => {
  for (const { checkedBy } of Object.values(STAGES)) {
    const [file, name] = checkedBy.split('#')
    assert.match(readFileSync(join(root, file!), 'utf8'), new RegExp(`function ${name}\\(`), checkedBy)
  }
})

test('every genesis option names a test that mentions it', () => {
  for (const [options, { shownBy }] of Object.entries(GENESIS_RULES)) {
    const text = readFileSync(join(root, shownBy), 'utf8').toLowerCase()
    for (const option of options.split(', ')) {
      assert.ok(text.includes(option.toLowerCase()) || shownBy.startsWith('test/'), `${option} in ${shownBy}`)
    }
  }
})

test('every difference from Besu has a row in the documentation', () => {
  const rows = readFileSync(join(root, 'docs/reference/compatibility.md'), 'utf8')
  const rules = [HEADER_RULES, BODY_RULES, OTHER_RULES].flatMap((each) => Object.values(each))
  const named = rules.flatMap(({ besu }) => [...besu.matchAll(/\(([\w-]+)\)/g)].map((match) => match[1]))
  assert.ok(named.length >= 10)
  for (const name of named) assert.ok(rows.includes(`\n| ${name} |`), name)
})
