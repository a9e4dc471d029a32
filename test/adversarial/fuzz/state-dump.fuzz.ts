import assert from 'node:assert/strict'
import { decodeDump } from '#api/dev/state-dump.ts'
import { MAX_UINT256 } from '#types/bytes.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import type { FuzzTarget } from './target.ts'

const account = {
  nonce: 7,
  balance: '0xde0b6b3a7640000',
  code: '0x6020356000355560603560403555',
  storage: { '0x0': '0x2', [`0x${'ab'.repeat(32)}`]: `0x${'ff'.repeat(32)}` },
}
const accounts = { [`0x${'11'.repeat(20)}`]: account, [`0x${'22'.repeat(20)}`]: { ...account, nonce: '0x8' } }
/** Anvil's dumps also have the block and the history. */
const ofAnvil = {
  block: { number: '0x1', gas_limit: '0x1c9c380' },
  accounts,
  best_block_number: 1,
  blocks: [],
}

const target: FuzzTarget = {
  name: 'state-dump',
  seeds: () => [{ accounts }, ofAnvil].map((dump) => Buffer.from(JSON.stringify(dump))),
  run(input) {
    for (const { nonce, balance } of decodeDump(new TextDecoder().decode(input))) {
      assert.ok(nonce! <= MAX_NONCE, 'A nonce is one that an account can have.')
      assert.ok(balance! <= MAX_UINT256, 'A balance has at most 256 bits.')
    }
  },
}

export default target
