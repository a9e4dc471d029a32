/** What methods share that read a range of the state. */

import { number, string, union } from 'zod'
import type { Resources } from '#api/resources.ts'
import { parsedBy } from '#api/schema/values.ts'
import { openSource } from '#chain/read/call-site.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { openReplay } from '#chain/read/replay.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param, type RunContext } from '#jsonrpc/method.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { parseQuantityLenient } from '#types/hex.ts'

/** Maximum entries of one answer. */
const MAX_RANGE = 10_000

/** A hash, or a shorter number, which is padded on the left. */
export const StartHash = new Param(
  string()
    .meta({ title: 'start', description: 'the first hash to return; short ones are padded with zeros' })
    .transform(
      parsedBy((text) => bigintToBytes(parseQuantityLenient(text.startsWith('0x') ? text : `0x${text}`), 32)),
    ),
  'INVALID_DATA_HASH_PARAMS',
)

export const RangeLimit = new Param(
  union([
    number(),
    string()
      .regex(/^[0-9]+$/)
      .transform(Number),
  ])
    .transform((value) => Math.min(value, MAX_RANGE))
    .pipe(number().int().nonnegative())
    .meta({ title: 'limit', description: `at most ${MAX_RANGE} count` }),
  'INVALID_TRANSACTION_LIMIT_PARAMS',
)

/**
 * The state before the first transaction if `index` is -1. Throws STATE_UNAVAILABLE if the parent's state is not kept.
 */
export async function stateAfterTransaction(
  { chain, engine }: Pick<Resources, 'chain' | 'engine'>,
  known: KnownBlock,
  index: number,
  { cancel }: Pick<RunContext, 'cancel'>,
): Promise<OverlayState> {
  const parent = chain.lookup.header(known.block.header.parentHash)
  if (parent === undefined) throw rpcFault('PARENT_BLOCK_NOT_FOUND')
  const { keccak } = await loadCrypto()
  const overlay = new OverlayState(openSource(chain, parent).state, keccak)
  if (index < 0) return overlay
  const { session, transactions, state } = await openReplay(chain, engine, known, { callTree: false, cancel })
  const { refusal } = await session.session.run(transactions.slice(0, index + 1))
  assert(refusal === undefined, 'A block that was imported can be executed again.')
  overlay.apply(session.session.finish())
  state.confirm()
  return overlay
}
