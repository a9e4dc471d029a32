import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { type GenesisAlloc, readAlloc } from './genesis-alloc.ts'
import { GenesisProblems } from './genesis-problems.ts'

const ADDRESS = 'fe3b557e8fb62b89f4916b721be55ceb828dbd73'

function read(text: string): { alloc: GenesisAlloc; findings: string[] } {
  const root = parseJson(text)
  assert.ok(root instanceof JsonObject)
  const problems = new GenesisProblems()
  const alloc = readAlloc(root, problems)
  return { alloc, findings: problems.findings.map(({ path, severity }) => `${severity} ${path}`) }
}

function readAccount(fields: object): ReturnType<typeof read> {
  return read(JSON.stringify({ alloc: { [ADDRESS]: fields } }))
}

test('an account has balance, nonce, code and storage; other keys are ignored', () => {
  const { alloc, findings } = readAccount({
    comment: 'x',
    privateKey: 'y',
    Balance: '0x10',
    nonce: '0x10',
    code: '6001',
    storage: { '0x01': '02', '03': '0x0004' },
  })
  assert.deepEqual(findings, [])
  const account = alloc.get(parseAddress(ADDRESS))
  assert.equal(account?.balance, 16n)
  assert.equal(account?.nonce, 16n)
  assert.deepEqual([...(account?.code ?? [])], [0x60, 0x01])
  assert.deepEqual(
    [...(account?.storage ?? [])],
    [
      [1n, 2n],
      [3n, 4n],
    ],
  )
})

test('an empty account is an account', () => {
  const { alloc } = readAccount({})
  assert.deepEqual(alloc.get(parseAddress(ADDRESS)), {
    balance: 0n,
    nonce: 0n,
    code: new Uint8Array(0),
    storage: new Map(),
  })
})

test('addresses have an optional 0x and any case, in the order of the file', () => {
  const { alloc } = read(
    `{"alloc": {"0x${'99'.repeat(20)}": {}, "${'AB'.repeat(20)}": {}, "${'10'.repeat(20)}": {}}}`,
  )
  assert.deepEqual(
    [...alloc.keys()],
    [`0x${'99'.repeat(20)}`, `0x${'ab'.repeat(20)}`, `0x${'10'.repeat(20)}`],
  )
})

test('a balance may be a JSON number', () => {
  const { alloc } = read(`{"alloc": {"${ADDRESS}": {"balance": 90000000000000000000000}}}`)
  assert.equal(alloc.get(parseAddress(ADDRESS))?.balance, 90000000000000000000000n)
})

test('an address in two spellings is refused, and an exact repetition is a warning', () => {
  assert.deepEqual(read(`{"alloc": {"${ADDRESS}": {}, "0x${ADDRESS}": {}}}`).findings, [
    `error $.alloc.0x${ADDRESS}`,
  ])
  assert.deepEqual(read(`{"alloc": {"${ADDRESS}": {}, "${ADDRESS}": {}}}`).findings, [
    `warning $.alloc.${ADDRESS}`,
  ])
})

test('a short address is padded with a warning, a long one is refused', () => {
  const { alloc, findings } = read('{"alloc": {"0x1": {}}}')
  assert.deepEqual([...alloc.keys()], ['0x0000000000000000000000000000000000000001'])
  assert.deepEqual(findings, ['warning $.alloc.0x1'])
  assert.deepEqual(read(`{"alloc": {"${ADDRESS}0": {}, "": {}, "no": {}}}`).findings, [
    `error $.alloc.${ADDRESS}0`,
    'error $.alloc[""]',
    'error $.alloc.no',
  ])
})

test('every bad value of an account is refused at its path', () => {
  const { findings } = readAccount({
    balance: '12 ether',
    nonce: '0x10000000000000000',
    code: '0x600',
    storage: { '0x1': 'xyz', [`0x${'1'.repeat(65)}`]: '0x1', '0x2': '0x1', '0x02': '0x1', '0x3': true },
  })
  assert.deepEqual(
    findings.map((finding) => finding.replace(`error $.alloc.${ADDRESS}.`, '')),
    ['balance', 'nonce', 'code', 'storage.0x1', `storage.0x${'1'.repeat(65)}`, 'storage.0x02', 'storage.0x3'],
  )
  assert.deepEqual(readAccount({ balance: `0x1${'0'.repeat(64)}`, code: 5, storage: [] }).findings.length, 3)
})

test('a nonce without 0x is read as hex with a warning', () => {
  const { alloc, findings } = readAccount({ nonce: '10' })
  assert.equal(alloc.get(parseAddress(ADDRESS))?.nonce, 16n)
  assert.deepEqual(findings, [`warning $.alloc.${ADDRESS}.nonce`])
})

test('a missing alloc has no accounts, and another spelling is a warning', () => {
  assert.equal(read('{}').alloc.size, 0)
  assert.deepEqual(read('{"Alloc": {}}').findings, ['warning $.Alloc'])
  assert.deepEqual(read('{"alloc": []}').findings, ['error $.alloc'])
})
