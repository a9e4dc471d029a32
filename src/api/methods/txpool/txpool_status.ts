import { object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'txpool_status',
  summary: 'The numbers of pending and queued transactions.',
  needs: ['pool'],
  params: {},
  result: object({ pending: QuantityText, queued: QuantityText }).meta({ title: 'pool counts' }),
  run: async ({ pool }) => {
    const { pending, queued } = await pool.status()
    return { pending: formatQuantity(pending), queued: formatQuantity(queued) }
  },
})
