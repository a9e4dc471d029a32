import { defineDevChange } from '#api/dev/define-dev-method.ts'

export default defineDevChange({
  name: 'miner_stop',
  summary: 'Switches automining off, as evm_setAutomine.',
  needs: ['dev'],
  params: {},
  change: ({ dev }) => dev.setAutomine(false),
})
