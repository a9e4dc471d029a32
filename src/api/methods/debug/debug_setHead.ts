import { boolean, literal } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { Block } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

const MoveState = new Param(boolean(), 'INVALID_PARAMS').optional()

export default defineMethod({
  name: 'debug_setHead',
  summary: 'Rewinds the chain to an earlier block, including its state.',
  needs: ['chain', 'writer'],
  params: { block: Block, moveState: MoveState },
  changes: {
    what: 'head',
    observe: ({ chain }) => {
      const { hash, header } = chain.head()
      return { number: Number(header.number), hash }
    },
  },
  result: literal('Success').nullable(),
  run: async ({ chain, writer }, { block }) => {
    const known = resolveBlock(chain, block)
    if (known === undefined) {
      if (block.kind === 'hash') throw rpcFault('UNKNOWN_BLOCK')
      return null
    }
    const verdict = await writer.setHead(known.hash)
    if (!verdict.ok) throw rpcFault('WORLD_STATE_UNAVAILABLE', { reason: verdict.sentence })
    return 'Success'
  },
})
