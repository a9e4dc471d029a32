import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ForkIds } from '#chain/read/fork-id.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { hoodiGenesisText } from './hoodi.ts'

/** Fork ids as geth computes them; the time of a fork is in the id before it. */
const FORK_IDS = [
  { timestamp: 0n, hash: '0xbef71d30', next: 1_742_999_832n },
  { timestamp: 1_742_999_832n, hash: '0x0929e24e', next: 1_761_677_592n },
  { timestamp: 1_761_677_592n, hash: '0xe7e0e7ff', next: 1_762_365_720n },
  { timestamp: 1_762_365_720n, hash: '0x3893353e', next: 1_762_955_544n },
  { timestamp: 1_762_955_544n, hash: '0x23aa1351', next: 0n },
]

test('Hoodi has the genesis hash and the fork ids of the public network', async () => {
  const verdict = parseGenesis(hoodiGenesisText())
  if (!verdict.ok) assert.fail(JSON.stringify(verdict.problems))
  const { config, header } = verdict.genesis
  const genesisHash = genesisHashOf(verdict.genesis, (await loadCrypto()).keccak)
  assert.equal(genesisHash, '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b')
  const ids = new ForkIds(genesisHash, header.timestamp, config.forks)
  for (const { timestamp, hash, next } of FORK_IDS) {
    const id = ids.at({ number: 1n, timestamp })
    assert.deepEqual([id.hash, BigInt(id.next)], [hash, next], `at ${timestamp}`)
  }
})
