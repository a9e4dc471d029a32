import { boolean } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

/** Ids count up from 1, so a larger one was never given. */
const MAX_ID = BigInt(Number.MAX_SAFE_INTEGER)

export default defineDevMethod({
  name: 'evm_revert',
  aliases: ['anvil_revert'],
  summary:
    'Rewinds to a snapshot and forgets it and later ones. False if it is not known or not on the chain.',
  needs: ['dev'],
  cost: 'heavy',
  params: { snapshot: new Param(CountWire, 'INVALID_PARAMS') },
  result: boolean(),
  run: async ({ dev }, { snapshot }) => snapshot <= MAX_ID && (await dev.revert(Number(snapshot))),
})
