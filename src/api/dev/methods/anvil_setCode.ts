import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Address, dataParam } from '#api/schema/values.ts'

/** Longer than any contract that a transaction can create. */
const MAX_CODE_BYTES = 4 * 1024 * 1024

export default defineDevChange({
  name: 'anvil_setCode',
  aliases: [...toolNames('setCode'), 'evm_setAccountCode'],
  summary: 'Sets the code of an account. Its storage stays.',
  needs: ['dev'],
  params: { address: Address, code: dataParam({ maxBytes: MAX_CODE_BYTES }) },
  change: ({ dev }, { address, code }) => dev.edit([{ address, code }]),
})
