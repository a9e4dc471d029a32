import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatGenesisFinding, GenesisProblems, joinPath, MAX_GENESIS_FINDINGS } from './genesis-problems.ts'

test('a path has one finding, and an error hides later findings below it', () => {
  const problems = new GenesisProblems()
  problems.add('$.config', 'first')
  problems.add('$.config', 'second')
  problems.add('$.config.qbft.epochlength', 'third')
  problems.add('$.configuration', 'other')
  assert.deepEqual(
    problems.findings.map(({ sentence }) => sentence),
    ['first', 'other'],
  )
  assert.ok(problems.isBroken('$.config.transitions.qbft[0].block'))
  assert.ok(!problems.isBroken('$'))
})

test('an error replaces a warning, and a warning hides nothing', () => {
  const problems = new GenesisProblems()
  problems.warn('$.alloc', 'odd')
  problems.add('$.alloc.a', 'wrong')
  problems.add('$.alloc', 'very wrong')
  assert.deepEqual(
    problems.findings.map(({ sentence, severity }) => `${severity} ${sentence}`),
    ['error very wrong', 'error wrong'],
  )
  assert.equal(problems.errors.length, 2)
})

test('the list is cut at its limit and says so', () => {
  const problems = new GenesisProblems()
  for (let index = 0; index <= MAX_GENESIS_FINDINGS; index += 1) problems.add(joinPath('$.x', index), 'wrong')
  assert.equal(problems.findings.length, MAX_GENESIS_FINDINGS + 1)
  assert.match(problems.findings.at(-1)?.sentence ?? '', /more than 1000 mistakes/)
})

test('paths use brackets for positions and for keys that are not one word', () => {
  assert.equal(joinPath('$', 'config'), '$.config')
  assert.equal(joinPath('$.list', 2), '$.list[2]')
  assert.equal(joinPath('$', 'a b'), '$["a b"]')
  assert.ok(joinPath('$', '.'.repeat(1_000_000)).length < 100)
})

test('a finding is formatted as one line', () => {
  const finding = { path: '$.a', sentence: 'It is wrong.', severity: 'warning' } as const
  assert.equal(formatGenesisFinding(finding), 'warning at $.a: It is wrong.')
})
