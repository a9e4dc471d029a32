import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { testNetwork, testValidators } from '#consensus/network.fixture.ts'
import { parseAddress } from '#types/address.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { bftProtocolAt, bftSettingsAt, isBftNetwork, isEpochBlock } from './protocol-at.ts'

const CONTRACT = parseAddress('cc'.repeat(20))
const ONE = testValidators(1)

function configOf(config: Readonly<Record<string, unknown>>): GenesisConfig {
  return testNetwork(config, ONE).config
}

function settingsOf(config: GenesisConfig, number: number) {
  const settings = bftSettingsAt(config, { number: BigInt(number), timestamp: 0n })
  const { blockPeriodSeconds, blockPeriodMilliseconds, emptyBlockPeriodSeconds, validatorContract } = settings
  return [blockPeriodSeconds, blockPeriodMilliseconds, emptyBlockPeriodSeconds, validatorContract]
}

test('QBFT, both kinds of IBFT and migrating networks are BFT networks', () => {
  const kinds = [{ qbft: {} }, { ibft2: {} }, { ibft: {} }, { ibft2: {}, qbft: { startBlock: 5 } }]
  for (const kind of kinds) equal(isBftNetwork(configOf(kind).consensus), true)
  for (const kind of [{ ethash: {} }, { clique: {} }, {}]) {
    const { consensus } = configOf(kind)
    equal(isBftNetwork(consensus), false)
    throws(() => bftProtocolAt(consensus, 1n), /not made by validators/)
  }
})

for (const past of ['ibft2', 'ibft'] as const) {
  test(`a migration from ${past} uses the settings of QBFT from its start block on`, () => {
    const config = configOf({
      [past]: { epochlength: 7, blockperiodseconds: 3 },
      qbft: { startBlock: 10, epochlength: 4, blockperiodseconds: 2, xemptyblockperiodseconds: 30 },
    })
    const at = (number: bigint) => {
      const { protocol, startBlock, config: found } = bftProtocolAt(config.consensus, number)
      return [protocol, startBlock, found.epochLength]
    }
    deepEqual(at(0n), [past, 0n, 7n])
    deepEqual(at(9n), [past, 0n, 7n])
    deepEqual(at(10n), ['qbft', 10n, 4n])
    deepEqual(settingsOf(config, 9), [3, 0, 0, undefined])
    deepEqual(settingsOf(config, 10), [2, 0, 30, undefined])
  })
}

test('each transition changes only the settings that it names', () => {
  const config = configOf({
    qbft: {
      blockperiodseconds: 5,
      xblockperiodmilliseconds: 250,
      xemptyblockperiodseconds: 60,
      validatorcontractaddress: CONTRACT,
    },
    transitions: {
      qbft: [
        { block: 10, blockperiodseconds: 2 },
        { block: 20, xblockperiodmilliseconds: 0 },
        { block: 30, xemptyblockperiodseconds: 0 },
        { block: 40, validatorselectionmode: 'blockheader', validators: [ONE[0]!.address] },
      ],
    },
  })
  deepEqual(settingsOf(config, 9), [5, 250, 60, CONTRACT])
  deepEqual(settingsOf(config, 10), [2, 250, 60, CONTRACT])
  deepEqual(settingsOf(config, 20), [2, 0, 60, CONTRACT])
  deepEqual(settingsOf(config, 30), [2, 0, 0, CONTRACT])
  deepEqual(settingsOf(config, 40), [2, 0, 0, undefined])
  deepEqual(settingsOf(config, 1_000), [2, 0, 0, undefined])
})

test('a transition to a contract takes effect from its block on', () => {
  const to = { validatorselectionmode: 'contract', validatorcontractaddress: CONTRACT }
  const config = configOf({ qbft: {}, transitions: { qbft: [{ block: 6, ...to }] } })
  deepEqual(settingsOf(config, 5), [1, 0, 0, undefined])
  deepEqual(settingsOf(config, 6), [1, 0, 0, CONTRACT])
})

test('epochs count from block 0, and after a migration from the block before it', () => {
  const epochsOf = (config: GenesisConfig): number[] => {
    const numbers = Array.from({ length: 25 }, (_, number) => number)
    const isEpoch = (number: number) => {
      const at = BigInt(number)
      return isEpochBlock(bftProtocolAt(config.consensus, at), at)
    }
    return numbers.filter(isEpoch)
  }
  deepEqual(epochsOf(configOf({ qbft: { epochlength: 10 } })), [0, 10, 20])
  const changed = configOf({ ibft2: { epochlength: 6 }, qbft: { startBlock: 10, epochlength: 5 } })
  deepEqual(epochsOf(changed), [0, 6, 14, 19, 24])
  // By the rules of QBFT, the block before its first one ends the past.
  equal(isEpochBlock(bftProtocolAt(changed.consensus, 10n), 9n), true)
  equal(isEpochBlock(bftProtocolAt(changed.consensus, 10n), 4n), false)
})
