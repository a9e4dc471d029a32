import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateGenesis } from '#types/genesis/genesis-validate.ts'
import { loadNetwork } from './load-genesis.ts'
import { settingsOf } from './settings.fixture.ts'

const EXTRA_DATA =
  '0xf83aa00000000000000000000000000000000000000000000000000000000000000000d594d713a14fec26c951179dbc10a4dc5c1e339ac971c080c0'

const genesisOf = (extraData: string | undefined, consensus: object = { qbft: { epochlength: 30_000 } }) =>
  JSON.stringify({
    config: { chainId: 1337, berlinBlock: 0, ...consensus },
    difficulty: '0x1',
    gasLimit: '0x1c9c3800',
    alloc: {},
    ...(extraData !== undefined && { extraData }),
  })

test('a BFT genesis whose extra data names no validator set is refused with the sentence of genesis validate', () => {
  for (const extraData of [undefined, '0x', '0x00', EXTRA_DATA.slice(0, -2)]) {
    for (const consensus of [{ qbft: {} }, { ibft2: {} }]) {
      const text = genesisOf(extraData, consensus)
      const finding = validateGenesis(text).find(({ path }) => path === '$.extraData')
      assert.ok(finding)
      assert.throws(() => loadNetwork(settingsOf(), text), {
        message: `Unable to load genesis file. The genesis given: $.extraData: ${finding.sentence}`,
      })
    }
  }
})

test('a genesis of another protocol needs no extra data', () => {
  assert.equal(loadNetwork(settingsOf(), genesisOf(EXTRA_DATA)).networkId, 1337n)
  assert.ok(loadNetwork(settingsOf(), genesisOf(undefined, { ethash: {} })))
})

test('Hoodi needs no genesis file and has its own network id', () => {
  const { networkId, genesis, devAccounts } = loadNetwork(settingsOf('--network=hoodi'))
  assert.equal(networkId, 560_048n)
  assert.equal(genesis.genesis.config.terminalTotalDifficulty, 0n)
  assert.equal(devAccounts, undefined)
})

test('the network id of the development chain is its chain id, unless another is given', () => {
  const { networkId, genesis } = loadNetwork(settingsOf('--network=dev'))
  assert.equal(networkId, genesis.genesis.config.chainId)
  assert.equal(loadNetwork(settingsOf('--network=dev', '--network-id=2018')).networkId, 2018n)
})
