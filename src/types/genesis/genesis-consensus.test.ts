import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import {
  type GenesisConsensus,
  protocolsOf,
  readConsensus,
  refuseConsensus,
  votingProtocols,
} from './genesis-consensus.ts'
import { GenesisProblems } from './genesis-problems.ts'
import { GenesisSection } from './genesis-section.ts'

function read(config: unknown): { consensus: GenesisConsensus; paths: string[] } {
  const object = parseJson(JSON.stringify(config))
  assert.ok(object instanceof JsonObject)
  const section = new GenesisSection('$.config', object, new GenesisProblems())
  const consensus = readConsensus(section)
  return { consensus, paths: section.problems.findings.map(({ path }) => path) }
}

test("the choice among several protocols equals Besu's", () => {
  const protocolOf = (config: unknown): string => read(config).consensus.protocol
  assert.equal(protocolOf({ qbft: {} }), 'qbft')
  assert.equal(protocolOf({ ibft2: {} }), 'ibft2')
  assert.equal(protocolOf({ ethash: {} }), 'ethash')
  assert.equal(protocolOf({ clique: {} }), 'clique')
  assert.equal(protocolOf({ ibft: {} }), 'ibft')
  assert.equal(protocolOf({}), 'none')
  assert.equal(protocolOf({ ethash: {}, qbft: {}, clique: {} }), 'ethash')
  assert.equal(protocolOf({ ethash: {}, ibft2: {}, qbft: { startblock: 5 } }), 'migration')
  assert.equal(protocolOf({ clique: {}, qbft: {} }), 'qbft')
})

test('QBFT next to IBFT begins at its start block', () => {
  const fromIbft2 = read({ ibft2: { blockperiodseconds: 2 }, qbft: { startBlock: 123 } }).consensus
  assert.ok(fromIbft2.protocol === 'migration' && fromIbft2.past.protocol === 'ibft2')
  assert.equal(fromIbft2.startBlock, 123n)
  assert.equal(fromIbft2.past.ibft2.blockPeriodSeconds, 2)
  const fromLegacy = read({ ibft: { epochlength: 100 }, qbft: { startBlock: 1 } }).consensus
  assert.ok(fromLegacy.protocol === 'migration')
  assert.deepEqual(fromLegacy.past, { protocol: 'ibft', ibft: { epochLength: 100n, blockPeriodSeconds: 1 } })
  assert.deepEqual(protocolsOf(fromLegacy), ['qbft', 'ibft'])
  assert.deepEqual(votingProtocols(fromLegacy), ['qbft'])
  assert.deepEqual(votingProtocols(fromIbft2), ['ibft2', 'qbft'])
  assert.deepEqual(votingProtocols(read({ ibft: {} }).consensus), [])
  assert.deepEqual(votingProtocols(read({ clique: {} }).consensus), [])
})

test('a migration without a start block above zero is refused', () => {
  assert.deepEqual(read({ ibft2: {}, qbft: {} }).paths, ['$.config.qbft.startblock'])
  assert.deepEqual(read({ ibft2: {}, qbft: { startblock: 0 } }).paths, ['$.config.qbft.startblock'])
})

test("clique has Besu's defaults", () => {
  const { consensus } = read({ clique: {} })
  assert.deepEqual(consensus, {
    protocol: 'clique',
    clique: { epochLength: 30_000n, blockPeriodSeconds: 15, createEmptyBlocks: true },
  })
})

test('legacy IBFT alone cannot run, and no protocol and clique only with proof of stake', () => {
  assert.match(refuseConsensus({ protocol: 'none' }, false) ?? '', /add a qbft section/)
  assert.equal(refuseConsensus({ protocol: 'none' }, true), undefined)
  assert.match(refuseConsensus(read({ ibft: {} }).consensus, false) ?? '', /Legacy IBFT/)
  assert.match(refuseConsensus(read({ clique: {} }).consensus, false) ?? '', /Clique/)
  assert.equal(refuseConsensus(read({ clique: {} }).consensus, true), undefined)
  assert.equal(refuseConsensus(read({ qbft: {} }).consensus, false), undefined)
})
