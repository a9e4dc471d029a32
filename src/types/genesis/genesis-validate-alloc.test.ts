import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateGenesis } from './genesis-validate.ts'

const SOUND = {
  config: { chainId: 1337, londonBlock: 0, ethash: {} },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
}

function findingsOf(file: object): string[] {
  return validateGenesis(JSON.stringify(file)).map(({ path, severity }) => `${severity} ${path}`)
}

test('code at the address of a precompiled contract is found if the contract exists', () => {
  const alloc = { '0x0000000000000000000000000000000000000011': { code: '00' } }
  assert.deepEqual(findingsOf({ ...SOUND, alloc }), [])
  const config = { ...SOUND.config, pragueTime: 0 }
  assert.deepEqual(findingsOf({ ...SOUND, config, alloc }), [
    'warning $.alloc.0x0000000000000000000000000000000000000011',
  ])
  const verifier = { '0x0000000000000000000000000000000000000100': { code: '00' } }
  assert.deepEqual(findingsOf({ ...SOUND, config, alloc: verifier }), [])
  assert.equal(findingsOf({ ...SOUND, config: { ...config, osakaTime: 0 }, alloc: verifier }).length, 1)
})

test('balances whose sum exceeds 256 bits are found', () => {
  const half = `0x8${'0'.repeat(63)}`
  const alloc = { ['11'.repeat(20)]: { balance: half }, ['22'.repeat(20)]: { balance: half } }
  assert.deepEqual(findingsOf({ ...SOUND, alloc }), ['warning $.alloc'])
})
