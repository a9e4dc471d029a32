import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { parseData } from '#types/hex.ts'
import type { GenesisAccount } from './genesis-alloc.ts'
import { genesisStateRoot } from './genesis-state-root.ts'

const NOTHING: GenesisAccount = { balance: 0n, nonce: 0n, code: new Uint8Array(0), storage: new Map() }
const address = parseAddress('0x9ca0e998df92c5351cecbbb6dba82ac2266f7e0c')

function rootOf(account: Partial<GenesisAccount>): string {
  return genesisStateRoot(new Map([[address, { ...NOTHING, ...account }]]))
}

test('a state with code, storage and a balance has its known root', () => {
  // test1 of GenesisTests in ethereum/tests.
  const alloc = new Map([
    [address, { ...NOTHING, code: parseData('0x606060606060606060'), storage: new Map([[3n, 7n]]) }],
    [
      parseAddress('0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826'),
      { ...NOTHING, balance: 1_234_567_000_000_000_000_000n },
    ],
  ])
  assert.equal(genesisStateRoot(alloc), '0xdd406a973a0a5a9826d00da276e996d28426d24f12b8fa683723e9db532b8c59')
})

test('an account is in the state even if it is empty', () => {
  assert.equal(genesisStateRoot(new Map()), EMPTY_TRIE_ROOT)
  assert.notEqual(rootOf({}), EMPTY_TRIE_ROOT)
})

test('a slot of zero is not in the state', () => {
  assert.equal(rootOf({ storage: new Map([[1n, 0n]]) }), rootOf({}))
  assert.notEqual(rootOf({ storage: new Map([[1n, 1n]]) }), rootOf({}))
})
