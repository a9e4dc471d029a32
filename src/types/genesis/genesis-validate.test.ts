import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { formatData } from '#types/hex.ts'
import { validateGenesis } from './genesis-validate.ts'

const VALIDATOR = parseAddress('0xbe068f726a13c8d46c44be6ce9d275600e1735a4')
const QBFT = { blockperiodseconds: 2, epochlength: 30000, requesttimeoutseconds: 4 }
const SOUND = {
  config: { chainId: 1337, londonBlock: 0, qbft: QBFT },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  mixHash: BFT_MIX_HASH,
  extraData: formatData(encodeGenesisExtraData('qbft', [VALIDATOR])),
  alloc: { [VALIDATOR]: { balance: '1' } },
}

function findingsOf(file: object): string[] {
  return validateGenesis(JSON.stringify(file)).map(({ path, severity }) => `${severity} ${path}`)
}

function withConfig(config: object): string[] {
  return findingsOf({ ...SOUND, config: { ...SOUND.config, ...config } })
}

test('a sound file has no finding', () => {
  assert.deepEqual(findingsOf(SOUND), [])
})

test('ten planted mistakes give ten findings', () => {
  const file = join(import.meta.dirname, '../../../test/support', 'fixtures', 'genesis-ten-mistakes.json')
  const findings = validateGenesis(readFileSync(file, 'utf8'))
  assert.deepEqual(findings.map(({ path, severity }) => `${severity} ${path}`).sort(), [
    'error $.alloc.0x0000000000000000000000000000000000008888.code',
    'error $.alloc.0x627306090abaB3A6e1400e9345bC60c78a8BEf57ff',
    'error $.config.chainId',
    'error $.config.evmStackSize',
    'error $.config.londonBlock',
    'error $.config.qbft.blockperiodseconds',
    'error $.config.qbft.requesttimeoutseconds',
    'error $.config.transitions.qbft[1].block',
    'error $.extraData.validators[1]',
    'error $.mixHash',
  ])
})

test('malformed JSON is one finding with its position', () => {
  const [finding, ...others] = validateGenesis('{\n "config": oops}')
  assert.deepEqual(others, [])
  assert.match(finding?.sentence ?? '', /line 2, column 12/)
})

test('without config or with a protocol that cannot run there is one finding', () => {
  assert.deepEqual(findingsOf({ ...SOUND, config: undefined }), ['error $.config'])
  assert.deepEqual(findingsOf({ ...SOUND, config: 5 }), ['error $.config'])
  assert.deepEqual(findingsOf({ ...SOUND, config: { chainId: 5 } }), ['error $.config.qbft'])
  assert.deepEqual(findingsOf({ ...SOUND, config: { chainId: 5, ibft: {} } }), ['error $.config.ibft'])
  assert.deepEqual(findingsOf({ ...SOUND, config: { chainId: 5, clique: {} } }), ['error $.config.clique'])
})

test('a second protocol has no effect, also if geth spelling added the first', () => {
  assert.deepEqual(withConfig({ ethash: {} }), ['error $.config.qbft'])
  assert.deepEqual(withConfig({ clique: {} }), ['error $.config.clique'])
  assert.deepEqual(withConfig({ mergeNetsplitBlock: 0 }), ['error $.config.qbft'])
})

test('the chain id must be present, above zero and acceptable to wallets', () => {
  assert.deepEqual(withConfig({ chainId: undefined }), ['warning $.config.chainId'])
  assert.deepEqual(withConfig({ chainId: 0 }), ['error $.config.chainId'])
  assert.deepEqual(withConfig({ chainId: '9223372036854775772' }), ['warning $.config.chainId'])
  assert.deepEqual(withConfig({ chainId: '9223372036854775771' }), [])
})

test('rules of London from block 0 need a base fee in block 0', () => {
  assert.deepEqual(withConfig({ londonBlock: undefined, shanghaiTime: 0 }), ['warning $.config.londonBlock'])
  assert.deepEqual(withConfig({ zeroBaseFee: true, fixedBaseFee: true }), ['warning $.config.fixedBaseFee'])
})

test('a gas limit below 5000 and a time in milliseconds are found', () => {
  assert.deepEqual(findingsOf({ ...SOUND, gasLimit: '4999' }), ['error $.gasLimit'])
  assert.deepEqual(findingsOf({ ...SOUND, gasLimit: undefined, gastarget: '4999' }), ['error $.gastarget'])
  assert.deepEqual(findingsOf({ ...SOUND, gasLimit: undefined }), ['error $.gasLimit'])
  assert.deepEqual(findingsOf({ ...SOUND, timestamp: '1757512500000' }), ['warning $.timestamp'])
})
