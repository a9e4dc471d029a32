/** Bodies as a peer sends them, held against the headers that they have to belong to. */
import { ethFault } from '#sync/faults.ts'
import { type BlockBody, decodeBody } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH, ommersHash, transactionsRoot, withdrawalsRoot } from '#types/block/block-roots.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'

/** One for each header, undefined where the peer left it out. */
export type MatchedBodies = readonly (MatchedBody | undefined)[]

export interface MatchedBody {
  readonly encoded: Uint8Array
  readonly body: BlockBody
}

/** `[[], []]`, and from Shanghai on `[[], [], []]`. */
const EMPTY_BODY = Uint8Array.of(0xc2, 0xc0, 0xc0)
const EMPTY_BODY_WITH_WITHDRAWALS = Uint8Array.of(0xc3, 0xc0, 0xc0, 0xc0)
const EMPTY_ROOT = transactionsRoot([])

/** What follows from the header alone; undefined: somebody has to be asked. */
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

/** Throws a fault for a body that belongs to none of them, or comes out of order. */
export function matchBodies(
  encoded: readonly Uint8Array[],
  headers: readonly BlockHeader[],
  keccak: Keccak,
): MatchedBodies {
  const matched: (MatchedBody | undefined)[] = headers.map(() => undefined)
  let next = 0
  for (const bytes of encoded) {
    const found = readBody(bytes, keccak)
    const fits = fitOf(found.body, keccak)
    while (next < headers.length && !fits(headers[next]!)) next++
    if (next === headers.length)
      throw ethFault('The peer sent a body that belongs to none of the blocks asked for.')
    matched[next++] = found
  }
  return matched
}

function fitOf(
  { transactions, ommers, withdrawals }: BlockBody,
  keccak: Keccak,
): (header: BlockHeader) => boolean {
  const ofTransactions = transactionsRoot(transactions, keccak)
  const ofOmmers = ommers.length === 0 ? EMPTY_OMMERS_HASH : ommersHash(ommers, keccak)
  const ofWithdrawals = withdrawals && withdrawalsRoot(withdrawals, keccak)
  return (header) =>
    header.transactionsRoot === ofTransactions &&
    header.ommersHash === ofOmmers &&
    header.withdrawalsRoot === ofWithdrawals
}

function readBody(bytes: Uint8Array, keccak: Keccak): MatchedBody {
  try {
    // A copy: what is kept must not hold the message that it came in.
    const encoded = bytes.slice()
    return { encoded, body: decodeBody(encoded, keccak) }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw ethFault(`The peer sent a body that is none. ${cause.data.sentence}`)
  }
}
