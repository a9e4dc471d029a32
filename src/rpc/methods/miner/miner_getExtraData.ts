import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { formatDigits } from '#types/hex.ts'

const LEADING_ZEROS = /^0+/

export default defineMethod({
  name: 'miner_getExtraData',
  summary: 'The extra data of the blocks of this node, without leading zeros.',
  needs: ['building'],
  params: {},
  result: string()
    .regex(/^0x([1-9a-f][0-9a-f]*)?$/)
    .meta({ title: 'short data', description: '0x and hex digits, the first of which is not 0' }),
  run: async ({ building }) =>
    `0x${formatDigits((await building.settings()).extraData).replace(LEADING_ZEROS, '')}`,
})
