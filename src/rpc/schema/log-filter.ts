/** What eth_getLogs, eth_newFilter and subscriptions to logs ask for. */
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
import type { BlockLogQuery, LogQuery } from '#rpc/filters/filter.ts'
import { Param } from '#rpc/param.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { AddressWire } from './address.ts'
import { LATEST, PlaceWire } from './block-selector.ts'
import { HashWire } from './hash.ts'
import { parsedBy } from './parsed-text.ts'
import { parseSlot } from './storage-slot.ts'

const MAX_TOPICS = 4
/** Each is looked up in every block's index: enough for who watches many contracts. */
const MAX_ALTERNATIVES = 1_000

/** Short ones are padded on the left, as Besu does. */
const TopicWire = string()
  .meta({ title: 'topic', description: 'up to 64 hex digits' })
  .transform(parsedBy((text): Hash => hashFromBytes(parseSlot(text))))

/** One topic, or any of a list; null: any topic, which still has to be there. */
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
  // Members of trace filters, which Besu reads with the same class and does not look at here.
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
