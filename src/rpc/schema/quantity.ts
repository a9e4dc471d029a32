import { string } from 'zod'

/** A number in a result. */
export const QuantityText = string()
  .regex(/^0x(0|[1-9a-f][0-9a-f]*)$/)
  .meta({ title: 'quantity', description: '0x and a hex number without leading zeros' })
