import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { countOf } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

/** Hardhat counts milliseconds, and the times of blocks are seconds. */
const MS = 1_000

export default defineDevChange({
  name: 'evm_setIntervalMining',
  aliases: ['anvil_setIntervalMining'],
  summary:
    'Produces a block every so many seconds, with or without transactions. With 0, blocks follow transactions.',
  needs: ['dev', 'node'],
  params: { interval: new Param(CountWire, 'INVALID_PARAMS') },
  change: async ({ dev, node }, { interval }) => {
    const isInMs = node.clientVersion().startsWith('HardhatNetwork/')
    await dev.setPeriod(isInMs ? Math.ceil(countOf(interval) / MS) : countOf(interval))
  },
})
