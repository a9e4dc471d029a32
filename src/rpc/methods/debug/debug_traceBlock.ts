import { loadCrypto } from '#evm/crypto.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { debugBlock } from '#rpc/present/debug-block.ts'
import { dataParam } from '#rpc/schema/data.ts'
import { TracedBlock } from '#rpc/schema/trace.ts'
import { TraceOptions } from '#rpc/schema/trace-options.ts'
import { type Block, decodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'

/** As large as a message of a peer that brings a block may be. */
const MAX_BYTES = 16 * 1024 * 1024

export default defineMethod({
  name: 'debug_traceBlock',
  summary: 'Executes the transactions of an encoded block, whose parent is in the chain, and traces each.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: {
    block: dataParam({ maxBytes: MAX_BYTES }).failingWith('INVALID_BLOCK_PARAMS'),
    options: TraceOptions,
  },
  result: TracedBlock,
  async *run(resources, { block: encoded, options }, { cancel }) {
    const { keccak } = await loadCrypto()
    const block = decode(encoded, keccak)
    const hash = blockHashOf(resources.chain.genesis.config.consensus, keccak)(block.header)
    if (block.header.number > 0n && resources.chain.lookup.header(block.header.parentHash) === undefined) {
      throw rpcFault('PARENT_BLOCK_NOT_FOUND')
    }
    yield* debugBlock(resources, { hash, block }, { options, cancel })
  },
})

function decode(encoded: Uint8Array, keccak: Keccak): Block {
  try {
    return decodeBlock(encoded, keccak)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw rpcFault('INVALID_BLOCK_PARAMS')
  }
}
