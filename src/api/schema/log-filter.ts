/** The query of eth_getLogs, eth_newFilter and log subscriptions. */

import {
  array,
  type infer as Infer,
  null as nullValue,
  strictObject,
  string,
  union,
  unknown,
  type ZodType,
} from 'zod'
import type { LogPattern } from '#chain/read/logs.ts'
import { Param } from '#jsonrpc/method.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import {
  AddressWire,
  HashWire,
  LATEST,
  type PlaceSelector,
  PlaceWire,
  parsedBy,
  parseSlot,
} from './values.ts'

export interface LogQuery extends LogPattern {
  readonly kind: 'range'
  readonly fromBlock: PlaceSelector
  readonly toBlock: PlaceSelector
}

/** A query for one block, canonical or not. */
export interface BlockLogQuery extends LogPattern {
  readonly kind: 'block'
  readonly blockHash: Hash
}

const MAX_TOPICS = 4
/** Enough to watch many contracts; each is looked up in every block's index. */
const MAX_ALTERNATIVES = 1_000

/** As in Besu, short topics are padded on the left. */
const TopicWire = string()
  .meta({ title: 'topic', description: 'up to 64 hex digits' })
  .transform(parsedBy((text): Hash => hashFromBytes(parseSlot(text))))

/** One topic, or any of a list; null for any topic, which must still be present. */
const TopicPosition: ZodType<readonly Hash[]> = union([
  nullValue().transform(() => []),
  TopicWire.transform((topic) => [topic]),
  array(union([TopicWire, nullValue()]))
    .max(MAX_ALTERNATIVES)
    .transform((list) => {
      const topics = list.filter((topic) => topic !== null)
      return topics.length === list.length ? topics : []
    }),
])

const Members = strictObject({
  fromBlock: PlaceWire.nullish(),
  toBlock: PlaceWire.nullish(),
  blockHash: HashWire.nullish(),
  blockhash: HashWire.nullish(),
  address: union([
    AddressWire.transform((address) => [address]),
    array(AddressWire).max(MAX_ALTERNATIVES),
  ]).nullish(),
  topics: array(TopicPosition).max(MAX_TOPICS).nullish(),
  // Members of trace filters, which Besu reads with the same class and ignores here.
  fromAddress: unknown().optional(),
  toAddress: unknown().optional(),
  after: unknown().optional(),
  count: unknown().optional(),
})

const LogFilterWire: ZodType<LogQuery | BlockLogQuery> = Members.refine(
  ({ blockHash, blockhash, fromBlock, toBlock }) =>
    (blockHash ?? blockhash ?? undefined) === undefined || (!fromBlock && !toBlock),
  'a block named by its hash has no range',
).transform(toQuery)

export const LogFilter = new Param(LogFilterWire, 'INVALID_FILTER_PARAMS')

function toQuery(members: Infer<typeof Members>): LogQuery | BlockLogQuery {
  const addresses = members.address ?? []
  const topics = members.topics ?? []
  const blockHash = members.blockHash ?? members.blockhash
  if (blockHash) return { kind: 'block', blockHash, addresses, topics }
  return {
    kind: 'range',
    fromBlock: members.fromBlock ?? LATEST,
    toBlock: members.toBlock ?? LATEST,
    addresses,
    topics,
  }
}
