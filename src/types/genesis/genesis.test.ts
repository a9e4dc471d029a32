import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Genesis, parseGenesis } from './genesis.ts'

const MINIMAL = {
  config: { chainId: 1337, londonBlock: 0, qbft: {} },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
}

function parse(file: object): Genesis {
  const verdict = parseGenesis(JSON.stringify(file))
  if (!verdict.ok) assert.fail(JSON.stringify(verdict.problems))
  return verdict.genesis
}

test('a file becomes one typed value', () => {
  const genesis = parse({ ...MINIMAL, alloc: { '0x01': { balance: '5' } } })
  assert.equal(genesis.config.chainId, 1337n)
  assert.equal(genesis.config.consensus.protocol, 'qbft')
  assert.equal(genesis.header.gasLimit, 30_000_000n)
  assert.equal(genesis.alloc.size, 1)
})

test('keys are case-insensitive at every level but alloc', () => {
  const genesis = parse({
    CONFIG: { CHAINID: 7, QBFT: { BlockPeriodSeconds: 9 } },
    Difficulty: '0x1',
    gaslimit: 5,
  })
  assert.equal(genesis.config.chainId, 7n)
  assert.ok(genesis.config.consensus.protocol === 'qbft')
  assert.equal(genesis.config.consensus.qbft.blockPeriodSeconds, 9)
})

test('all problems are reported at once, without warnings', () => {
  const verdict = parseGenesis(
    '{"config": {"chainId": true, "londonBlock": "1"}, "alloc": {"1": {"balance": {}}}}',
  )
  assert.ok(!verdict.ok)
  assert.deepEqual(
    verdict.problems.map(({ path }) => path),
    ['$.config.chainId', '$.config.londonBlock', '$.difficulty', '$.gasLimit', '$.alloc.1.balance'],
  )
  const warned = parseGenesis(JSON.stringify({ ...MINIMAL, alloc: { '1': {} } }))
  assert.deepEqual(warned.ok && warned.warnings.map(({ path }) => path), ['$.alloc.1'])
})

test('text that is not JSON, or JSON that is not an object, is one problem', () => {
  for (const text of ['', '{', '[]', 'null', '{"config": }']) {
    const verdict = parseGenesis(text)
    assert.deepEqual(verdict.ok ? [] : verdict.problems.map(({ path }) => path), ['$'], text)
  }
})

test('a file in the format of geth becomes an ethash file with the standard request contracts', () => {
  const genesis = parse({ ...MINIMAL, config: { londonBlock: 0, mergeNetsplitBlock: 0 } })
  assert.equal(genesis.config.consensus.protocol, 'ethash')
  assert.equal(genesis.config.forks.scheduledFrom('paris'), 0n)
  assert.equal(genesis.config.withdrawalRequestContractAddress, '0x00000961ef480eb55e80d19ad83579a64c007002')
  assert.equal(
    genesis.config.consolidationRequestContractAddress,
    '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  )
  assert.equal(genesis.header.baseFeePerGas, 1_000_000_000n)
})

test("only geth's spelling makes a file a geth file", () => {
  const genesis = parse({ ...MINIMAL, config: { mergeNetSplitBlock: 0, qbft: {} } })
  assert.equal(genesis.config.consensus.protocol, 'qbft')
  assert.equal(genesis.config.withdrawalRequestContractAddress, undefined)
})

test('a file without config has no protocol and the rules of frontier', () => {
  const { config } = parse({ difficulty: '0x1', gasLimit: '0x1' })
  assert.equal(config.consensus.protocol, 'none')
  assert.equal(config.forks.ruleSetAt(5n, 5n).name, 'frontier')
})
