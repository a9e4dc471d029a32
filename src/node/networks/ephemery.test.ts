import assert from 'node:assert/strict'
import { test } from 'node:test'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { loadNetwork } from '#node/load-genesis.ts'
import { settingsOf } from '#node/settings.fixture.ts'
import { keccak256 } from '#types/keccak.ts'

const FIRST_MS = 1_720_119_600_000
const PERIOD_MS = 28 * 24 * 60 * 60 * 1_000
const settings = settingsOf('--network=ephemery')

const periodAt = (nowMs: number) => {
  const { networkId, genesis } = loadNetwork(settings, undefined, nowMs)
  const { header, config } = genesis.genesis
  assert.equal(networkId, config.chainId)
  return { chainId: networkId, timestamp: header.timestamp, hash: genesisHashOf(genesis.genesis, keccak256) }
}

/** The hashes are those of geth for the accounts of Besu. */
const FIRST = {
  chainId: 39_438_135n,
  timestamp: 1_720_119_600n,
  hash: '0xdcdf1c21f0689ad04199cc45921e08d33ca83e5953a8a20f081c0dfea9be0b88',
}
const SECOND = {
  chainId: 39_438_136n,
  timestamp: 1_722_538_800n,
  hash: '0xd41d44786e7eac02c658eb66136bbf4df8fa7709e985ceb05d8a4b3259bab0b6',
}
const LATE = {
  chainId: 39_438_165n,
  timestamp: 1_792_695_600n,
  hash: '0x5ed9e191613d665e3d30a517393674b711217f738ecaf38af1a7925668d7b739',
}

test('the clock decides about the period of Ephemery, and each has its chain id and genesis block', () => {
  for (const nowMs of [FIRST_MS, FIRST_MS + 1, FIRST_MS + PERIOD_MS - 1])
    assert.deepEqual(periodAt(nowMs), FIRST)
  for (const nowMs of [FIRST_MS + PERIOD_MS, FIRST_MS + 2 * PERIOD_MS - 1])
    assert.deepEqual(periodAt(nowMs), SECOND)
  assert.deepEqual(periodAt(FIRST_MS + 30 * PERIOD_MS), LATE)
})

test('a clock before the first period of Ephemery gives the first one', () => {
  for (const nowMs of [0, FIRST_MS - 1]) assert.deepEqual(periodAt(nowMs), FIRST)
})
