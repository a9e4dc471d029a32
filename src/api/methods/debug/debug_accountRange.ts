import { object, record, string } from 'zod'
import { RangeLimit, StartHash } from '#api/calls/state-range.ts'
import { defineMethod } from '#api/define-method.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { AddressText, Block, HashText, TransactionIndex } from '#api/schema/values.ts'
import { openSource } from '#chain/read/call-site.ts'
import { formatData } from '#types/hex.ts'

const NO_HASH = formatData(new Uint8Array(32))

const UNKNOWN_ADDRESS = formatData(new Uint8Array(20))

export default defineMethod({
  name: 'debug_accountRange',
  summary: 'Accounts after a block, ordered by address hash.',
  needs: ['chain', 'engine'],
  cost: 'heavy',
  params: {
    block: Block,
    transactionIndex: TransactionIndex.optional(),
    start: StartHash.failingWith('INVALID_ADDRESS_HASH_PARAMS'),
    limit: RangeLimit.failingWith('INVALID_MAX_RESULTS_PARAMS'),
  },
  result: object({ addressMap: record(string(), AddressText), nextKey: HashText.optional() }),
  run: ({ chain }, { block, start, limit }) => {
    const known = resolveBlock(chain, block)
    if (known === undefined) return { addressMap: {} }
    const { pinned } = openSource(chain, known)
    const hashes = chain.accountHashesAt(Number(known.header.number), start, limit + 1)
    const addressMap: Record<string, string> = {}
    for (const hash of hashes.slice(0, limit)) {
      const address = chain.addressOf(hash)
      addressMap[formatData(hash)] = address === undefined ? UNKNOWN_ADDRESS : formatData(address)
    }
    const next = hashes[limit]
    pinned.confirm()
    return { addressMap, nextKey: next === undefined ? NO_HASH : formatData(next) }
  },
})
