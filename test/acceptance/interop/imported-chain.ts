/** A node that serves the conversation chain (fixture-chain.ts) over HTTP, and the facts of that chain. */
import { Lookup } from '#chain/read/lookup.ts'
import { createNode, type EmbeddedNode } from '#node/create-node.ts'
import { encodeBlock } from '#types/block/block.ts'
import { fixtureChain, GENESIS_TEXT, RICH } from '../conversations/fixture-chain.ts'

/** Facts that every library must find. */
export interface Facts {
  readonly chainId: bigint
  readonly head: bigint
  /** The block with one failing and one logging transaction. */
  readonly blockHash: string
  readonly transactionHashes: readonly string[]
  readonly sender: string
  readonly statuses: readonly boolean[]
  /** Logs of COUNTER, which logs its count. */
  readonly logs: readonly { readonly block: bigint; readonly topic: bigint; readonly data: bigint }[]
  readonly balance: bigint
  readonly earlierBalance: bigint
  readonly nonce: bigint
  readonly codeBytes: number
  readonly slot: bigint
  readonly called: bigint
  readonly calledEarlier: bigint
  readonly transferGas: bigint
  /** First block of a fee history over FEE_BLOCKS blocks, and its base fees. */
  readonly oldestOfFees: bigint
  readonly baseFees: number
  /** The block filter's changes after one new block. */
  readonly newBlocks: readonly string[]
}

export const BUSY_BLOCK = 4
export const EARLIER_BLOCK = 1
export const FEE_BLOCKS = 4
const LAST_BLOCK = 5

export interface ReadableChain {
  readonly node: EmbeddedNode
  readonly url: string
  readonly facts: Facts
  /** Removes the last block, so it can arrive again as a new one. */
  removeLast(): Promise<void>
  importLast(): Promise<void>
}

export async function serveChain(): Promise<ReadableChain> {
  const { chain } = await fixtureChain()
  const lookup = new Lookup(chain.store)
  const options = { 'rpc-http-enabled': true, 'rpc-http-port': 0, 'data-storage-format': 'FOREST' } as const
  const node = await createNode({ genesis: GENESIS_TEXT, options })
  const importBlock = async (number: number): Promise<void> => {
    const verdict = await node.importBlock(encodeBlock(lookup.block(number)!.block), 'light')
    if (!verdict.ok) throw new Error(verdict.sentence)
  }
  for (let number = 1; number <= LAST_BLOCK; number++) await importBlock(number)
  return {
    node,
    url: `http://127.0.0.1:${node.http!.port}`,
    facts: factsOf(lookup),
    removeLast: () => node.unwind(LAST_BLOCK - 1),
    importLast: () => importBlock(LAST_BLOCK),
  }
}

function factsOf(lookup: Lookup): Facts {
  const { hash, block } = lookup.block(BUSY_BLOCK)!
  return {
    chainId: 1337n,
    head: BigInt(LAST_BLOCK),
    blockHash: hash,
    transactionHashes: block.transactions.map((transaction) => transaction.hash),
    sender: RICH,
    statuses: [false, true],
    logs: [
      { block: 2n, topic: 7n, data: 42n },
      { block: 4n, topic: 7n, data: 43n },
    ],
    balance: 12n,
    earlierBalance: 5n,
    nonce: 6n,
    codeBytes: 25,
    slot: 43n,
    called: 44n,
    calledEarlier: 42n,
    transferGas: 21_000n,
    oldestOfFees: 2n,
    baseFees: FEE_BLOCKS + 1,
    newBlocks: [lookup.header(LAST_BLOCK)!.hash],
  }
}
