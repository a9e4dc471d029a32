import { literal } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { blockOf } from '#api/resolve-block.ts'
import { BlockNumber } from '#api/schema/values.ts'
import { openReplay } from '#chain/read/replay.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { assert } from '#types/assert.ts'
import { hashFromBytes } from '#types/hash.ts'

export default defineMethod({
  name: 'debug_replayBlock',
  summary: 'Executes a block again and compares the result with its header, without changes.',
  needs: ['chain', 'engine'],
  cost: 'heavy',
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: literal('Success'),
  run: async ({ chain, engine }, { block }, { cancel }) => {
    const known = blockOf(chain, block)
    if (known === undefined) throw rpcFault('UNKNOWN_BLOCK')
    const { number, gasUsed, stateRoot } = known.block.header
    if (number === 0n) throw rpcFault('GENESIS_BLOCK_NOT_TRACEABLE')
    const replay = await openReplay(chain, engine, known, { callTree: false, cancel })
    const refusal = await replay.session.run(replay.transactions)
    const verdict = refusal === undefined ? await replay.session.finish(known.block) : undefined
    assert(verdict?.ok, `Block ${number} was imported and can be executed again.`)
    const root = hashFromBytes(chain.rootAfter(Number(number) - 1, verdict.execution.changes).root)
    replay.state.confirm()
    const isSame = verdict.execution.gasUsed === gasUsed && root === stateRoot
    assert(isSame, `Block ${number} gives the gas and the state that its header says.`)
    return 'Success' as const
  },
})
