import { boolean } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { TransactionHash } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'anvil_dropTransaction',
  aliases: toolNames('dropTransaction'),
  summary: 'Drops a waiting transaction. False if it is not in the pool.',
  needs: ['dev'],
  params: { hash: TransactionHash },
  result: boolean(),
  run: ({ dev }, { hash }) => dev.drop(hash),
})
