/**
 * Checks the seals of headers before any claim of a peer counts. The hash of a sealed header fixes all headers before it, so
 * one quorum at the end of an answer vouches for all of them. The writer judges times: a sealed header from the future means
 * that the clock of this node is wrong.
 */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { CreateHeaderRules, HeaderRules } from '#chain/rules/header-rules.ts'
import { refuseHeaderOf } from '#chain/rules/validate-block.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { rulesAt } from '#evm/rules.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'

/** Headers checked before the thread handles other messages. */
const HEADERS_PER_TURN = 32
/** A clock for which no time is in the future. */
const END_OF_TIME = { wallMs: () => Number.MAX_SAFE_INTEGER }

export interface SealCheckParts {
  readonly chain: ChainView
  readonly crypto: Crypto
  readonly engine: Engine
  readonly createHeaderRules: CreateHeaderRules
}

type ParentState = ReturnType<ChainView['stateAt']>

export class SealCheck {
  readonly #chain: ChainView
  readonly #rules: HeaderRules
  /** Headers under check that are not stored. */
  readonly #shown = new Map<Hash, BlockHeader>()

  constructor({ chain, crypto, engine, createHeaderRules }: SealCheckParts) {
    this.#chain = chain
    this.#rules = createHeaderRules({
      genesis: chain.genesis,
      crypto,
      engine,
      clock: END_OF_TIME,
      // Shown headers come first: a search for an unknown hash reads segments, and one may be damaged.
      findHeader: (hash) => this.#shown.get(hash) ?? chain.lookup.header(hash)?.header,
    })
  }

  /**
   * Keeps the validators after the head cached. Otherwise a check would have to count the votes of a complete epoch, which
   * blocks the peers thread long enough to delay consensus messages.
   */
  async follow(): Promise<void> {
    const head = this.#chain.storedHead()
    if (!this.#needsState(head)) await this.#rules.validatorSetAfter?.(head, NO_STATE)
  }

  /**
   * Returns what is wrong with consecutive headers after `parent`, or undefined. If a contract names the validators, only the
   * state after the head is known, and later validator changes are not checked.
   */
  async refuse(headers: readonly KnownHeader[], parent: KnownHeader): Promise<string | undefined> {
    try {
      return await this.#refuseAll(headers, parent)
    } catch (error) {
      // A reorg happened while the contract was asked: the peer is not to blame, and the writer judges the blocks.
      if (error instanceof Fault && error.kind === 'STATE_UNAVAILABLE') return undefined
      throw error
    }
  }

  async #refuseAll(headers: readonly KnownHeader[], parent: KnownHeader): Promise<string | undefined> {
    const [first, ...rest] = headers
    const state = this.#stateAfter(parent)
    if (first === undefined || (state === undefined && this.#needsState(parent))) return undefined
    const problem = await this.#refuse(first, parent, state)
    if (problem !== undefined) return problem
    const isVouchedFor = await this.#isVouchedFor(rest.at(-1), parent, state)
    return isVouchedFor ? await this.#count(headers) : await this.#refuseEach(rest, first)
  }

  /** Counts the votes in valid headers, so the next answer continues from there. */
  async #count(headers: readonly KnownHeader[]): Promise<undefined> {
    const last = headers.at(-1)!
    if (this.#needsState(last)) return
    for (const { hash, header } of headers) this.#shown.set(hash, header)
    try {
      await this.#rules.validatorSetAfter?.(last, NO_STATE)
    } finally {
      for (const { hash } of headers) this.#shown.delete(hash)
    }
  }

  /** Checks each header with the validators of its own block, since they may have changed on the way. */
  async #refuseEach(headers: readonly KnownHeader[], parent: KnownHeader): Promise<string | undefined> {
    let before = parent
    for (const [index, next] of headers.entries()) {
      if (this.#needsState(before)) return undefined
      const problem = await this.#refuse(next, before, undefined)
      if (problem !== undefined) return problem
      before = next
      if (index % HEADERS_PER_TURN === 0) await nextTurn()
    }
    return await this.#count([before])
  }

  /** Whether the validators of the block after `parent` sealed this one. */
  async #isVouchedFor(
    last: KnownHeader | undefined,
    parent: KnownHeader,
    state: ParentState | undefined,
  ): Promise<boolean> {
    if (last === undefined) return true
    const rules = rulesAt(this.#chain.genesis.config, last.header)
    return (await this.#rules.verifyHeader(last.header, parent, rules, 'full', state)) === undefined
  }

  async #refuse(
    { header }: KnownHeader,
    parent: KnownHeader,
    state: ParentState | undefined,
  ): Promise<string | undefined> {
    const tools = { genesis: this.#chain.genesis, headerRules: this.#rules }
    const problem = await refuseHeaderOf(tools, header, parent, 'full', state)
    return problem && `Header ${header.number} is invalid. ${problem.sentence}`
  }

  #needsState(parent: KnownHeader): boolean {
    return this.#rules.needsState?.(parent) ?? false
  }

  #stateAfter(parent: KnownHeader): ParentState | undefined {
    const isHead = this.#chain.storedHead().hash === parent.hash
    return isHead && this.#needsState(parent)
      ? this.#chain.stateAt(Number(parent.header.number), parent.hash)
      : undefined
  }
}

/** If headers carry the votes, no state is read. */
const NO_STATE = { account: () => undefined, storage: () => undefined, code: () => undefined }
