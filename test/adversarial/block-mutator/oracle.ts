/**
 * Which mutated blocks are valid, stated without the rules under test: a proposer chooses the coinbase among the validators,
 * the time and the gas limit within bounds, the base fee where the genesis file fixes it, and the content of the extra data. Every other field has exactly one value, the
 * one that the honest block has or that follows from the body.
 */
import { bytesToBigint, equalBytes } from '#types/bytes.ts'
import { HEADER_FIELDS } from './header-mutations.ts'
import { EXTRA_PLACE, encodeItem, type Item, type RawBlock, withSeals } from './items.ts'
import type { Mutation } from './mutation.ts'
import { VALIDATORS } from './networks.ts'
import type { RepairedBlock } from './repair.ts'
import type { Site } from './site.ts'

export type Expected = 'accepted' | 'refused' | 'either'

/** Fields that follow from the body and its execution. */
const DERIVED = [
  'transactionsRoot',
  'stateRoot',
  'receiptsRoot',
  'logsBloom',
  'gasUsed',
  'blobGasUsed',
  'requestsHash',
]
const GAS_LIMIT_DIVISOR = 1_024n
const MAX_AHEAD_SECONDS = 1
const WORD_BYTES = 32

/** `ideal` is the repair of the same block with no field chosen by the attacker. */
export function expectedOf(raw: RawBlock, ideal: RepairedBlock, mutation: Mutation, site: Site): Expected {
  if (mutation.expected !== undefined) return mutation.expected
  if (raw.wrap !== undefined || ideal.result === undefined) return 'refused'
  const honest = site.raw
  // Under fixedBaseFee a header may end before the blob fields or have those of its fork: paths must agree on them.
  if (site.network.fees === 'fixed' && raw.header.length > honest.header.length) return 'either'
  if (raw.header.length !== honest.header.length || raw.body.length !== honest.body.length) return 'refused'
  if (!raw.body.slice(1).every((list, at) => isSame(list, honest.body[at + 1]!))) return 'refused'
  const isValid = HEADER_FIELDS.slice(0, raw.header.length).every(([name], at) =>
    isAllowed(name, raw.header[at]!, (DERIVED.includes(name) ? ideal.raw : honest).header[at]!, site),
  )
  if (!isValid) return 'refused'
  return isSame(withSeals(raw, []).extra, withSeals(honest, []).extra) ? 'accepted' : 'refused'
}

function isAllowed(name: string, item: Item, only: Item, site: Site): boolean {
  if (isSame(item, only)) return true
  if (item === EXTRA_PLACE || !(item instanceof Uint8Array) || item[0] === 0) return false
  const value = bytesToBigint(item)
  switch (name) {
    case 'coinbase':
      return VALIDATORS.some(({ address }) => BigInt(address) === value && item.length === 20)
    case 'baseFeePerGas':
      return site.network.fees === 'fixed' && item.length <= WORD_BYTES
    case 'timestamp':
      return isInTime(value, site)
    case 'gasLimit':
      return isNear(value, site)
    default:
      return false
  }
}

function isInTime(value: bigint, { parent, network, clock }: Site): boolean {
  // With periods below one second, the next proposer's clock may be behind.
  const apart = network.periodSeconds > 0 ? network.periodSeconds : -MAX_AHEAD_SECONDS
  const earliest = parent.header.timestamp + BigInt(apart)
  return value >= earliest && value <= BigInt(Math.floor(clock.wallMs() / 1_000) + MAX_AHEAD_SECONDS)
}

function isNear(value: bigint, { parent: { header } }: Site): boolean {
  const difference = value > header.gasLimit ? value - header.gasLimit : header.gasLimit - value
  return difference < header.gasLimit / GAS_LIMIT_DIVISOR
}

function isSame(one: Item, other: Item): boolean {
  return one === other || equalBytes(encodeItem(one), encodeItem(other))
}
