import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ADDRESS, answersFor, doctorCase, genesisOf, idsOf, UNAUTHORIZED } from './doctor.fixture.ts'

const seconds = (offset: number) => `0x${Math.floor(Date.now() / 1_000 + offset).toString(16)}`

test('a node of the same network has no findings', async (context) => {
  const { look } = await doctorCase(context)
  assert.deepEqual(idsOf(await look()), [])
})

test('a fork that one of the two has passed at another block is found', async (context) => {
  const { look, folder, honest } = await doctorCase(context)
  const file = join(folder, 'other.json')
  writeFileSync(file, genesisOf({ londonBlock: 6, shanghaiTime: 9_999_999_999 }))
  const { eth_config } = await answersFor(file)
  const findings = await look([], { ...honest, eth_config })
  assert.deepEqual(idsOf(findings), ['same-forks'])
  assert.match(findings[0]!.problem, /has fork hash 0x[0-9a-f]{8}, this genesis file 0x/)
  assert.equal(findings[0]!.severity, 'error')
})

test('a future fork at another time, or at no time, is found', async (context) => {
  const { look, honest } = await doctorCase(context)
  const { current } = honest.eth_config as { current: unknown }
  for (const [next, said] of [
    [{ activationTime: 8_888_888_888 }, /at 8888888888, the next fork of this genesis file at 9999999999/],
    [null, /at no time, the next fork of this genesis file at 9999999999/],
  ] as const) {
    const findings = await look([], { ...honest, eth_config: { current, next } })
    assert.deepEqual(idsOf(findings), ['same-forks'])
    assert.match(findings[0]!.problem, said)
  }
})

test('another block 0, network id, validator set and encoding are each found', async (context) => {
  const { look, honest } = await doctorCase(context)
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{ 'eth_getBlockByNumber 0x0': { hash: `0x${'11'.repeat(32)}` } }, ['same-genesis']],
    [{ net_version: '1338' }, ['same-network-id']],
    [{ 'qbft_getValidatorsByBlockNumber latest': [`0x${'22'.repeat(20)}`] }, ['validator']],
    [{ bft_status: { validators: [{ encoding: 'legacy' }] } }, ['wire-generation']],
    [{ 'eth_getBlockByNumber latest': { number: '0xa', timestamp: seconds(3_600) } }, ['clock']],
    [{ 'eth_getBlockByNumber latest': { number: '0xa', timestamp: seconds(-3_600) } }, ['clock']],
  ]
  for (const [change, ids] of cases) assert.deepEqual(idsOf(await look([], { ...honest, ...change })), ids)
})

test('validators come from the genesis file if the other node does not list them, and IBFT 2.0 has its own method', async (context) => {
  const { look, honest } = await doctorCase(context)
  const { 'qbft_getValidatorsByBlockNumber latest': _, ...rest } = honest
  assert.deepEqual(idsOf(await look([], rest)), [])
  const ibft = { 'ibft_getValidatorsByBlockNumber latest': [`0x${'22'.repeat(20)}`] }
  assert.deepEqual(idsOf(await look([], { ...rest, ...ibft })), ['validator'])
})

test('a network with several validators needs peers', async (context) => {
  const { look, honest } = await doctorCase(context)
  const two = { ...honest, 'qbft_getValidatorsByBlockNumber latest': [ADDRESS, `0x${'22'.repeat(20)}`] }
  assert.deepEqual(idsOf(await look([], two)), ['peers'])
})

test('hostile answers are reported by method, and their text is not repeated', async (context) => {
  const { look, honest } = await doctorCase(context)
  const evil = '\u001b[2J\nAll checks passed.'
  let nested: unknown = evil
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested]
  const hostile: readonly (readonly [string, unknown])[] = [
    ['eth_getBlockByNumber 0x0', { hash: evil }],
    ['eth_getBlockByNumber latest', { number: 'zz', timestamp: '0x1' }],
    ['eth_getBlockByNumber latest', { number: '0x1', timestamp: evil }],
    ['eth_getBlockByNumber latest', { number: '', timestamp: '0x1' }],
    ['eth_getBlockByNumber latest', evil],
    ['net_version', evil],
    ['net_version', { toString: 1 }],
    ['eth_config', { current: { forkId: evil } }],
    ['eth_config', { ...(honest.eth_config as object), next: { activationTime: evil } }],
    ['bft_status', { validators: evil }],
    ['qbft_getValidatorsByBlockNumber latest', [evil]],
    ['qbft_getValidatorsByBlockNumber latest', nested],
    ['qbft_getValidatorsByBlockNumber latest', new Array(10_001).fill(ADDRESS)],
  ]
  for (const [name, result] of hostile) {
    const findings = await look([], { ...honest, [name]: result })
    const found = findings.filter(({ id }) => id === 'other-node')
    assert.equal(found.length, 1, name)
    assert.ok(found[0]!.problem.includes(name.split(' ')[0]!))
    assert.doesNotMatch(JSON.stringify(findings), /All checks/, name)
  }
})

test('methods that the login may not call are named', async (context) => {
  const { look, honest } = await doctorCase(context)
  const findings = await look([], {
    ...honest,
    bft_status: UNAUTHORIZED,
    'eth_getBlockByNumber 0x0': UNAUTHORIZED,
    'eth_getBlockByNumber latest': UNAUTHORIZED,
  })
  assert.deepEqual(idsOf(findings), ['other-node'])
  assert.match(findings[0]!.problem, /may not call eth_getBlockByNumber, bft_status on the other node/)
})
