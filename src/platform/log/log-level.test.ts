import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LevelRules } from './log-level.ts'

test('the longest prefix decides', () => {
  const rules = new LevelRules('INFO')
  rules.set('DEBUG', ['consensus'])
  rules.set('TRACE', ['consensus.qbft.wire'])
  assert.equal(rules.levelOf('consensus.qbft'), 'DEBUG')
  assert.equal(rules.levelOf('consensus.qbft.wire.codec'), 'TRACE')
  assert.equal(rules.levelOf('chain'), 'INFO')
})

test('a level set for a name replaces those set beneath it', () => {
  const rules = new LevelRules('INFO')
  rules.set('TRACE', ['consensus.qbft'])
  rules.set('ERROR', ['consensus'])
  assert.equal(rules.levelOf('consensus.qbft'), 'ERROR')
})
