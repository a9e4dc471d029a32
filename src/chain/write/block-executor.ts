/** Validates, executes and builds blocks on a given parent. It knows no head and commits nothing. */

import { KnownHeaders } from '#chain/block/known-headers.ts'
import {
  type ExecutedBlock,
  type InvalidBlock,
  invalidBlock,
  type KnownHeader,
  type ReceivedBlock,
} from '#chain/block/stages.ts'
import { type BlockTemplate, type BuildOptions, type BuiltBlock, buildOn } from '#chain/build/build-block.ts'
import { type EditList, NO_EDITS } from '#chain/execute/edited-state.ts'
import { type ExecutionTools, type ExecutionVerdict, executeValidated } from '#chain/execute/execute.ts'
import { Timings } from '#chain/execute/timings.ts'
import { ledgerOptions } from '#chain/options.ts'
import { createPlainHeaderRules, type ValidatorSet } from '#chain/rules/header-rules.ts'
import {
  refuseHeaderOf,
  type ValidationTools,
  type ValidationVerdict,
  validateBlock,
} from '#chain/rules/validate-block.ts'
import { defaultsOf } from '#config/option.ts'
import type { StateVersion } from '#store/store.ts'
import { bodyBytesIn, decodeBlock, decodeHeaderIn, encodeBody } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import { rlpListStart } from '#types/rlp.ts'
import type { ChainParts, ImportOptions } from './chain-parts.ts'

export class BlockExecutor {
  readonly timings: Timings
  readonly headers: KnownHeaders
  /** Executed blocks that await their import. */
  readonly executed = new ExecutedBlocks()
  /** Blocks built since the start. */
  built = 0
  readonly #tools: ExecutionTools & ValidationTools

  constructor(options: ChainParts) {
    const { store, genesis, engine, crypto, clock } = options
    const { revertReasonEnabled, traceStoreEnabled } = { ...defaultsOf(ledgerOptions), ...options }
    const { createHeaderRules = createPlainHeaderRules } = options
    this.timings = new Timings(() => clock.monotonicMs())
    this.headers = new KnownHeaders(store)
    this.#tools = {
      store,
      genesis,
      engine,
      crypto,
      keccak: crypto.keccak,
      hashBlock: blockHashOf(genesis.config.consensus, crypto.keccak),
      headerRules: createHeaderRules({
        genesis,
        crypto,
        engine,
        clock,
        findHeader: (hash) => this.headers.find(hash),
      }),
      keepRevertReasons: revertReasonEnabled,
      keepCallTrees: traceStoreEnabled,
      timings: this.timings,
      headers: this.headers,
    }
  }

  get hashBlock() {
    return this.#tools.hashBlock
  }

  /**
   * Throws INVALID_BLOCK if the bytes are not a block. `known` is its header, if this process has decoded it. The
   * body of a block that was executed here is not decoded again if the bytes are equal.
   */
  receive(encoded: Uint8Array, known: KnownHeader = this.#headerIn(encoded)): ReceivedBlock {
    const { hash, header } = known
    const bodyBytes = bodyBytesIn(encoded)
    const before = this.executed.find(hash)
    const isSame = before !== undefined && endsWithBody(encoded, bodyBytes, before.stored.body)
    const block = isSame ? { ...before.block, header } : decodeBlock(encoded, this.#tools.keccak, header)
    return { stage: 'received', block, hash, bodyBytes }
  }

  #headerIn(encoded: Uint8Array): KnownHeader {
    const header = decodeHeaderIn(encoded)
    return { hash: this.hashBlock(header), header }
  }

  parentOf({ block: { header } }: ReceivedBlock): KnownHeader | undefined {
    const parent = this.headers.find(header.parentHash)
    return parent && { hash: header.parentHash, header: parent }
  }

  /** `parentState` is undefined for a parent outside the canonical chain. */
  validate(
    received: ReceivedBlock,
    parent: KnownHeader,
    options: ImportOptions,
    parentState: StateVersion | undefined,
  ): Promise<ValidationVerdict> {
    return validateBlock(this.#tools, received, parent, options.validation ?? 'full', parentState)
  }

  /** Executes a block on its parent's state and remembers its header, so other blocks can follow it. */
  async execute(
    received: ReceivedBlock,
    parent: KnownHeader,
    state: StateVersion,
    options: ImportOptions,
    edits: EditList = NO_EDITS,
  ): Promise<ExecutionVerdict> {
    const verdict = await this.timings.measureAsync('validation', () =>
      this.validate(received, parent, options, state),
    )
    if (!verdict.ok) return verdict
    const executed = await executeValidated(this.#tools, verdict.validated, {
      state,
      blockHash: this.headers.ancestorHashes(parent),
      cancel: options.cancel,
      senders: await options.sendersOf?.(received),
      edits,
    })
    const { hash, block } = received
    if (executed.ok) this.headers.add({ hash, header: block.header }, block.ommers.map(this.hashBlock))
    return executed
  }

  /**
   * Skips execution for a block that was built or validated here. Its header is judged again, because seals are not
   * part of the hash, and so is its body.
   */
  async reuse(
    known: ExecutedBlock,
    received: ReceivedBlock,
    parent: KnownHeader,
    parentState: StateVersion,
    { validation = 'full' }: ImportOptions,
  ): Promise<ExecutionVerdict> {
    const { header } = received.block
    const other = refuseOtherBody(known, received)
    if (other !== undefined) return other
    const invalid = await refuseHeaderOf(this.#tools, header, parent, validation, parentState)
    if (invalid !== undefined) return invalid
    const block = { ...known.block, header }
    const stored = { ...known.stored, header: encodeHeader(header) }
    return { ok: true, executed: { ...known, block, stored } }
  }

  async validatorSetAfter(parent: KnownHeader, state: StateVersion): Promise<ValidatorSet | undefined> {
    return this.#tools.headerRules.validatorSetAfter?.(parent, state)
  }

  async build(
    template: BlockTemplate,
    parent: KnownHeader,
    state: StateVersion,
    options: BuildOptions,
    edits: EditList = NO_EDITS,
  ): Promise<BuiltBlock> {
    const base = { state, edits, blockHash: this.headers.ancestorHashes(parent), cancel: options.cancel }
    const built = await buildOn(this.#tools, this.hashBlock, template, parent, base, options)
    const { hash, block } = built.executed
    this.built += 1
    this.executed.add(built.executed)
    this.headers.add({ hash, header: block.header })
    return built
  }
}

function endsWithBody(block: Uint8Array, bodyBytes: number, body: Uint8Array): boolean {
  return equalBytes(block.subarray(block.length - bodyBytes), body.subarray(rlpListStart(body)))
}

function refuseOtherBody(known: ExecutedBlock, { block }: ReceivedBlock): InvalidBlock | undefined {
  // The body was not decoded again, so it is the same.
  if (block.transactions === known.block.transactions) return undefined
  if (equalBytes(known.stored.body, encodeBody(block))) return undefined
  return invalidBlock('INVALID_BODY', 'The body differs from the body executed with this header.')
}

/** Proposals of a few rounds; each holds the changes of one block. */
const MAX_EXECUTED = 16

/**
 * Executed blocks that are not committed: proposals of this node and of others. Importing one is a lookup. Their
 * states build on the head and end when another block is committed.
 */
class ExecutedBlocks {
  /** In the order of execution, so parents precede their children. */
  readonly #byHash = new Map<Hash, ExecutedBlock>()

  get isFull(): boolean {
    return this.#byHash.size >= MAX_EXECUTED
  }

  add(block: ExecutedBlock): void {
    this.#forget(block.hash)
    const oldest = this.#byHash.keys().next()
    if (this.isFull && !oldest.done) this.#forget(oldest.value)
    this.#byHash.set(block.hash, block)
  }

  /** Forgets the descendants too, because their states build on this one. */
  #forget(hash: Hash): void {
    if (!this.#byHash.delete(hash)) return
    for (const [child, { block }] of [...this.#byHash]) {
      if (block.header.parentHash === hash) this.#forget(child)
    }
  }

  find(hash: Hash): ExecutedBlock | undefined {
    return this.#byHash.get(hash)
  }

  /** Forgets blocks that do not descend from the new head. */
  retainAbove(head: Hash): void {
    const kept = new Set([head])
    for (const [hash, { block }] of this.#byHash) {
      if (hash !== head && kept.has(block.header.parentHash)) kept.add(hash)
      else this.#byHash.delete(hash)
    }
  }

  clear(): void {
    this.#byHash.clear()
  }
}
