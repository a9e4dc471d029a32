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
import { type ExecutionTools, type ExecutionVerdict, executeValidated } from '#chain/execute/execute.ts'
import { Timings } from '#chain/execute/timings.ts'
import { type BlockMakers, createPlainHeaderRules } from '#chain/rules/header-rules.ts'
import {
  refuseHeaderOf,
  type ValidationTools,
  type ValidationVerdict,
  validateBlock,
} from '#chain/rules/validate-block.ts'
import type { StateVersion } from '#store/store.ts'
import { bodyBytesIn, decodeBlock, encodeBody, splitBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { equalBytes } from '#types/bytes.ts'
import { rlpListStart } from '#types/rlp.ts'
import type { ChainParts, ImportOptions } from './chain-parts.ts'
import { ExecutedBlocks } from './executed-blocks.ts'

export class BlockExecutor {
  readonly timings: Timings
  readonly headers: KnownHeaders
  /** Those that wait for their import. */
  readonly executed = new ExecutedBlocks()
  readonly #tools: ExecutionTools & ValidationTools

  constructor(options: ChainParts) {
    const { store, genesis, engine, crypto, clock, keepRevertReasons, keepCallTrees } = options
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
      keepRevertReasons: keepRevertReasons ?? false,
      keepCallTrees: keepCallTrees ?? true,
      timings: this.timings,
      headers: this.headers,
    }
  }

  get hashBlock() {
    return this.#tools.hashBlock
  }

  /** Throws INVALID_BLOCK where the bytes are none. */
  receive(encoded: Uint8Array): ReceivedBlock {
    const { block, hash } = this.#executedBefore(encoded) ?? this.#decode(encoded)
    return { stage: 'received', block, hash, bodyBytes: bodyBytesIn(encoded) }
  }

  #decode(encoded: Uint8Array): Pick<ReceivedBlock, 'block' | 'hash'> {
    const block = decodeBlock(encoded, this.#tools.keccak)
    return { block, hash: this.hashBlock(block.header) }
  }

  /** The body of a block that was executed here is not decoded again, if it is the same byte for byte. */
  #executedBefore(encoded: Uint8Array): Pick<ReceivedBlock, 'block' | 'hash'> | undefined {
    if (this.executed.isEmpty) return undefined
    const { header, rest } = splitBlock(encoded)
    const hash = this.hashBlock(header)
    const known = this.executed.find(hash)
    if (known === undefined) return undefined
    const { body } = known.stored
    const isSame = equalBytes(rest, body.subarray(rlpListStart(body)))
    return isSame ? { hash, block: { ...known.block, header } } : undefined
  }

  parentOf({ block: { header } }: ReceivedBlock): KnownHeader | undefined {
    const parent = this.headers.find(header.parentHash)
    return parent && { hash: header.parentHash, header: parent }
  }

  /** `parentState` is undefined where it is not at hand: of a block beside the chain. */
  validate(
    received: ReceivedBlock,
    parent: KnownHeader,
    options: ImportOptions,
    parentState: StateVersion | undefined,
  ): Promise<ValidationVerdict> {
    return validateBlock(this.#tools, received, parent, options.validation ?? 'full', parentState)
  }

  /** On the parent's state; from then on its header is known, so that others can follow it. */
  async execute(
    received: ReceivedBlock,
    parent: KnownHeader,
    state: StateVersion,
    options: ImportOptions,
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
    })
    const { hash, block } = received
    if (executed.ok) this.headers.add({ hash, header: block.header }, block.ommers.map(this.hashBlock))
    return executed
  }

  /**
   * A block that was built or validated here is not executed again. Its header may have changed in what its hash
   * leaves out, the seals, and so is judged again; so may its body.
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

  async makersAfter(parent: KnownHeader, state: StateVersion): Promise<BlockMakers | undefined> {
    return this.#tools.headerRules.makersAfter?.(parent, state)
  }

  async build(
    template: BlockTemplate,
    parent: KnownHeader,
    state: StateVersion,
    options: BuildOptions,
  ): Promise<BuiltBlock> {
    const base = { state, blockHash: this.headers.ancestorHashes(parent), cancel: options.cancel }
    const built = await buildOn(this.#tools, this.hashBlock, template, parent, base, options)
    const { hash, block } = built.executed
    this.executed.add(built.executed)
    this.headers.add({ hash, header: block.header })
    return built
  }
}

function refuseOtherBody(known: ExecutedBlock, { block }: ReceivedBlock): InvalidBlock | undefined {
  // Not decoded again, and so the same.
  if (block.transactions === known.block.transactions) return undefined
  if (equalBytes(known.stored.body, encodeBody(block))) return undefined
  return invalidBlock('INVALID_BODY', 'The body is not the one that was executed with this header.')
}
