import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesAt } from '#evm/rules.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { INITIAL_BASE_FEE_WEI } from '#types/genesis/genesis-header.ts'
import { nextBaseFee } from './base-fee.ts'

function genesisOf(config: object, root: object = {}): Genesis {
  const text = JSON.stringify({
    config: { ethash: {}, ...config },
    difficulty: '0x1',
    gasLimit: '0x1',
    ...root,
  })
  const verdict = parseGenesis(text)
  assert.ok(verdict.ok)
  return verdict.genesis
}

function feeAfter(genesis: Genesis, gasUsed: bigint, baseFeePerGas: bigint | undefined, number = 10n) {
  const rules = rulesAt(genesis.config, { number, timestamp: 10n, difficulty: 1n })
  return nextBaseFee(genesis, rules, { gasLimit: 200n, gasUsed, baseFeePerGas }, number)
}

const london = genesisOf({ londonBlock: 5 })

test('the base fee stays at the target, and moves by at most an eighth', () => {
  assert.equal(feeAfter(london, 100n, 1_000n), 1_000n)
  assert.equal(feeAfter(london, 200n, 1_000n), 1_125n)
  assert.equal(feeAfter(london, 0n, 1_000n), 875n)
})

test('above the target it rises by at least one wei', () => {
  assert.equal(feeAfter(london, 101n, 7n), 8n)
  assert.equal(feeAfter(london, 99n, 7n), 7n)
})

test('the first block of London has the initial fee, or the one of the genesis file', () => {
  assert.equal(feeAfter(london, 0n, undefined, 5n), INITIAL_BASE_FEE_WEI)
  assert.equal(feeAfter(genesisOf({ londonBlock: 5 }, { baseFeePerGas: '0x7' }), 0n, 7n, 5n), 7n)
})

test('without londonBlock the base fee begins at 0 with the fork that brings it, as in Besu', () => {
  const shanghai = genesisOf({ berlinBlock: 0, shanghaiTime: 10 })
  assert.equal(feeAfter(shanghai, 0n, undefined), 0n)
  assert.equal(feeAfter(shanghai, 200n, undefined), 1n)
})

test('a base fee that the genesis file fixes stays', () => {
  assert.equal(feeAfter(genesisOf({ londonBlock: 0, fixedBaseFee: true }), 200n, 1_000n), 1_000n)
})

test('there is no base fee before London, and it is zero on networks with zeroBaseFee', () => {
  assert.equal(feeAfter(genesisOf({ berlinBlock: 0 }), 100n, undefined), undefined)
  assert.equal(feeAfter(genesisOf({ londonBlock: 0, zeroBaseFee: true }), 200n, 1_000n), 0n)
})
