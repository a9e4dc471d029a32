import { defineMethod } from '#api/define-method.ts'
import { debugBlock } from '#api/present/debug-replay.ts'
import { TracedBlock } from '#api/schema/trace.ts'
import { TraceOptions } from '#api/schema/trace-options.ts'
import { dataParam } from '#api/schema/values.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { decodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { unlessFault } from '#types/fault.ts'

/** The maximum size of a peer message with a block. */
const MAX_BYTES = 16 * 1024 * 1024

export default defineMethod({
  name: 'debug_traceBlock',
  summary: 'Executes and traces the transactions of an encoded block whose parent is in the chain.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: {
    block: dataParam({ maxBytes: MAX_BYTES }).failingWith('INVALID_BLOCK_PARAMS'),
    options: TraceOptions,
  },
  result: TracedBlock,
  async *run(resources, { block: encoded, options }, { cancel }) {
    const { keccak } = await loadCrypto()
    const block = unlessFault(() => decodeBlock(encoded, keccak))
    if (block === undefined) throw rpcFault('INVALID_BLOCK_PARAMS')
    const hash = blockHashOf(resources.chain.genesis.config.consensus, keccak)(block.header)
    if (block.header.number > 0n && resources.chain.lookup.header(block.header.parentHash) === undefined) {
      throw rpcFault('PARENT_BLOCK_NOT_FOUND')
    }
    yield* debugBlock(resources, { hash, block }, { options, cancel })
  },
})
