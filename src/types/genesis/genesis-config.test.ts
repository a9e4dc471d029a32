import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { blobParametersOf, type GenesisConfig, readGenesisConfig, refuseCurve } from './genesis-config.ts'
import { type GenesisFinding, GenesisProblems } from './genesis-problems.ts'
import { GenesisSection } from './genesis-section.ts'

function read(text: string): { config: GenesisConfig; findings: GenesisFinding[] } {
  const object = parseJson(text)
  assert.ok(object instanceof JsonObject)
  const section = new GenesisSection('$.config', object, new GenesisProblems())
  return { config: readGenesisConfig(section), findings: section.problems.findings }
}

function pathsOf(text: string): string[] {
  return read(text).findings.map(({ path }) => path.slice('$.config.'.length))
}

test('chain id and terminal total difficulty are exact, as number or as decimal text', () => {
  const { config } = read('{"chainID": 3503995874084926, "terminalTotalDifficulty": 58750000000000000000000}')
  assert.equal(config.chainId, 3503995874084926n)
  assert.equal(config.terminalTotalDifficulty, 58750000000000000000000n)
  assert.equal(read('{"chainId": "1337"}').config.chainId, 1337n)
  assert.deepEqual(pathsOf('{"chainId": "0x539"}'), ['chainId'])
  assert.deepEqual(pathsOf('{"chainId": -1}'), ['chainId'])
})

test('an empty section has defaults', () => {
  const { config, findings } = read('{}')
  assert.deepEqual(findings, [])
  assert.equal(config.chainId, undefined)
  assert.equal(config.evmStackSize, 1024)
  assert.equal(config.ecCurve, 'secp256k1')
  assert.equal(config.zeroBaseFee, false)
  assert.equal(config.checkpoint, undefined)
  assert.deepEqual(config.discovery, { dns: undefined, bootnodes: undefined, v5Bootnodes: undefined })
})

test('forks must be numbers without quotes, and unknown forks are ignored', () => {
  assert.deepEqual(pathsOf('{"londonBlock": "0"}'), ['londonBlock'])
  assert.deepEqual(pathsOf('{"unexpectedFork1Block": "x", "eip155Block": "y"}'), [])
})

test('Petersburg may be called constantinopleFixBlock, but not both', () => {
  assert.equal(read('{"constantinopleFixBlock": 5}').config.forks.scheduledFrom('petersburg'), 5n)
  assert.deepEqual(pathsOf('{"constantinopleFixBlock": 5, "petersburgBlock": 5}'), ['constantinopleFixBlock'])
})

test('a DAO fork at zero or below is ignored', () => {
  assert.equal(read('{"daoForkBlock": 0}').config.forks.daoForkBlock, undefined)
  assert.equal(read('{"daoForkBlock": -1}').config.forks.daoForkBlock, undefined)
  assert.equal(read('{"daoForkBlock": 7}').config.forks.daoForkBlock, 7n)
})

test('forks out of order are refused at the fork that comes too early', () => {
  const { findings } = read('{"BerlinBlock": 10, "LondonBlock": 5, "shanghaiTime": 3}')
  assert.deepEqual(
    findings.map(({ path, sentence }) => `${path} ${sentence}`),
    [
      "$.config.LondonBlock 'LONDON' is scheduled for milestone 5 but it must be on or after milestone 10.",
      "$.config.shanghaiTime 'SHANGHAI' is scheduled for milestone 3 but it must be on or after milestone 5.",
    ],
  )
  assert.deepEqual(pathsOf('{"petersburgBlock": 9, "istanbulBlock": 8}'), ['istanbulBlock'])
  assert.deepEqual(pathsOf('{"byzantiumBlock": 9, "constantinopleFixBlock": 8}'), ['constantinopleFixBlock'])
})

test('blob parameters come from the file, else from the fork, and apply until the next fork with any', () => {
  const { config } = read(
    '{"blobSchedule": {"cancun": {"target": 1, "max": 2, "baseFeeUpdateFraction": 3}, "bpo1": {"target": 7, "max": 8, "baseFeeUpdateFraction": 9}}}',
  )
  const { blobSchedule } = config
  assert.equal(blobParametersOf(blobSchedule, ['frontier', 'london']), undefined)
  assert.equal(blobParametersOf(blobSchedule, ['shanghai', 'cancun'])?.max, 2)
  assert.equal(blobParametersOf(blobSchedule, ['cancun', 'prague', 'osaka'])?.max, 9)
  assert.equal(blobParametersOf(blobSchedule, ['cancun', 'prague', 'osaka', 'bpo1', 'bpo2'])?.max, 8)
})

test('a blob schedule needs all three values and a target below its maximum', () => {
  assert.deepEqual(pathsOf('{"blobSchedule": {"cancun": {"target": 3, "max": 6}}}'), [
    'blobSchedule.cancun.baseFeeUpdateFraction',
  ])
  assert.deepEqual(pathsOf('{"blobSchedule": {"prague": {"target": 3, "baseFeeUpdateFraction": 1}}}'), [
    'blobSchedule.prague.max',
  ])
  assert.deepEqual(
    pathsOf('{"blobSchedule": {"bpo1": {"target": 9, "max": 6, "baseFeeUpdateFraction": 1}}}'),
    ['blobSchedule.bpo1.target'],
  )
})

test('only the stack and the curves that the engines know are accepted', () => {
  assert.deepEqual(pathsOf('{"evmStackSize": 1024, "ecCurve": "secp256r1"}'), [])
  assert.equal(refuseCurve({ ecCurve: 'secp256k1' }), undefined)
  assert.match(refuseCurve({ ecCurve: 'secp256r1' }) ?? '', /take ecCurve out/)
  assert.deepEqual(pathsOf('{"evmStackSize": 2048, "ecCurve": "abcd"}'), ['evmStackSize', 'ecCurve'])
})

test('an incomplete checkpoint is refused', () => {
  const { config } = read('{"checkpoint": {"hash": "0x12", "number": 5, "totalDifficulty": "0xff"}}')
  assert.equal(config.checkpoint?.number, 5n)
  assert.equal(config.checkpoint?.totalDifficulty, 255n)
  assert.deepEqual(pathsOf('{"checkpoint": {"number": 5}}'), [
    'checkpoint.hash',
    'checkpoint.totalDifficulty',
  ])
})

test('discovery distinguishes an empty list from an absent one', () => {
  const { config } = read('{"discovery": {"bootnodes": [], "dns": "enrtree://x"}}')
  assert.deepEqual(config.discovery, { dns: 'enrtree://x', bootnodes: [], v5Bootnodes: undefined })
})
