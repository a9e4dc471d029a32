/** A tree of blocks and the state after each of them: the model that answers are compared with. */
import { call, extend, LOGGER, openTestChain, SOMEBODY } from '#chain/chain.fixture.ts'
import type { Random } from '#platform/random.ts'
import type { Hash } from '#types/hash.ts'

export interface ModelBlock {
  readonly hash: Hash
  readonly number: number
  readonly parent: ModelBlock | undefined
  readonly children: ModelBlock[]
  /** Empty for block 0. */
  readonly rlp: Uint8Array
  readonly transactions: readonly Hash[]
  /** Hashes of the logging transactions. */
  readonly logging: readonly Hash[]
  /** Balance of SOMEBODY. */
  readonly balance: bigint
  /** Nonce of the only sender. */
  readonly nonce: number
}

const TRANSFER_WEI = 5n
const TRANSFERS_MAX = 4
const LOGGERS_MAX = 3
/** How far below the last block a branch may begin. */
const BRANCH_DEPTH = 4

/** Each block has its own mix of transfers and logs, so two blocks are seldom alike. */
export async function growTree(blocks: number, random: Random): Promise<ModelBlock> {
  const chain = await openTestChain()
  const root: ModelBlock = {
    hash: chain.head.hash,
    number: 0,
    parent: undefined,
    children: [],
    rlp: new Uint8Array(0),
    transactions: [],
    logging: [],
    balance: 0n,
    nonce: 0,
  }
  const all = [root]
  for (let count = 0; count < blocks; count++) {
    const parent = all[Math.max(0, all.length - 1 - random.randomBelow(BRANCH_DEPTH))]!
    const moved = await chain.setHead(parent.hash, { validation: 'none' })
    if (!moved.ok) throw new Error(moved.sentence)
    const transfers = random.randomBelow(TRANSFERS_MAX + 1)
    const loggers = random.randomBelow(LOGGERS_MAX + 1)
    const candidates = Array.from({ length: transfers + loggers }, (_, index) =>
      call(parent.nonce + index, index < transfers ? SOMEBODY : LOGGER),
    )
    const rlp = await extend(chain, candidates)
    if (all.some(({ hash }) => hash === chain.head.hash)) continue
    const block: ModelBlock = {
      hash: chain.head.hash,
      number: parent.number + 1,
      parent,
      children: [],
      rlp,
      transactions: candidates.map(({ hash }) => hash),
      logging: candidates.slice(transfers).map(({ hash }) => hash),
      balance: parent.balance + BigInt(transfers) * TRANSFER_WEI,
      nonce: parent.nonce + candidates.length,
    }
    parent.children.push(block)
    all.push(block)
  }
  return root
}
