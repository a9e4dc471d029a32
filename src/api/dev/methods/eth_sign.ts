import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { MESSAGE } from '#api/dev/message-param.ts'
import { Address, DataText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'eth_sign',
  summary: 'Signs a message with an account of the node, like personal_sign with its parameters exchanged.',
  needs: ['wallet'],
  params: { account: Address, message: MESSAGE },
  result: DataText,
  run: ({ wallet }, { account, message }) => wallet.signMessage(account, message),
})
