import { boolean } from 'zod'
import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_setLoggingEnabled',
  aliases: toolNames('setLoggingEnabled'),
  summary: 'Sets whether each transaction gets a log line, and calls log their `console.log`.',
  needs: ['dev'],
  params: { isOn: new Param(boolean(), 'INVALID_PARAMS') },
  change: ({ dev }, { isOn }) => dev.setLogging(isOn),
})
