import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { GenesisConsensus } from '#types/genesis/genesis-consensus.ts'
import { encodeBftExtraData } from './bft-extra-data.ts'
import { bftBlockHash, legacyIbftBlockHash } from './bft-header-hash.ts'
import { PLAIN_HEADER } from './block.fixture.ts'
import { blockHashOf } from './block-hash.ts'
import { type BlockHeader, hashHeader } from './block-header.ts'
import { encodeLegacyIbftExtraData } from './legacy-ibft-extra-data.ts'

const SEAL = new Uint8Array(65)
const content = { vanity: new Uint8Array(32), validators: [], vote: null, round: 1, seals: [SEAL] }
const legacy = { vanity: content.vanity, validators: [], proposerSeal: SEAL, commitSeals: [SEAL] }
const QBFT: BlockHeader = { ...PLAIN_HEADER, extraData: encodeBftExtraData('qbft', content) }
const IBFT2: BlockHeader = { ...PLAIN_HEADER, extraData: encodeBftExtraData('ibft2', content) }
const LEGACY: BlockHeader = { ...PLAIN_HEADER, extraData: encodeLegacyIbftExtraData(legacy) }

function consensusOf(config: object): GenesisConsensus {
  const verdict = parseGenesis(JSON.stringify({ config, difficulty: '0x1', gasLimit: '0x1' }))
  assert.ok(verdict.ok)
  return verdict.genesis.config.consensus
}

test('the protocol of the genesis file decides about the hash', () => {
  assert.equal(blockHashOf(consensusOf({ qbft: {} }))(QBFT), bftBlockHash('qbft', QBFT))
  assert.equal(blockHashOf(consensusOf({ ibft2: {} }))(IBFT2), bftBlockHash('ibft2', IBFT2))
  assert.equal(blockHashOf(consensusOf({ ibft: {} }))(LEGACY), legacyIbftBlockHash(LEGACY))
  assert.equal(blockHashOf(consensusOf({ ethash: {} }))(QBFT), hashHeader(QBFT))
  assert.equal(blockHashOf(consensusOf({}))(QBFT), hashHeader(QBFT))
})

test('a migration hashes with the old protocol below its first block', () => {
  const at = (header: BlockHeader, number: bigint): BlockHeader => ({ ...header, number })
  const fromIbft2 = blockHashOf(consensusOf({ ibft2: {}, qbft: { startblock: 10 } }))
  assert.equal(fromIbft2(at(IBFT2, 9n)), bftBlockHash('ibft2', at(IBFT2, 9n)))
  assert.equal(fromIbft2(at(QBFT, 10n)), bftBlockHash('qbft', at(QBFT, 10n)))
  const fromLegacy = blockHashOf(consensusOf({ ibft: {}, qbft: { startblock: 10 } }))
  assert.equal(fromLegacy(at(LEGACY, 9n)), legacyIbftBlockHash(at(LEGACY, 9n)))
  assert.equal(fromLegacy(at(QBFT, 10n)), bftBlockHash('qbft', at(QBFT, 10n)))
})
