import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'

export default defineDevChange({
  name: 'anvil_removeBlockTimestampInterval',
  aliases: toolNames('removeBlockTimestampInterval'),
  summary: 'Lets the times of blocks follow the clock again.',
  needs: ['dev'],
  params: {},
  change: ({ dev }) => dev.setTimestampInterval(undefined),
})
