import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesAt } from '#evm/rules.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import { nextDifficulty } from './difficulty.ts'

const SOME_OMMERS = `0x${'99'.repeat(32)}` as Hash

function rulesOf(config: object) {
  const verdict = parseGenesis(
    JSON.stringify({ config: { ethash: {}, ...config }, difficulty: '0x1', gasLimit: '0x1' }),
  )
  assert.ok(verdict.ok)
  return rulesAt(verdict.genesis.config, { number: 1n, timestamp: 1n, difficulty: 1n })
}

const parent = { difficulty: 20_480_000n, timestamp: 100n, ommersHash: EMPTY_OMMERS_HASH }
const STEP = 10_000n

test('in Frontier a block within 13 seconds raises the difficulty, a later one lowers it', () => {
  const rules = rulesOf({})
  assert.equal(nextDifficulty(rules, 1n, 112n, parent), parent.difficulty + STEP)
  assert.equal(nextDifficulty(rules, 1n, 113n, parent), parent.difficulty - STEP)
})

test('from Homestead on the difficulty falls with the delay, by at most 99 steps', () => {
  const rules = rulesOf({ homesteadBlock: 0 })
  assert.equal(nextDifficulty(rules, 1n, 125n, parent), parent.difficulty - STEP)
  assert.equal(nextDifficulty(rules, 1n, 1_000_000n, parent), parent.difficulty - 99n * STEP)
})

test('from Byzantium on ommers of the parent count', () => {
  const rules = rulesOf({ byzantiumBlock: 0 })
  assert.equal(
    nextDifficulty(rules, 1n, 101n, { ...parent, ommersHash: SOME_OMMERS }),
    parent.difficulty + 2n * STEP,
  )
})

test('the difficulty never falls below the minimum', () => {
  const least = { ...parent, difficulty: 131_072n }
  assert.equal(nextDifficulty(rulesOf({}), 1n, 1_000n, least), 131_072n)
})

test('the bomb ticks every 100,000 blocks, and forks delay it', () => {
  const at = (config: object, number: bigint) =>
    nextDifficulty(rulesOf(config), number, 113n, parent) - nextDifficulty(rulesOf(config), 1n, 113n, parent)
  assert.equal(at({}, 200_000n), 1n)
  assert.equal(at({}, 1_000_000n), 256n)
  assert.equal(at({ byzantiumBlock: 0 }, 3_000_000n), 0n)
  assert.equal(at({ byzantiumBlock: 0 }, 3_500_000n), 8n)
  assert.equal(at({ grayGlacierBlock: 0 }, 11_600_000n), 1n)
})
