import { decodeBlock } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { migrationRefused } from './migration-notes.ts'

/** GoQuorum marks private transactions by the values of v that chain 1 has; and so takes no chain with that number. */
const PRIVATE_CHAIN_ID = 1n

/** Counts blocks and returns the last header; throws at the first block that holds a private transaction. */
export function refusePrivateTransactions(
  blocks: Iterable<Uint8Array>,
  onProgress: (count: number) => void,
): { readonly count: number; readonly last: BlockHeader | undefined } {
  let count = 0
  let last: BlockHeader | undefined
  for (const encoded of blocks) {
    const { header, transactions } = decodeBlock(encoded)
    const index = transactions.findIndex(({ type, chainId }) => type === 0 && chainId === PRIVATE_CHAIN_ID)
    if (index !== -1) {
      throw migrationRefused(
        `Block ${header.number} holds a private transaction (number ${index} in it has a v of 37 or 38): what it did is in the private states of GoQuorum and Tessera alone. Cairn has no private transactions and cannot follow this chain.`,
      )
    }
    last = header
    onProgress(++count)
  }
  return { count, last }
}
