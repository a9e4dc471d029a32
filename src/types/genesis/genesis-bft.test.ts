import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { type BftConfig, readBftConfig } from './genesis-bft.ts'
import { type GenesisFinding, GenesisProblems } from './genesis-problems.ts'
import { GenesisSection } from './genesis-section.ts'

const BENEFICIARY = '0x1234567890123456789012345678901234567890'

function read(protocol: 'qbft' | 'ibft2', config: unknown): { bft: BftConfig; findings: GenesisFinding[] } {
  const object = parseJson(JSON.stringify(config))
  assert.ok(object instanceof JsonObject)
  const section = new GenesisSection('$.config', object, new GenesisProblems())
  const bft = readBftConfig(section, protocol, section.section(protocol))
  return { bft, findings: section.problems.findings }
}

test("an empty section has Besu's defaults", () => {
  const { bft, findings } = read('qbft', { qbft: {} })
  assert.deepEqual(findings, [])
  assert.deepEqual(bft, {
    epochLength: 30_000n,
    blockPeriodSeconds: 1,
    requestTimeoutSeconds: 1,
    emptyBlockPeriodSeconds: 0,
    blockPeriodMilliseconds: 0,
    gossipedHistoryLimit: 1000,
    messageQueueLimit: 1000,
    duplicateMessageLimit: 100,
    futureMessagesLimit: 1000,
    futureMessagesMaxDistance: 10,
    miningBeneficiary: undefined,
    blockRewardWei: 0n,
    validatorContractAddress: undefined,
    transitions: [],
  })
})

test('keys may be written in any case, the block period in quotes, the reward in decimal or hex', () => {
  const { bft } = read('qbft', {
    qbft: { blockPeriodSeconds: '5', blockReward: '0x15', miningBeneficiary: BENEFICIARY },
  })
  assert.equal(bft.blockPeriodSeconds, 5)
  assert.equal(bft.blockRewardWei, 0x15n)
  assert.equal(bft.miningBeneficiary, BENEFICIARY)
  assert.equal(
    read('ibft2', { ibft2: { blockreward: '5000000000000000000' } }).bft.blockRewardWei,
    5n * 10n ** 18n,
  )
})

test("a gas limit per transaction is refused, because blocks would differ from Besu's", () => {
  const transitions = { qbft: [{ block: 5, perTxGasLimit: '0x0' }] }
  assert.deepEqual(
    read('qbft', { qbft: { pertxgaslimit: 100_000 }, transitions }).findings.map(({ path }) => path),
    ['$.config.qbft.pertxgaslimit', '$.config.transitions.qbft[0].perTxGasLimit'],
  )
})

test('a blank beneficiary counts as absent, a short one is refused', () => {
  assert.equal(read('qbft', { qbft: { miningbeneficiary: ' ' } }).bft.miningBeneficiary, undefined)
  const { findings } = read('qbft', { qbft: { miningbeneficiary: '0x1234' } })
  assert.deepEqual(
    findings.map(({ path }) => path),
    ['$.config.qbft.miningbeneficiary'],
  )
})

test('a validator contract is known to QBFT only', () => {
  const section = { validatorcontractaddress: '0x8888' }
  const address = '0x0000000000000000000000000000000000008888'
  assert.equal(read('qbft', { qbft: section }).bft.validatorContractAddress, address)
  assert.equal(read('ibft2', { ibft2: section }).bft.validatorContractAddress, undefined)
})

test('zero and negative periods, epochs and timeouts are refused', () => {
  const { findings } = read('qbft', {
    qbft: { blockperiodseconds: 0, epochlength: 0, requesttimeoutseconds: -1, blockreward: '-5' },
  })
  assert.deepEqual(findings.map(({ path }) => path.slice('$.config.qbft.'.length)).sort(), [
    'blockperiodseconds',
    'blockreward',
    'epochlength',
    'requesttimeoutseconds',
  ])
})

test('transitions are sorted by block, and omitted values stay unchanged', () => {
  const { bft, findings } = read('qbft', {
    qbft: {},
    transitions: {
      qbft: [
        { block: 30, miningBeneficiary: '' },
        { block: 20, blockPeriodSeconds: 4, xemptyblockperiodseconds: 0, miningbeneficiary: BENEFICIARY },
        { block: 40, validatorselectionmode: 'CONTRACT', validatorcontractaddress: '0x8888' },
        { block: 50, validatorselectionmode: 'blockheader', validators: [BENEFICIARY] },
      ],
    },
  })
  assert.deepEqual(findings, [])
  assert.deepEqual(
    bft.transitions.map(({ block }) => block),
    [20n, 30n, 40n, 50n],
  )
  const [first, second, third, fourth] = bft.transitions
  assert.equal(first?.blockPeriodSeconds, 4)
  assert.equal(first?.emptyBlockPeriodSeconds, 0)
  assert.equal(first?.miningBeneficiary, BENEFICIARY)
  assert.equal(second?.miningBeneficiary, 'proposer')
  assert.equal(second?.blockPeriodSeconds, undefined)
  assert.deepEqual(third?.validatorSource, { contract: '0x0000000000000000000000000000000000008888' })
  assert.equal(fourth?.validatorSource, 'blockheader')
  assert.deepEqual(fourth?.validators, [BENEFICIARY])
})

test('every mistake in transitions is found at its path', () => {
  const { findings } = read('qbft', {
    qbft: {},
    transitions: {
      qbft: [
        { block: 0 },
        { blockperiodseconds: 2 },
        7,
        { block: 9 },
        { block: 9 },
        { block: 10, validatorselectionmode: 'contract' },
        { block: 11, validatorselectionmode: 'blockheader', validators: [] },
        { block: 12, validators: ['x'] },
        { block: 13, validatorselectionmode: 'other' },
      ],
    },
  })
  assert.deepEqual(
    findings.map(({ path }) => path.slice('$.config.transitions.qbft'.length)),
    [
      '[0].block',
      '[1].block',
      '[2]',
      '[4].block',
      '[5].validatorcontractaddress',
      '[6].validators',
      '[7].validators[0]',
      '[8].validatorselectionmode',
    ],
  )
})

test('a contract address without its mode is a warning', () => {
  const { findings } = read('qbft', {
    qbft: {},
    transitions: { qbft: [{ block: 1, validatorcontractaddress: '0x8888' }] },
  })
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    ['warning'],
  )
})
