/** Matches bodies sent by a peer to their headers. */
import { ethFault } from '#sync/faults.ts'
import { type BlockBody, decodeBody, maxTransactions, splitBody } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { belongsTo, EMPTY_OMMERS_HASH, transactionsRoot } from '#types/block/block-roots.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'

export interface MatchedBody {
  readonly encoded: Uint8Array
  readonly body: BlockBody
}

/** The encodings `[[], []]` and, from Shanghai on, `[[], [], []]`. */
const EMPTY_BODY = Uint8Array.of(0xc2, 0xc0, 0xc0)
const EMPTY_BODY_WITH_WITHDRAWALS = Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0)
const EMPTY_ROOT = transactionsRoot([])

/** Returns the body if the header alone determines it, otherwise undefined. */
export function knownBody({
  transactionsRoot,
  ommersHash,
  withdrawalsRoot,
}: BlockHeader): MatchedBody | undefined {
  if (transactionsRoot !== EMPTY_ROOT || ommersHash !== EMPTY_OMMERS_HASH) return undefined
  if (withdrawalsRoot === undefined) {
    return { encoded: EMPTY_BODY, body: { transactions: [], ommers: [], withdrawals: undefined } }
  }
  if (withdrawalsRoot !== EMPTY_ROOT) return undefined
  return { encoded: EMPTY_BODY_WITH_WITHDRAWALS, body: { transactions: [], ommers: [], withdrawals: [] } }
}

/** Returns one body per header, undefined if the peer omitted it. Throws a fault if a body matches no header or is out of order. A body is decoded only if a header names it. */
export function matchBodies(
  encoded: readonly Uint8Array[],
  headers: readonly BlockHeader[],
  keccak: Keccak,
): readonly (MatchedBody | undefined)[] {
  const matched: (MatchedBody | undefined)[] = headers.map(() => undefined)
  const most = Math.max(...headers.map(maxTransactions))
  let next = 0
  for (const bytes of encoded) {
    const fits = belongsTo(
      readAsBody(() => splitBody(bytes, most)),
      keccak,
    )
    while (next < headers.length && !fits(headers[next]!)) next++
    if (next === headers.length)
      throw ethFault('The peer sent a body that belongs to none of the blocks asked for.')
    matched[next++] = readAsBody(() => copyBody(bytes, keccak))
  }
  return matched
}

function copyBody(bytes: Uint8Array, keccak: Keccak): MatchedBody {
  // Copied, so a kept body does not keep its message alive.
  const encoded = bytes.slice()
  return { encoded, body: decodeBody(encoded, keccak) }
}

function readAsBody<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw ethFault(`The peer sent a malformed block body. ${cause.data.sentence}`)
  }
}
