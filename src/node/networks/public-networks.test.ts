import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ForkIds } from '#chain/read/fork-id.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { packAllocation, unpackAllocation } from './packed-allocation.ts'
import { PUBLIC_NETWORKS } from './public-networks.ts'

/** The first block or time of a fork, the hash of the fork id there, and the next fork, as geth computes them. */
type ForkId = readonly [at: bigint, hash: string, next: bigint]
/** Forks up to this number are blocks. */
const LAST_BLOCK = 100_000_000n

const FACTS: Readonly<Record<string, { readonly hash: string; readonly forks: readonly ForkId[] }>> = {
  MAINNET: {
    hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    forks: [
      [0n, '0xfc64ec04', 1_150_000n],
      [1_150_000n, '0x97c2c34c', 1_920_000n],
      [1_920_000n, '0x91d1f948', 2_463_000n],
      [2_463_000n, '0x7a64da13', 2_675_000n],
      [2_675_000n, '0x3edd5b10', 4_370_000n],
      [4_370_000n, '0xa00bc324', 7_280_000n],
      [7_280_000n, '0x668db0af', 9_069_000n],
      [9_069_000n, '0x879d6e30', 9_200_000n],
      [9_200_000n, '0xe029e991', 12_244_000n],
      [12_244_000n, '0x0eb440f6', 12_965_000n],
      [12_965_000n, '0xb715077d', 13_773_000n],
      [13_773_000n, '0x20c327fc', 15_050_000n],
      [15_050_000n, '0xf0afd0e3', 1_681_338_455n],
      [1_681_338_455n, '0xdce96c2d', 1_710_338_135n],
      [1_710_338_135n, '0x9f3d2254', 1_746_612_311n],
      [1_746_612_311n, '0xc376cf8b', 1_764_798_551n],
      [1_764_798_551n, '0x5167e2a6', 1_765_290_071n],
      [1_765_290_071n, '0xcba2a1c0', 1_767_747_671n],
      [1_767_747_671n, '0x07c9462e', 0n],
    ],
  },
  SEPOLIA: {
    hash: '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9',
    forks: [
      [0n, '0xfe3366e7', 1_735_371n],
      [1_735_371n, '0xb96cbd13', 1_677_557_088n],
      [1_677_557_088n, '0xf7f9bc08', 1_706_655_072n],
      [1_706_655_072n, '0x88cf81d9', 1_741_159_776n],
      [1_741_159_776n, '0xed88b5fd', 1_760_427_360n],
      [1_760_427_360n, '0xe2ae4999', 1_761_017_184n],
      [1_761_017_184n, '0x56078a1e', 1_761_607_008n],
      [1_761_607_008n, '0x268956b6', 0n],
    ],
  },
  HOODI: {
    hash: '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b',
    forks: [
      [0n, '0xbef71d30', 1_742_999_832n],
      [1_742_999_832n, '0x0929e24e', 1_761_677_592n],
      [1_761_677_592n, '0xe7e0e7ff', 1_762_365_720n],
      [1_762_365_720n, '0x3893353e', 1_762_955_544n],
      [1_762_955_544n, '0x23aa1351', 0n],
    ],
  },
}

for (const [name, { hash, forks }] of Object.entries(FACTS)) {
  test(`${name} has the genesis hash and the fork ids of the public network`, async () => {
    const verdict = parseGenesis(PUBLIC_NETWORKS.get(name)!.genesisText(0))
    if (!verdict.ok) assert.fail(JSON.stringify(verdict.problems))
    const { config, header } = verdict.genesis
    const genesisHash = genesisHashOf(verdict.genesis, (await loadCrypto()).keccak)
    assert.equal(genesisHash, hash)
    const ids = new ForkIds(genesisHash, header.timestamp, config.forks)
    const positions = forks.map(([at, , next]) => ({
      first: at < LAST_BLOCK ? { number: at, timestamp: 0n } : { number: LAST_BLOCK, timestamp: at },
      last:
        next < LAST_BLOCK
          ? { number: next - 1n, timestamp: 0n }
          : { number: LAST_BLOCK, timestamp: next - 1n },
    }))
    for (const [index, [, id, next]] of forks.entries()) {
      const { first, last } = positions[index]!
      for (const position of next === 0n ? [first] : [first, last]) {
        const found = ids.at(position)
        assert.deepEqual(
          [found.hash, BigInt(found.next)],
          [id, next],
          `at ${position.number}, ${position.timestamp}`,
        )
      }
    }
  })
}

test('a packed allocation has every account with its balance', () => {
  const balances = new Map([
    [`0x${'22'.repeat(20)}`, 5n],
    [`0x${'11'.repeat(20)}`, 10n ** 25n],
    [`0x${'33'.repeat(20)}`, 5n],
  ])
  const unpacked = Object.entries(unpackAllocation(packAllocation(balances)))
  assert.deepEqual(
    new Map(
      unpacked.map(([address, account]) => [address, BigInt((account as { balance: string }).balance)]),
    ),
    balances,
  )
})
