import { defineDevChange } from '#api/dev/define-dev-method.ts'

export default defineDevChange({
  name: 'miner_start',
  summary: 'Switches automining on, as evm_setAutomine.',
  needs: ['dev'],
  params: {},
  change: ({ dev }) => dev.setAutomine(true),
})
