import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { MESSAGE } from '#api/dev/message-param.ts'
import { Address, DataText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'personal_sign',
  summary: 'Signs a message with an account of the node (EIP-191).',
  needs: ['wallet'],
  params: { message: MESSAGE, account: Address },
  result: DataText,
  run: ({ wallet }, { message, account }) => wallet.signMessage(account, message),
})
