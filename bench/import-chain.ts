/** The chain of bench/import.ts and bench/roots.ts: a state of many accounts, and blocks of transactions on it. */
import { genesisHashOf } from '#chain/commit-genesis.ts'
import { type Chain, createChain } from '#chain/create-chain.ts'
import { toStored } from '#chain/execute.ts'
import type { ExecutedBlock } from '#chain/stages.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import { openStore } from '#store/open-store.ts'
import type { StorageFormat } from '#store/store.ts'
import { type Block, encodeBlock } from '#types/block.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Transaction } from '#types/transaction.ts'
import { templateOn } from './bench-chain.ts'
import type { Workload } from './import-workload.ts'

export interface ChainParts {
  readonly engine: Engine
  readonly crypto: Crypto
  readonly clock: Clock
  readonly log: Log
  readonly format: StorageFormat
}

export async function openWorkloadChain(
  path: string,
  { genesis }: Workload,
  { format, ...parts }: ChainParts,
): Promise<Chain> {
  const { forks } = genesis.config.forks
  const genesisHash = genesisHashOf(genesis, parts.crypto.keccak)
  const store = await openStore({
    path,
    format,
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHash),
    forks,
    log: parts.log,
  })
  return createChain({ store, genesis, genesisHash, ...parts })
}

/** Blocks that nobody executed: their state is what they are told. */
export async function fillState(chain: Chain, workload: Workload): Promise<void> {
  const { store } = chain
  let parent = chain.head
  for (const changes of workload.fillings()) {
    const state = store.deriveState(store.headState(), changes)
    const { number, timestamp } = parent.header
    const header = {
      ...parent.header,
      parentHash: parent.hash,
      number: number + 1n,
      timestamp: timestamp + 1n,
      stateRoot: hashFromBytes(state.root),
    }
    const block: Block = { header, transactions: [], ommers: [], withdrawals: [] }
    parent = { header, hash: chain.hashBlock(header) }
    const nothing = { receipts: [], outcomes: [] }
    await store.commitBlocks([
      toStored({ keepRevertReasons: false }, { block, hash: parent.hash }, nothing, [], state),
    ])
  }
  await chain.close()
}

/** A block of all candidates, which becomes the head; `onExecuted` sees it before its state is durable. */
export async function makeBlock(
  chain: Chain,
  candidates: readonly Transaction[],
  onExecuted: (executed: ExecutedBlock) => void = () => {},
): Promise<{ executed: ExecutedBlock; encoded: Uint8Array }> {
  const { executed, leftOut } = await chain.build(templateOn(chain, candidates))
  if (leftOut.length > 0) throw new Error(leftOut[0]!.sentence)
  onExecuted(executed)
  const encoded = encodeBlock(executed.block)
  await chain.importBlock(chain.receive(encoded))
  return { executed, encoded }
}
