/** An attacker's repair of a mutated block: derived roots and gas, and the seals of all validators. */
import { bftBlockHash, bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { type Block, decodeBlock } from '#types/block/block.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { ommersHash, receiptsRoot, transactionsRoot, withdrawalsRoot } from '#types/block/block-roots.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { rlpScalar } from '#types/rlp.ts'
import { honestSeals } from './extra-data-mutations.ts'
import { positionOf } from './header-mutations.ts'
import { blockBytes, headerBytes, type Item, type RawBlock, withSeals } from './items.ts'
import type { Mutation } from './mutation.ts'
import type { Place, Result, Site } from './site.ts'

export interface RepairedBlock {
  readonly raw: RawBlock
  /** Undefined if the block cannot be decoded or executed. */
  readonly result: Result | undefined
}

/** Recomputes every derived field except the one that the attacker chose. */
export async function repair(
  raw: RawBlock,
  { chosen }: Pick<Mutation, 'chosen'>,
  site: Place & Pick<Site, 'execute'>,
): Promise<RepairedBlock> {
  const block = decodedOrNothing(blockBytes(withSeals(raw, [])), site)
  if (block === undefined) return { raw, result: undefined }
  const withRoots = filled(raw, rootsOf(block, site), chosen)
  const named = decodedOrNothing(blockBytes(withSeals(withRoots, [])), site)
  const result = named && (await site.execute(named))
  if (result === undefined) return { raw: withRoots, result }
  return { raw: filled(withRoots, resultsOf(result, site), chosen), result }
}

/** Signed by all validators over the block's digest. */
export function seal(raw: RawBlock, site: Place): RawBlock {
  const { makeSeals = honestSeals(site) } = raw
  const digest = orNothing(() =>
    bftCommittedSealHash(
      site.network.protocol,
      decodeHeader(headerBytes(withSeals(raw, []))),
      site.crypto.keccak,
    ),
  )
  return withSeals(raw, makeSeals(digest === undefined ? new Uint8Array(32).fill(1) : hashToBytes(digest)))
}

/** Undefined if the header cannot be decoded. */
export function hashOf(raw: RawBlock, { network, crypto }: Place): Hash | undefined {
  return orNothing(() => bftBlockHash(network.protocol, decodeHeader(headerBytes(raw)), crypto.keccak))
}

type Fields = Readonly<Record<string, Hash | Uint8Array | bigint | undefined>>

function rootsOf({ transactions, ommers, withdrawals }: Block, { crypto: { keccak } }: Place): Fields {
  return {
    transactionsRoot: transactionsRoot(transactions, keccak),
    ommersHash: ommersHash(ommers, keccak),
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals, keccak),
  }
}

function resultsOf({ execution, stateRoot }: Result, { crypto: { keccak } }: Place): Fields {
  const { gasUsed, blobGasUsed, logsBloom, receipts, requestsHash } = execution
  const roots = { stateRoot, receiptsRoot: receiptsRoot(receipts, keccak), requestsHash }
  return { ...roots, gasUsed, blobGasUsed, logsBloom }
}

function filled(raw: RawBlock, fields: Fields, chosen: number | undefined): RawBlock {
  let { header } = raw
  for (const [name, value] of Object.entries(fields)) {
    const at = positionOf(name)
    if (at === chosen || at >= header.length || value === undefined) continue
    header = header.with(at, itemOf(value))
  }
  return { ...raw, header }
}

function itemOf(value: Hash | Uint8Array | bigint): Item {
  if (typeof value === 'bigint') return rlpScalar(value)
  return typeof value === 'string' ? hashToBytes(value) : value
}

function decodedOrNothing(encoded: Uint8Array, { crypto }: Place): Block | undefined {
  return orNothing(() => decodeBlock(encoded, crypto.keccak))
}

function orNothing<Value>(decode: () => Value): Value | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
