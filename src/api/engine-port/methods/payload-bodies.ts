/** Bodies of stored blocks, by hash or by number. */
import { array, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentWithdrawal } from '#api/present/block.ts'
import type { Resources } from '#api/resources.ts'
import { Uint64Wire } from '#api/schema/payload.ts'
import { WithdrawalResult } from '#api/schema/results.ts'
import { DataText, HashWire } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import type { Hash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'

/** As in Besu. */
const MAX_BODIES = 1_024

const Body = object({
  transactions: array(DataText),
  withdrawals: array(WithdrawalResult).nullable(),
})
  .meta({ title: 'payload body' })
  .nullable()

const number = new Param(Uint64Wire, 'INVALID_PARAMS')

export const engine_getPayloadBodiesByHashV1 = defineMethod({
  name: 'engine_getPayloadBodiesByHashV1',
  summary: 'Returns the bodies of blocks by hash; null for unknown blocks.',
  needs: ['chain'],
  params: { hashes: new Param(array(HashWire), 'INVALID_PARAMS') },
  result: array(Body),
  run: ({ chain }, { hashes }) => {
    requireFew(hashes.length)
    return hashes.map((hash) => bodyOf(chain, hash))
  },
})

export const engine_getPayloadBodiesByRangeV1 = defineMethod({
  name: 'engine_getPayloadBodiesByRangeV1',
  summary: 'Returns the bodies of canonical blocks, up to the head.',
  needs: ['chain'],
  params: { start: number, count: number },
  result: array(Body),
  run: ({ chain }, { start, count }) => {
    if (start === 0n || count === 0n) throw rpcFault('INVALID_PARAMS')
    requireFew(count)
    const first = Number(start)
    const left = Number(chain.head().header.number) - first + 1
    const length = Math.max(0, Math.min(left, Number(count)))
    return Array.from({ length }, (_, at) => bodyOf(chain, first + at))
  },
})

function requireFew(count: bigint | number): void {
  if (count > MAX_BODIES) throw rpcFault('INVALID_RANGE_REQUEST_TOO_LARGE')
}

function bodyOf({ lookup }: Resources['chain'], which: Hash | number) {
  const block = lookup.block(which)?.block
  if (block === undefined) return null
  const { transactions, withdrawals } = block
  return {
    transactions: transactions.map(({ encoded }) => formatData(encoded)),
    withdrawals: withdrawals?.map(presentWithdrawal) ?? null,
  }
}
