/** Facts about the pack's genesis files, as their original tests assert them. */
import assert from 'node:assert/strict'
import type { Genesis } from '#types/genesis/genesis.ts'

type FactCheck = (genesis: Genesis) => void

const ETC_LIKE_FORKS = [
  'frontier 0',
  'homestead 1',
  'tangerineWhistle 2',
  'spuriousDragon 3',
  'byzantium 1035301',
]
const DEFAULT_REQUEST_CONTRACTS = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
]
const ONE_GWEI = 1_000_000_000n

export const GENESIS_FACTS: Readonly<Record<string, FactCheck>> = {
  'genesis/config-options/all_forks.json': ({ config }) => {
    assert.equal(config.forks.daoForkBlock, 2n)
    const values = config.forks.forks.map(({ from }) => Number(from))
    assert.deepEqual(values, [0, 1, ...Array.from({ length: 22 }, (_, index) => index + 3), 98, 99])
    assert.deepEqual(config.forks.findDisorders(), [])
  },
  'genesis/config-options/mainnet_with_blob_schedule.json': ({ config }) => {
    assert.deepEqual(Object.keys(config.blobSchedule), [
      'cancun',
      'prague',
      'bpo1',
      'bpo2',
      'bpo3',
      'bpo4',
      'bpo5',
    ])
    assert.deepEqual(config.blobSchedule.cancun, { target: 4, max: 7, baseFeeUpdateFraction: 3338477 })
    assert.deepEqual(config.blobSchedule.bpo5, { target: 51, max: 52, baseFeeUpdateFraction: 5007716 })
    assert.equal(config.terminalTotalDifficulty, 0n)
    assert.equal(config.depositContractAddress, '0x4242424242424242424242424242424242424242')
  },
  'genesis/config-options/preMerge.json': ({ config }) => {
    assert.deepEqual(forksOf(config), ['frontier 0', 'london 0'])
    assert.equal(config.contractSizeLimit, 2147483647)
    assert.deepEqual(config.consensus, { protocol: 'ethash', fixedDifficulty: 100n })
  },
  'genesis/config-options/valid_config.json': ({ config }) => checkIbft2(config, 61n),
  'genesis/config-options/valid_config_with_etc_forks.json': ({ config }) => checkIbft2(config, 61n),
  'genesis/config-options/valid_config_with_unexpected_forks.json': ({ config }) => checkIbft2(config, 61n),
  'genesis/config-options/valid_config_with_custom_forks.json': ({ config }) => {
    checkIbft2(config, 4n, ['london 2222222'])
    assert.ok(config.consensus.protocol === 'ibft2')
    assert.equal(config.consensus.ibft2.blockRewardWei, 0x15n)
    assert.equal(config.consensus.ibft2.miningBeneficiary, '0x1234567890123456789012345678901234567890')
    assert.equal(config.zeroBaseFee, true)
    assert.equal(config.depositContractAddress, '0x00000000219ab540356cbb839cbe05303d7705fa')
  },
  'genesis/config-options/valid_config_with_migration_to_qbft.json': ({ config }) => {
    assert.ok(config.consensus.protocol === 'migration')
    assert.equal(config.consensus.past.protocol, 'ibft2')
    assert.equal(config.consensus.startBlock, 123n)
    assert.equal(config.consensus.qbft.blockPeriodSeconds, 2)
  },
  'genesis/geth-format/besu-genesis-minimal.json': (genesis) =>
    checkGeth(genesis, [undefined, undefined], ONE_GWEI),
  'genesis/geth-format/geth-genesis-minimal.json': (genesis) =>
    checkGeth(genesis, DEFAULT_REQUEST_CONTRACTS, ONE_GWEI),
  'genesis/geth-format/geth-devnet5-genesis.json': (genesis) => {
    checkGeth(genesis, DEFAULT_REQUEST_CONTRACTS, ONE_GWEI)
    assert.equal(genesis.config.chainId, 7092415936n)
    assert.equal(genesis.header.timestamp, 1757512500n)
  },
  'genesis/geth-format/geth-genesis-london-at-100.json': (genesis) =>
    checkGeth(genesis, DEFAULT_REQUEST_CONTRACTS, undefined),
  'genesis/geth-format/geth-genesis-with-basefee.json': (genesis) =>
    checkGeth(genesis, DEFAULT_REQUEST_CONTRACTS, 7n),
  'genesis/geth-format/geth-genesis-with-contracts.json': (genesis) =>
    checkGeth(genesis, [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`], ONE_GWEI),
  'genesis/geth-format/geth-genesis-no-config.json': ({ config }) =>
    assert.equal(config.consensus.protocol, 'none'),
  'genesis/networks/mainnet.json': ({ config }) => {
    assert.equal(config.terminalTotalDifficulty, 58750000000000000000000n)
    assert.equal(config.chainId, 1n)
  },
  'bft/ibft1-chain/genesis-migration.json': ({ config }) => {
    assert.ok(config.consensus.protocol === 'migration')
    assert.deepEqual(config.consensus.past, {
      protocol: 'ibft',
      ibft: { epochLength: 100n, blockPeriodSeconds: 5 },
    })
    assert.equal(config.consensus.startBlock, 101n)
  },
}

function checkIbft2(config: Genesis['config'], chainId: bigint, laterForks: readonly string[] = []): void {
  assert.equal(config.chainId, chainId)
  assert.deepEqual(forksOf(config), [...ETC_LIKE_FORKS, ...laterForks])
  assert.ok(config.consensus.protocol === 'ibft2')
  const { blockPeriodSeconds, epochLength, requestTimeoutSeconds, transitions } = config.consensus.ibft2
  assert.deepEqual([blockPeriodSeconds, epochLength, requestTimeoutSeconds], [2, 30000n, 10])
  const overrides = transitions.map(({ block, validators }) => [block, validators?.length])
  assert.deepEqual(overrides, [
    [20n, 2],
    [25n, 1],
  ])
}

function checkGeth(
  { config, header }: Genesis,
  [withdrawal, consolidation]: readonly (string | undefined)[],
  baseFee: bigint | undefined,
): void {
  assert.equal(config.consensus.protocol, 'ethash')
  assert.equal(config.withdrawalRequestContractAddress, withdrawal)
  assert.equal(config.consolidationRequestContractAddress, consolidation)
  assert.equal(header.baseFeePerGas, baseFee)
  assert.equal(header.nonce, 0x1234n)
}

function forksOf({ forks }: Genesis['config']): string[] {
  return forks.forks.map(({ name, from }) => `${name} ${from}`)
}
