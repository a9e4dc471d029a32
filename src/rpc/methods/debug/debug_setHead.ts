import { boolean, literal } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { Block } from '#rpc/schema/block-selector.ts'

const MoveState = new Param(boolean(), 'INVALID_PARAMS').optional()

export default defineMethod({
  name: 'debug_setHead',
  summary:
    'Makes an earlier block the head, and its state that of the head, whatever is said about the state.',
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
