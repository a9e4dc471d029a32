import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { type ForkName, ForkSchedule } from './fork-schedule.ts'
import { type GenesisHeader, optionalHeaderFields, readGenesisHeader } from './genesis-header.ts'
import { type GenesisFinding, GenesisProblems } from './genesis-problems.ts'
import { GenesisSection } from './genesis-section.ts'

type Forks = Partial<Record<ForkName, bigint>>

function read(fields: object, forks: Forks = {}): { header: GenesisHeader; findings: GenesisFinding[] } {
  const object = parseJson(JSON.stringify({ difficulty: '0x1', gasLimit: '0x1c9c380', ...fields }))
  assert.ok(object instanceof JsonObject)
  const root = new GenesisSection('$', object, new GenesisProblems())
  const header = readGenesisHeader(root, new ForkSchedule(forks))
  return { header, findings: root.problems.findings }
}

function fieldsOf(fields: object, forks: Forks): number {
  return 15 + optionalHeaderFields(read(fields, forks).header, new ForkSchedule(forks)).length
}

test('difficulty and gas limit are required, everything else has a default', () => {
  const { header, findings } = read({})
  assert.deepEqual(findings, [])
  assert.equal(header.gasLimit, 30_000_000n)
  assert.equal(header.timestamp, 0n)
  assert.equal(header.extraData.length, 0)
  assert.equal(header.coinbase, `0x${'00'.repeat(20)}`)
  assert.equal(header.mixHash, `0x${'00'.repeat(32)}`)
  const missing = read({ difficulty: null, gasLimit: null }).findings
  assert.deepEqual(
    missing.map(({ path }) => path),
    ['$.difficulty', '$.gasLimit'],
  )
})

test('numbers are read in the form of their field', () => {
  const { header } = read({
    difficulty: '0x10000',
    gasLimit: '700000000',
    timestamp: 1757512500,
    nonce: '42',
  })
  assert.equal(header.difficulty, 0x10000n)
  assert.equal(header.gasLimit, 700000000n)
  assert.equal(header.timestamp, 1757512500n)
  assert.equal(header.nonce, 0x42n)
  assert.equal(read({ gasLimit: undefined, gasTarget: '0x10' }).header.gasLimit, 16n)
})

test('a difficulty that looks decimal is read as hex, with a warning', () => {
  const { header, findings } = read({ difficulty: '131072' })
  assert.equal(header.difficulty, 0x131072n)
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    ['warning'],
  )
})

test('extra data needs no prefix but two digits per byte', () => {
  assert.deepEqual([...read({ extraData: '' }).header.extraData], [])
  assert.deepEqual([...read({ extraData: '0x0aFF' }).header.extraData], [0x0a, 0xff])
  assert.deepEqual([...read({ extraData: '0aff' }).header.extraData], [0x0a, 0xff])
  for (const extraData of ['0xabc', '%extraData%', 5]) {
    assert.deepEqual(
      read({ extraData }).findings.map(({ path }) => path),
      ['$.extraData'],
    )
  }
})

test('the base fee is the one given, or one gwei if London is at block 0', () => {
  assert.equal(read({}).header.baseFeePerGas, undefined)
  assert.equal(read({}, { london: 0n }).header.baseFeePerGas, 1_000_000_000n)
  assert.equal(read({ baseFeePerGas: '0x7' }, { london: 0n }).header.baseFeePerGas, 7n)
  assert.equal(read({ baseFeePerGas: null }, { london: 1n }).header.baseFeePerGas, undefined)
})

test('forks active at the time of block 0 add their header fields', () => {
  assert.equal(fieldsOf({}, {}), 15)
  assert.equal(fieldsOf({}, { london: 0n }), 16)
  assert.equal(fieldsOf({}, { london: 0n, shanghai: 0n }), 17)
  assert.equal(fieldsOf({}, { london: 0n, shanghai: 0n, cancun: 0n }), 20)
  assert.equal(fieldsOf({}, { london: 0n, cancun: 0n, prague: 20n }), 20)
  assert.equal(fieldsOf({ timestamp: '0x14' }, { london: 0n, cancun: 0n, prague: 20n }), 21)
  assert.equal(fieldsOf({}, { london: 0n, amsterdam: 0n }), 23)
})

test('a later fork implies earlier ones without their own time', () => {
  assert.equal(fieldsOf({}, { london: 0n, prague: 0n }), 21)
  assert.equal(fieldsOf({}, { london: 0n, osaka: 0n }), 21)
  assert.equal(fieldsOf({}, { london: 0n, futureEips: 0n }), 23)
})

test('the first absent field ends the header', () => {
  assert.equal(fieldsOf({}, { shanghai: 0n, cancun: 0n }), 15)
  assert.deepEqual(
    optionalHeaderFields(read({}, { london: 0n, cancun: 0n }).header, new ForkSchedule({ cancun: 0n })),
    ['baseFeePerGas', 'withdrawalsRoot', 'blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
  )
})
