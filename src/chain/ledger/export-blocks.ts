/** Exports canonical blocks from the ledger in the block file format. */

import { Lookup } from '#chain/read/lookup.ts'
import { usageFault } from '#config/faults.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { openStoreReader } from '#store/open-store.ts'
import { encodeBlock } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'

export interface ExportRange {
  readonly startBlock: number
  /** The first block that is not exported; the head is the last if undefined. */
  readonly endBlock: number | undefined
}

/** Writes every block of the range and returns their count. */
export async function exportBlocks(
  database: { readonly path: string; readonly historyBlocks: number },
  { startBlock, endBlock }: ExportRange,
  write: (encoded: Uint8Array) => void,
): Promise<number> {
  if (kindOfPath(database.path) === undefined) {
    throw usageFault(
      `There is no chain to export at ${database.path}; name the node's directory with --data-path.`,
    )
  }
  const reader = await openStoreReader(database).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'STORE_MISSING') throw usageFault(error.data.sentence)
    throw error
  })
  try {
    const lookup = new Lookup(reader)
    const head = lookup.headNumber()
    if (head === undefined)
      throw usageFault(
        'There is no chain to export: the database is empty. Start the node or import blocks first.',
      )
    const end = Math.min(endBlock ?? head + 1, head + 1)
    for (let number = startBlock; number < end; number++) {
      const known = lookup.block(number)
      if (known === undefined) {
        throw usageFault(`Block ${number} is gone: the chain changed while it was exported. Export it again.`)
      }
      write(encodeBlock(known.block))
    }
    return Math.max(0, end - startBlock)
  } finally {
    await reader.close()
  }
}
