/** Checks every rule of header and body that needs no execution. */

import type { KnownHeaders } from '#chain/block/known-headers.ts'
import {
  type HeaderValidatedBlock,
  type InvalidBlock,
  invalidBlock,
  type KnownHeader,
  type ReceivedBlock,
} from '#chain/block/stages.ts'
import { rulesAt } from '#evm/rules.ts'
import type { StoreReader } from '#store/reader.ts'
import type { StateReader } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import { decodeBody } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { HeaderRules, HeaderValidation } from './header-rules.ts'
import { refuseBody } from './validate-body.ts'
import { refuseHeader } from './validate-header.ts'
import { type Ancestor, refuseOmmers } from './validate-ommers.ts'

export interface ValidationTools {
  readonly genesis: Genesis
  readonly headerRules: HeaderRules
  readonly hashBlock: HashBlock
  readonly keccak: Keccak
  readonly headers: KnownHeaders
  readonly store: Pick<StoreReader, 'read'>
}

export type ValidationVerdict = { readonly ok: true; readonly validated: HeaderValidatedBlock } | InvalidBlock

export async function validateBlock(
  tools: ValidationTools,
  received: ReceivedBlock,
  parent: KnownHeader,
  validation: HeaderValidation,
  parentState: StateReader | undefined,
): Promise<ValidationVerdict> {
  const { block, hash } = received
  const invalid = await refuseHeaderOf(tools, block.header, parent, validation, parentState)
  if (invalid !== undefined) return invalid
  const rules = rulesAt(tools.genesis.config, block.header)
  const problem = refuseBody(received, rules, tools.keccak)
  if (problem !== undefined) return invalidBlock('INVALID_BODY', problem)
  if (validation !== 'none') {
    const ommers = await refuseOmmers(block.ommers, {
      hashBlock: tools.hashBlock,
      ancestors: () => ancestorsOf(tools, parent.hash),
      refuse: async (ommer, ommerParent) =>
        (await refuseHeaderOf(tools, ommer, ommerParent, validation, undefined))?.sentence,
    })
    if (ommers !== undefined) return invalidBlock('INVALID_OMMERS', ommers)
  }
  return { ok: true, validated: { stage: 'header validated', block, hash } }
}

export async function refuseHeaderOf(
  { genesis, headerRules }: Pick<ValidationTools, 'genesis' | 'headerRules'>,
  header: BlockHeader,
  parent: KnownHeader,
  validation: HeaderValidation,
  parentState: StateReader | undefined,
): Promise<InvalidBlock | undefined> {
  if (validation === 'none') return undefined
  const problem = refuseHeader(genesis, header, parent)
  if (problem !== undefined) return invalidBlock('INVALID_HEADER', problem)
  const rules = rulesAt(genesis.config, header)
  const sealProblem = await headerRules.verifyHeader(header, parent, rules, validation, parentState)
  return sealProblem === undefined ? undefined : invalidBlock('INVALID_SEAL', sealProblem)
}

function* ancestorsOf(tools: ValidationTools, hash: Hash): Generator<Ancestor, void, undefined> {
  for (const known of tools.headers.lineage(hash)) yield { ...known, ommers: ommersOf(tools, known) }
}

/** Most blocks have no ommers, as their header shows. */
function ommersOf(tools: ValidationTools, { hash, header }: KnownHeader): readonly Hash[] {
  if (header.ommersHash === EMPTY_OMMERS_HASH) return []
  const known = tools.headers.ommersOf(hash)
  if (known !== undefined) return known
  const body = tools.store.read('body', Number(header.number), hashToBytes(hash))
  assert(body !== undefined, 'A block whose ommers are not remembered is stored.')
  return decodeBody(body, tools.keccak).ommers.map(tools.hashBlock)
}
