import { deepStrictEqual, ok } from 'node:assert'
import { test } from 'node:test'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { presentConfig } from './node-info.ts'

function configOf(config: object): Record<string, unknown> {
  const fields = { difficulty: '0x1', gasLimit: '0x1c9c380' }
  const verdict = parseGenesis(JSON.stringify({ config, ...fields }))
  ok(verdict.ok)
  return presentConfig(verdict.genesis.config)
}

test('lists the genesis options that change execution, as Besu does', () => {
  const ethash = { fixeddifficulty: 1 }
  deepStrictEqual(configOf({ chainId: 7, londonBlock: 0, ethash }), {
    chainId: 7,
    londonBlock: 0,
    ethash: {},
  })
  deepStrictEqual(configOf({ londonBlock: 0, ethash, zeroBaseFee: true, contractSizeLimit: 30_000 }), {
    londonBlock: 0,
    contractSizeLimit: 30_000,
    ethash: {},
    zeroBaseFee: true,
  })
  deepStrictEqual(configOf({ londonBlock: 0, ethash, fixedBaseFee: true }), {
    londonBlock: 0,
    ethash: {},
    fixedBaseFee: true,
  })
})
