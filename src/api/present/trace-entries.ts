import { isStateUnavailable } from '#api/read-state.ts'
import type { EngineResources } from '#api/resources.ts'
import type { StoredCallTree } from '#chain/block/stored-call-trees.ts'
import { callsOfBlock } from '#chain/read/block-calls.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock, TransactionInBlock } from '#chain/read/lookup.ts'
import { signerOf } from '#chain/read/replay.ts'
import { paymentOf, type Reward, rewardsOf } from '#evm/block/rewards.ts'
import { rulesAt } from '#evm/rules.ts'
import { type FlatCall, flatCalls, flatOptions } from '#evm/trace/flat-calls.ts'
import { creationMethodOf, flatText } from '#evm/trace/flat-text.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Hash } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'

interface EntriesRequest {
  /** Indexes of transactions; undefined for all. */
  readonly positions?: readonly number[] | undefined
  readonly matches?: (call: FlatCall) => boolean
  readonly cancel: Int32Array | undefined
}

/** The JSON of an entry, made on demand, since many entries are only counted. */
export type EntryText = () => string

/** Throws STATE_UNAVAILABLE if calls were not stored and the state before the block is not kept. */
export async function* callEntries(
  { chain, engine, limits }: EngineResources,
  known: KnownBlock,
  { positions, matches, cancel }: EntriesRequest,
): AsyncGenerator<EntryText, void, undefined> {
  const { hash, block } = known
  const { header } = block
  const request = { positions, maxBytes: limits.maxRequestBytes, cancel }
  const trees = await callsOfBlock(chain, engine, known, request)
  for (const index of positions ?? block.transactions.keys()) {
    const transaction = block.transactions[index]!
    yield* entriesOf(chain, { known: { hash, header }, index, transaction }, trees.get(index)!, matches)
  }
}

function* entriesOf(
  chain: ChainView,
  { known: { hash, header }, index, transaction }: TransactionInBlock,
  { frames, isCut }: StoredCallTree,
  matches?: EntriesRequest['matches'],
): Generator<EntryText, void, undefined> {
  const { hash: transactionHash } = transaction
  if (isCut) throw rpcFault('LIMIT_EXCEEDED', { reason: `the calls of ${transactionHash} are too many` })
  const rules = rulesAt(chain.genesis.config, header)
  const calls = flatCalls(frames, flatOptions(rules, transaction, frames))
  const creationMethod = creationMethodOf(calls)
  const blockNumber = Number(header.number)
  const place = { blockHash: hash, blockNumber, transactionHash, transactionPosition: index }
  for (const call of calls) {
    if (matches === undefined || matches(call)) yield () => flatText(call, creationMethod, place)
  }
}

/** The entry of the block first, then one per ommer. */
export async function rewardEntries(
  { chain }: Pick<EngineResources, 'chain'>,
  { hash, block }: KnownBlock,
): Promise<readonly string[]> {
  const { header, ommers } = block
  const { config } = chain.genesis
  const rules = rulesAt(config, header)
  const payment = paymentOf(config, rules, header, await signerOf(chain, header))
  const rewards = rewardsOf(rules, payment, header.number, ommers)
  return rewards.map((reward, index) =>
    rewardText(reward, index === 0 ? 'block' : 'uncle', hash, header.number),
  )
}

function rewardText({ address, wei }: Reward, type: string, blockHash: string, number: bigint): string {
  return (
    `{"action":{"author":"${address}","rewardType":"${type}","value":"${formatQuantity(wei)}"},` +
    `"blockHash":"${blockHash}","blockNumber":${number},"result":null,"subtraces":0,"traceAddress":[],` +
    '"transactionHash":null,"transactionPosition":null,"type":"reward"}'
  )
}

/** Yields nothing if the transaction is in no block, or its calls are no longer available. */
export async function* transactionEntries(
  resources: EngineResources,
  hash: Hash,
  request: Omit<EntriesRequest, 'positions'>,
): AsyncGenerator<EntryText, void, undefined> {
  const { chain } = resources
  const found = chain.transactionInBlock(hash)
  if (found === undefined) return
  const { known, index } = found
  const stored = chain.lookup.callTreesAt(known.hash, [index])?.get(index)
  if (stored?.isCut === false) {
    yield* entriesOf(chain, found, stored, request.matches)
    return
  }
  const block = chain.lookup.block(known.hash)
  if (block === undefined) return
  try {
    yield* callEntries(resources, block, { ...request, positions: [index] })
  } catch (error) {
    if (!isStateUnavailable(error)) throw error
  }
}
