import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LevelRules } from './log-level.ts'

test('the longest prefix decides the level', () => {
  const rules = new LevelRules('INFO')
  rules.set('DEBUG', ['consensus'])
  rules.set('TRACE', ['consensus.qbft.wire'])
  assert.equal(rules.levelOf('consensus.qbft'), 'DEBUG')
  assert.equal(rules.levelOf('consensus.qbft.wire.codec'), 'TRACE')
  assert.equal(rules.levelOf('chain'), 'INFO')
})

test('the number of rules is bounded, and many names cost little time', () => {
  const rules = new LevelRules('INFO')
  const names = (from: number, count: number) => Array.from({ length: count }, (_, n) => `a.b.c.n${from + n}`)
  assert.equal(rules.set('DEBUG', names(0, 500)), true)
  assert.equal(rules.set('DEBUG', names(500, 100)), false)
  assert.equal(rules.levelOf('a.b.c.n500'), 'INFO')
  assert.equal(rules.set('TRACE', names(0, 500)), true)
  assert.equal(rules.set('WARN', ['a.b']), true)
  assert.deepEqual(rules.all(), { '': 'INFO', 'a.b': 'WARN' })
})

test('a level for every logger replaces all others', () => {
  const rules = new LevelRules('INFO')
  rules.set('TRACE', ['consensus', 'pool.core'])
  rules.set('WARN')
  assert.deepEqual(rules.all(), { '': 'WARN' })
})

test('a level set for a name replaces the levels set below it', () => {
  const rules = new LevelRules('INFO')
  rules.set('TRACE', ['consensus.qbft'])
  rules.set('ERROR', ['consensus'])
  assert.equal(rules.levelOf('consensus.qbft'), 'ERROR')
})
