import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { formatData } from '#types/hex.ts'
import { validateGenesis } from './genesis-validate.ts'

const FIRST = parseAddress('11'.repeat(20))
const SECOND = parseAddress('22'.repeat(20))
const ZERO = parseAddress('00'.repeat(20))
const CONTRACT = '0x0000000000000000000000000000000000008888'
const TIMES = { blockperiodseconds: 2, epochlength: 30000, requesttimeoutseconds: 4 }
const NO_VALIDATORS = formatData(encodeGenesisExtraData('qbft', []))
const SOUND = {
  config: { chainId: 1337, berlinBlock: 0, qbft: TIMES },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  mixHash: BFT_MIX_HASH,
  extraData: formatData(encodeGenesisExtraData('qbft', [FIRST, SECOND])),
  alloc: {},
}

function findingsOf(file: object): string[] {
  return validateGenesis(JSON.stringify(file)).map(({ path, severity }) => `${severity} ${path}`)
}

function withConfig(config: object, rest: object = {}): string[] {
  return findingsOf({ ...SOUND, ...rest, config: { ...SOUND.config, ...config } })
}

test('sound files of both protocols have no finding', () => {
  assert.deepEqual(findingsOf(SOUND), [])
  const extraData = formatData(encodeGenesisExtraData('ibft2', [FIRST]))
  assert.deepEqual(withConfig({ qbft: undefined, ibft2: TIMES }, { extraData }), [])
})

test('values left to defaults are warnings', () => {
  assert.deepEqual(withConfig({ qbft: {} }), [
    'warning $.config.qbft.blockperiodseconds',
    'warning $.config.qbft.epochlength',
    'warning $.config.qbft.requesttimeoutseconds',
  ])
})

test('a round shorter than the block period is a warning, unless the period itself is wrong', () => {
  assert.deepEqual(withConfig({ qbft: { ...TIMES, blockperiodseconds: 5 } }), [
    'warning $.config.qbft.requesttimeoutseconds',
  ])
  assert.deepEqual(withConfig({ qbft: { ...TIMES, blockperiodseconds: -5 } }), [
    'error $.config.qbft.blockperiodseconds',
  ])
})

test('extra data must match the protocol', () => {
  const extraData = formatData(encodeGenesisExtraData('ibft2', [FIRST]))
  assert.deepEqual(findingsOf({ ...SOUND, extraData }), ['error $.extraData'])
  assert.deepEqual(findingsOf({ ...SOUND, extraData: undefined }), ['error $.extraData'])
  assert.deepEqual(findingsOf({ ...SOUND, extraData: '0xabc' }), ['error $.extraData'])
})

test('extra data names validators, unless a contract or a transition at block 1 does', () => {
  const rest = { extraData: NO_VALIDATORS }
  assert.deepEqual(withConfig({}, rest), ['error $.extraData'])
  assert.deepEqual(withConfig({ transitions: { qbft: [{ block: 1, validators: [FIRST] }] } }, rest), [])
  assert.deepEqual(withConfig({ transitions: { qbft: [{ block: 2, validators: [FIRST] }] } }, rest), [
    'error $.extraData',
  ])
})

test('a validator contract has its code in alloc and extra data without validators', () => {
  const config = { qbft: { ...TIMES, validatorcontractaddress: CONTRACT } }
  const alloc = { [CONTRACT]: { code: '0x6001' } }
  assert.deepEqual(withConfig(config, { alloc, extraData: NO_VALIDATORS }), [])
  assert.deepEqual(withConfig(config, { alloc }), ['warning $.extraData'])
  assert.deepEqual(withConfig(config, { extraData: NO_VALIDATORS }), [
    'error $.config.qbft.validatorcontractaddress',
  ])
})

test('validators are distinct and not the zero address', () => {
  const extraData = formatData(encodeGenesisExtraData('qbft', [FIRST, FIRST, ZERO]))
  assert.deepEqual(findingsOf({ ...SOUND, extraData }), [
    'error $.extraData.validators[1]',
    'error $.extraData.validators[2]',
  ])
  const qbft = [{ block: 5, validators: [FIRST, 'x', FIRST] }]
  assert.deepEqual(withConfig({ transitions: { qbft } }), [
    'error $.config.transitions.qbft[0].validators[1]',
    'error $.config.transitions.qbft[0].validators[2]',
  ])
})

test('mix hash and difficulty have the BFT values', () => {
  assert.deepEqual(findingsOf({ ...SOUND, mixHash: undefined }), ['error $.mixHash'])
  assert.deepEqual(findingsOf({ ...SOUND, difficulty: '0x2' }), ['warning $.difficulty'])
  assert.deepEqual(findingsOf({ ...SOUND, difficulty: undefined }), ['error $.difficulty'])
})

test('transitions out of order or of another protocol are warnings', () => {
  assert.deepEqual(withConfig({ transitions: { qbft: [{ block: 9 }, { block: 5 }] } }), [
    'warning $.config.transitions.qbft[1].block',
  ])
  assert.deepEqual(withConfig({ transitions: { ibft2: [{ block: 9 }] } }), [
    'warning $.config.transitions.ibft2',
  ])
})

test('a migration is judged by the extra data of its past protocol', () => {
  const extraData = formatData(encodeGenesisExtraData('ibft2', [FIRST]))
  const config = { ibft2: TIMES, qbft: { ...TIMES, startblock: 10 } }
  assert.deepEqual(withConfig(config, { extraData }), [])
  assert.deepEqual(withConfig(config), ['error $.extraData'])
})

test('legacy extra data has its validators after 32 bytes of vanity', () => {
  const config = { ibft: {}, qbft: { ...TIMES, startblock: 10 } }
  // [[FIRST, FIRST], no proposer seal, no commit seals]
  const extraData = `0x${'00'.repeat(32)}edea94${'11'.repeat(20)}94${'11'.repeat(20)}80c0`
  assert.deepEqual(withConfig(config, { extraData }), ['error $.extraData.validators[1]'])
  assert.deepEqual(withConfig(config, { extraData: '0x' }), ['error $.extraData'])
})
