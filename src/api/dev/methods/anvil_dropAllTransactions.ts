import { defineDevChange } from '#api/dev/define-dev-method.ts'

export default defineDevChange({
  name: 'anvil_dropAllTransactions',
  summary: 'Drops all waiting transactions.',
  needs: ['dev'],
  params: {},
  change: ({ dev }) => dev.dropAll(),
})
