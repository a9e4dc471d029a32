/** The flat trace of stored blocks: entries of their transactions, then those of rewards, each as JSON text. */
import { callsOfBlock } from '#chain/read/block-calls.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { signerOf } from '#chain/read/replay.ts'
import { paymentOf, type Reward, rewardsOf } from '#evm/block/rewards.ts'
import { rulesAt } from '#evm/rules.ts'
import { type FlatCall, flatCalls, flatOptions } from '#evm/trace/flat-calls.ts'
import { creationMethodOf, flatText } from '#evm/trace/flat-text.ts'
import { rpcFault } from '#rpc/errors.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import type { Resources } from '#rpc/resources.ts'
import type { Hash } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'

export type TraceResources = Pick<Resources, 'chain' | 'engine' | 'limits'>

export interface EntriesRequest {
  /** Places of the transactions; undefined: all. */
  readonly positions?: readonly number[] | undefined
  readonly matches?: (call: FlatCall) => boolean
  readonly cancel: Int32Array | undefined
}

export interface PresentedEntry {
  readonly call: FlatCall
  /** JSON; made when asked for, since many entries are only counted. */
  text(): string
}

/** Throws STATE_UNAVAILABLE where calls were not stored and the state to execute the block on is not kept. */
export async function* callEntries(
  { chain, engine, limits }: TraceResources,
  known: KnownBlock,
  { positions, matches, cancel }: EntriesRequest,
): AsyncGenerator<PresentedEntry, void, undefined> {
  const { hash, block } = known
  const request = { positions, maxBytes: limits.maxRequestBytes, cancel }
  const trees = await callsOfBlock(chain, engine, known, request)
  const rules = rulesAt(chain.genesis.config, block.header)
  for (const position of positions ?? block.transactions.keys()) {
    const transaction = block.transactions[position]!
    const { hash: transactionHash } = transaction
    const { frames, isCut } = trees.get(position)!
    if (isCut) throw rpcFault('LIMIT_EXCEEDED', { reason: `the calls of ${transactionHash} are too many` })
    const calls = flatCalls(frames, flatOptions(rules, transaction, frames))
    const creationMethod = creationMethodOf(calls)
    const blockNumber = Number(block.header.number)
    const place = { blockHash: hash, blockNumber, transactionHash, transactionPosition: position }
    for (const call of calls) {
      if (matches === undefined || matches(call))
        yield { call, text: () => flatText(call, creationMethod, place) }
    }
  }
}

/** Of the block first, then one per ommer. */
export async function rewardEntries(
  { chain }: Pick<TraceResources, 'chain'>,
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

/** Of one transaction; none where it is in no block, or its calls can be had no more. */
export async function* transactionEntries(
  resources: TraceResources,
  hash: Hash,
  request: Omit<EntriesRequest, 'positions'>,
): AsyncGenerator<PresentedEntry, void, undefined> {
  const found = resources.chain.lookup.transaction(hash)
  const known = found && resources.chain.lookup.block(found.block.hash)
  if (known === undefined || known.block.header.number > resources.chain.head().header.number) return
  try {
    yield* callEntries(resources, known, { ...request, positions: [found!.index] })
  } catch (error) {
    if (!isStateUnavailable(error)) throw error
  }
}
