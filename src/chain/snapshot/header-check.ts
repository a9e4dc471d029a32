/**
 * Who signed a state off. Without a trusted hash every header from block 1 on is validated with its seals, so that the
 * validators of each block follow from the genesis file and the votes before it. With one the headers only have to lead
 * to it, since their hashes leave no other chain, and the seals of the last are verified.
 */
import { chainFault } from '#chain/faults.ts'
import type { HeaderRules } from '#chain/rules/header-rules.ts'
import { refuseHeaderOf } from '#chain/rules/validate-block.ts'
import type { KnownHeaders } from '#chain/write/known-headers.ts'
import type { KnownHeader } from '#chain/write/stages.ts'
import type { StateReader } from '#store/store.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { SnapshotHead } from './records.ts'

export interface HeaderCheckParts {
  readonly genesis: Genesis
  readonly headerRules: HeaderRules
  readonly hashBlock: HashBlock
  readonly headers: KnownHeaders
  readonly head: SnapshotHead
  /** What the operator knows the block by. */
  readonly trustedHash: Hash | undefined
}

export class HeaderCheck {
  readonly #parts: HeaderCheckParts
  #last: KnownHeader

  /** `last`: block 0, or the last header that was taken before. */
  constructor(parts: HeaderCheckParts, last: KnownHeader) {
    this.#parts = parts
    this.#last = last
    const { trustedHash, head, headerRules } = parts
    if (trustedHash !== undefined && trustedHash !== head.hash) {
      throw refused(
        `The state is of block ${head.number}, ${head.hash}, and --trusted-block-hash names ${trustedHash}.`,
      )
    }
    if (trustedHash === undefined && headerRules.makersAfter === undefined) {
      throw refused(
        'Nobody seals the blocks of this network, so that nothing in the file says that the state is right. Ask a node that you trust for the hash of its block, and name it by --trusted-block-hash.',
      )
    }
  }

  get last(): KnownHeader {
    return this.#last
  }

  /** The next header. Throws where it is not the one that follows. */
  async add(encoded: Uint8Array): Promise<KnownHeader> {
    const { hashBlock, headers, head, trustedHash } = this.#parts
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
    if (trustedHash === undefined) await this.#verify(header, parent, undefined)
    else if (isLast && !this.#needsState(parent)) await this.#verify(header, parent, undefined)
    this.#last = { hash, header }
    headers.add(this.#last)
    return this.#last
  }

  /**
   * Where a contract names the validators only the state before the block says who they were, and that is in no file. Those
   * that it names after the block are the same, unless they changed in it.
   */
  async verifyWith(state: StateReader): Promise<void> {
    const { headers } = this.#parts
    const { header } = this.#last
    const parent = { hash: header.parentHash, header: headers.find(header.parentHash)! }
    if (this.#needsState(parent)) await this.#verify(header, parent, state)
  }

  #needsState(parent: KnownHeader): boolean {
    return this.#parts.headerRules.needsState?.(parent) ?? false
  }

  async #verify(header: BlockHeader, parent: KnownHeader, state: StateReader | undefined): Promise<void> {
    if (state === undefined && this.#needsState(parent)) {
      throw refused(
        `A contract names the validators of block ${header.number}, and the file cannot show what it said. Ask a node that you trust for the hash of block ${this.#parts.head.number}, and name it by --trusted-block-hash.`,
      )
    }
    const problem = await refuseHeaderOf(this.#parts, header, parent, 'full', state)
    if (problem === undefined) return
    const changed =
      state === undefined ? '' : ' If the validators changed in this very block, take the state of another.'
    throw refused(
      `Block ${header.number} of the file is not one of this chain. ${problem.sentence}${changed}`,
    )
  }
}

function readHeader(encoded: Uint8Array, last: KnownHeader): BlockHeader {
  try {
    return decodeHeader(encoded)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const sentence = `The file holds something that is no header after that of block ${last.header.number}. ${cause.data.sentence}`
    throw chainFault('SNAPSHOT_INVALID', { sentence }, { cause })
  }
}

function hashOf(hashBlock: HashBlock, header: BlockHeader): Hash {
  try {
    return hashBlock(header)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw refused(`Block ${header.number} of the file is not one of this chain. ${cause.data.sentence}`)
  }
}

export function refused(sentence: string): Fault {
  return chainFault('SNAPSHOT_REFUSED', { sentence })
}
