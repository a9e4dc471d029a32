/**
 * Checks that the validators vouch for a state. Without a trusted hash, every header from block 1 on is validated, so
 * the validators of each block follow from the genesis file and earlier votes. Seals are verified on the last block
 * of every validator set: its hash fixes all blocks before it, so a quorum vouches for them. With a trusted hash, the
 * headers only have to lead to it, and the seals of the last one are verified.
 */

import type { KnownHeaders } from '#chain/block/known-headers.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import { chainFault } from '#chain/faults.ts'
import type { HeaderRules } from '#chain/rules/header-rules.ts'
import { isMerged } from '#chain/rules/merged-head.ts'
import { refuseHeaderOf } from '#chain/rules/validate-block.ts'
import type { StateReader } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { type Fault, withFaultContext } from '#types/fault.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { SnapshotHead } from './entries.ts'

export interface HeaderCheckParts {
  readonly genesis: Genesis
  readonly headerRules: HeaderRules
  readonly hashBlock: HashBlock
  readonly headers: KnownHeaders
  readonly head: SnapshotHead
  /** Whether a state before the merge is refused. */
  readonly startsAfterMerge: boolean
  /** The block hash given by the operator. */
  readonly trustedHash: Hash | undefined
}

/** Never read if votes determine the validators. */
const NO_STATE: StateReader = { account: () => undefined, storage: () => undefined, code: () => undefined }

/** Throws if nothing vouches for the block of the state. */
export function requireTrust({
  trustedHash,
  head,
  headerRules,
}: Pick<HeaderCheckParts, 'trustedHash' | 'head' | 'headerRules'>): void {
  if (trustedHash !== undefined && trustedHash !== head.hash) {
    throw refused(
      `The state is of block ${head.number}, ${head.hash}, and --trusted-block-hash names ${trustedHash}.`,
    )
  }
  if (trustedHash === undefined && headerRules.validatorSetAfter === undefined) {
    throw refused(
      'This network has no validators, so nothing in the file proves the state. Ask a trusted node for the hash of its block, and pass it with --trusted-block-hash.',
    )
  }
}

export class HeaderCheck {
  readonly #parts: HeaderCheckParts
  #last: KnownHeader
  /** Validators of the block after the last. */
  #validators: readonly Address[] | undefined

  /** `last` is block 0, or the last header accepted before. */
  constructor(parts: HeaderCheckParts, last: KnownHeader) {
    this.#parts = parts
    this.#last = last
  }

  get last(): KnownHeader {
    return this.#last
  }

  /** Adds the next header. Throws if it does not follow the last one. */
  async add(encoded: Uint8Array): Promise<KnownHeader> {
    const { hashBlock, headers, head, trustedHash, startsAfterMerge } = this.#parts
    const header = readHeader(encoded, this.#last)
    const hash = hashOf(hashBlock, header)
    const isLast = header.number === BigInt(head.number)
    const parent = this.#last
    if (header.number !== parent.header.number + 1n || header.parentHash !== parent.hash) {
      throw refused(
        `Header ${header.number} of the file follows ${header.parentHash}, and block ${parent.header.number} is ${parent.hash}: the file is of another chain.`,
      )
    }
    if (isLast && hash !== head.hash) {
      throw refused(`Block ${head.number} of the file is ${hash}, and its beginning promises ${head.hash}.`)
    }
    if (isLast && startsAfterMerge && !isMerged(header)) {
      throw refused(
        `Block ${head.number} of the file is before the merge, and Cairn executes no proof of work. Take the state of a later block.`,
      )
    }
    const encoding = this.#parts.headerRules.refuseEncoding?.(header)
    if (encoding !== undefined) throw refused(`Header ${header.number} of the file is padded. ${encoding}`)
    const known = { hash, header }
    headers.add(known)
    if (trustedHash === undefined) await this.#follow(known, parent, isLast)
    else if (isLast && !this.#needsState(parent)) await this.#verify(header, parent, 'full')
    this.#last = known
    return known
  }

  /** Checks all rules, including seals if the next block has other validators. */
  async #follow(known: KnownHeader, parent: KnownHeader, isLast: boolean): Promise<void> {
    this.#requireVotes(known.header, parent)
    const before = this.#validators ?? (await this.#validatorsAfter(parent))
    await this.#verify(known.header, parent, 'light')
    this.#validators = this.#needsState(known) ? undefined : await this.#validatorsAfter(known)
    const isSame = this.#validators !== undefined && areSame(before, this.#validators)
    if (isLast || !isSame) await this.#verify(known.header, parent, 'full')
  }

  async #validatorsAfter(parent: KnownHeader): Promise<readonly Address[]> {
    const { validatorSetAfter } = this.#parts.headerRules
    assert(validatorSetAfter !== undefined, 'Without validators a trusted hash is given.')
    return (await validatorSetAfter(parent, NO_STATE)).validators
  }

  #requireVotes({ number }: BlockHeader, parent: KnownHeader): void {
    if (!this.#needsState(parent)) return
    throw refused(
      `A contract names the validators of block ${number}, and the file cannot show what it said. Ask a node that you trust for the hash of block ${this.#parts.head.number}, and name it by --trusted-block-hash.`,
    )
  }

  /**
   * If a contract names the validators, only the state before the block says who they were, and no file contains it.
   * The validators after the block are the same unless they changed in it.
   */
  async verifyWith(state: StateReader): Promise<void> {
    const { headers } = this.#parts
    const { header } = this.#last
    const parent = { hash: header.parentHash, header: headers.find(header.parentHash)! }
    if (this.#needsState(parent)) await this.#verify(header, parent, 'full', state)
  }

  #needsState(parent: KnownHeader): boolean {
    return this.#parts.headerRules.needsState?.(parent) ?? false
  }

  async #verify(
    header: BlockHeader,
    parent: KnownHeader,
    validation: 'full' | 'light',
    state?: StateReader,
  ): Promise<void> {
    const problem = await refuseHeaderOf(this.#parts, header, parent, validation, state)
    if (problem === undefined) return
    const changed =
      state === undefined ? '' : ' If the validators changed in this very block, take the state of another.'
    throw refused(
      `Block ${header.number} of the file is not one of this chain. ${problem.sentence}${changed}`,
    )
  }
}

function areSame(some: readonly Address[], others: readonly Address[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index])
}

function readHeader(encoded: Uint8Array, last: KnownHeader): BlockHeader {
  const context = `The file holds a malformed header after block ${last.header.number}.`
  return withFaultContext('SNAPSHOT_INVALID', context, () => decodeHeader(encoded))
}

function hashOf(hashBlock: HashBlock, header: BlockHeader): Hash {
  const context = `Block ${header.number} of the file is not one of this chain.`
  return withFaultContext('SNAPSHOT_REFUSED', context, () => hashBlock(header))
}

export function refused(sentence: string): Fault {
  return chainFault('SNAPSHOT_REFUSED', { sentence })
}
