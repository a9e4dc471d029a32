import { boolean } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'

/** Hardhat Ignition asks for it: if blocks follow transactions, it does not wait for further blocks. */
export default defineDevMethod({
  name: 'hardhat_getAutomine',
  aliases: ['anvil_getAutomine', 'eth_mining'],
  summary: 'Whether every transaction gets a block at once.',
  needs: ['dev'],
  params: {},
  result: boolean(),
  run: ({ dev }) => dev.automines(),
})
