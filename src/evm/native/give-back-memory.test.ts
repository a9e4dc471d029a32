import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectGarbage } from '#platform/bound-memory.ts'
import { createGiveBack } from './give-back-memory.ts'
import { loadAddon } from './load-addon.ts'

const MIB = 1024 * 1024
const loaded = loadAddon()
const canGiveBack = loaded.ok && loaded.addon.giveBackMemory !== undefined && process.platform === 'linux'

test('memory that was freed between pieces in use returns to the system', {
  skip: !canGiveBack,
}, async () => {
  const pieces = Array.from({ length: 6_400 }, () => Buffer.allocUnsafeSlow(16 * 1024).fill(1))
  const kept = pieces.filter((_piece, index) => index % 100 === 0)
  pieces.length = 0
  await collectGarbage()
  const beforeBytes = process.memoryUsage.rss()
  await createGiveBack()()
  assert.ok(beforeBytes - process.memoryUsage.rss() > 50 * MIB)
  assert.equal(kept.length, 64)
})
