import { decodeBlock } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { migrationRefused } from './migration-notes.ts'

/** GoQuorum marks private transactions with the v values of chain 1, so it does not run a chain with that id. */
const PRIVATE_CHAIN_ID = 1n

/** Counts blocks and returns the last header. Throws at the first block with a private transaction. */
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
        `Block ${header.number} holds a private transaction (number ${index} in it has a v of 37 or 38): its effects exist only in the private GoQuorum and Tessera states. Cairn has no private transactions and cannot follow this chain.`,
      )
    }
    last = header
    onProgress(++count)
  }
  return { count, last }
}
