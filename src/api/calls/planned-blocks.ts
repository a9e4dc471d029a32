/** The blocks of a simulation in order: gaps between numbers are filled with empty blocks, and timestamps ascend. */

import type { BlockOverrides, BlockStateCall } from '#api/schema/simulation.ts'
import { SLOT_SECONDS } from '#chain/read/call-site.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { BlockHeader } from '#types/block/block-header.ts'

export const MAX_BLOCKS = 256

export interface PlannedBlock extends BlockStateCall {
  readonly block: BlockOverrides & { readonly number: bigint; readonly time: bigint }
}

export function planBlocks(blocks: readonly BlockStateCall[], head: BlockHeader): PlannedBlock[] {
  if (blocks.length > MAX_BLOCKS) throw rpcFault('SIMULATION_TOO_MANY_BLOCKS')
  requireAscending(
    blocks.map(({ block }) => block.number),
    'SIMULATION_NUMBERS_NOT_ASCENDING',
  )
  requireAscending(
    blocks.map(({ block }) => block.time),
    'SIMULATION_TIMES_NOT_ASCENDING',
  )
  requireWithinLimit(blocks, head)
  const planned: PlannedBlock[] = []
  let { number, timestamp: time } = head
  const add = (next: PlannedBlock): void => {
    requireLater(next.block, number, time)
    planned.push(next)
    number = next.block.number
    time = next.block.time
  }
  // Missing times are one slot apart, as on public networks.
  for (const next of blocks) {
    const last = next.block.number ?? number + 1n
    while (number + 1n < last) {
      add({ block: { number: number + 1n, time: time + SLOT_SECONDS }, state: undefined, calls: [] })
    }
    add({ ...next, block: { ...next.block, number: last, time: next.block.time ?? time + SLOT_SECONDS } })
  }
  return planned
}

function requireAscending(
  values: readonly (bigint | undefined)[],
  kind: 'SIMULATION_NUMBERS_NOT_ASCENDING' | 'SIMULATION_TIMES_NOT_ASCENDING',
): void {
  let before = -1n
  for (const value of values) {
    if (value === undefined) continue
    if (value <= before) throw rpcFault(kind)
    before = value
  }
}

/** Checked before any block is made, since a number far away would mean as many blocks. */
function requireWithinLimit(blocks: readonly BlockStateCall[], { number }: BlockHeader): void {
  const highest = blocks.reduce(
    (most, { block }) => (block.number !== undefined && block.number > most ? block.number : most),
    -1n,
  )
  const behind = blocks.filter(({ block }) => block.number === undefined || block.number > highest).length
  const last = highest + BigInt(behind)
  const limit = number + BigInt(MAX_BLOCKS)
  if (last <= limit) return
  const message = `Block number ${last} exceeds the limit of ${limit} (header: ${number} + MAX_BLOCK_CALL_SIZE: ${MAX_BLOCKS})`
  throw rpcFault('SIMULATION_TOO_MANY_BLOCKS', { message })
}

function requireLater(block: PlannedBlock['block'], number: bigint, time: bigint): void {
  if (block.number <= number) {
    const message = `Block number is invalid. Trying to add a call at block number ${block.number}, while current block number is ${number}.`
    throw rpcFault('SIMULATION_NUMBERS_NOT_ASCENDING', { message })
  }
  if (block.time <= time) {
    const message = `Timestamp is invalid. Trying to add a call at timestamp ${block.time}, while current timestamp is ${time}.`
    throw rpcFault('SIMULATION_TIMES_NOT_ASCENDING', { message })
  }
}
