/**
 * The chain as its writer sees it: imports one block at a time, each on its parent's state. Runs on the writer thread
 * (writer-thread.ts), or in a command that has exclusive access to the store.
 */

import {
  type ExecutedBlock,
  type InvalidBlock,
  invalidBlock,
  type KnownHeader,
  type ReceivedBlock,
} from '#chain/block/stages.ts'
import type { BlockTemplate, BuildOptions, BuiltBlock } from '#chain/build/build-block.ts'
import { type EditList, NO_EDITS, overlayOf } from '#chain/execute/edited-state.ts'
import type { ExecutionVerdict } from '#chain/execute/execute.ts'
import type { Timings } from '#chain/execute/timings.ts'
import { chainFault } from '#chain/faults.ts'
import { CHAIN_PROBLEMS } from '#chain/log-problems.ts'
import { ledgerOptions } from '#chain/options.ts'
import { Lookup } from '#chain/read/lookup.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { ValidatorSet } from '#chain/rules/header-rules.ts'
import { type AccountOverride, OverlayState } from '#evm/simulate/overlay-state.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import { decodeEdits } from '#store/edits.ts'
import type { BlockMark, StateVersion } from '#store/store.ts'
import type { RewindEffects, Store } from '#store/writer.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { type Block, decodeBody } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { equalBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { BadBlocks } from './bad-blocks.ts'
import { BlockExecutor } from './block-executor.ts'
import { type Blocks, type BulkOptions, type BulkVerdict, importInBatches } from './bulk-import.ts'
import type { ChainParts, ImportOptions, KnownSenders } from './chain-parts.ts'
import { commitGenesis } from './commit-genesis.ts'
import {
  type BranchPath,
  type ChoiceVerdict,
  type ForkChoice,
  isSameMark,
  type KeptBlock,
  markOn,
  type OfferVerdict,
  pathAlong,
  tooDeep,
} from './fork-choice.ts'
import { type BlockChange, BlockChanges, type HeadChange, headAt, nextValidatorsOf } from './head-change.ts'
import { ImportedTotals } from './imported-totals.ts'
import { siblingOf, storedBlock, storedHead } from './stored-block.ts'

export type ImportVerdict =
  | { readonly ok: true; readonly status: 'imported' | 'known' | 'sibling'; readonly hash: Hash }
  | InvalidBlock

type MoveVerdict =
  | Extract<ImportVerdict, { readonly ok: true }>
  | (InvalidBlock & { readonly lastValid: Hash; readonly invalid: Hash })

/** A direct edit of an account; absent fields keep their values. */
export interface AccountEdit extends AccountOverride {
  readonly address: Address
}

/** Commits block 0 if the store is empty. */
export async function createChain(options: ChainParts): Promise<Chain> {
  const { store, genesis, genesisHash, crypto } = options
  await commitGenesis(store, genesis, genesisHash, crypto.keccak)
  return new Chain(options)
}

export class Chain {
  readonly headMoved: Signal<HeadChange>
  readonly store: Store
  readonly badBlocks = new BadBlocks()
  readonly imported = new ImportedTotals()
  readonly #executor: BlockExecutor
  readonly #options: ChainParts
  readonly #queue = new SerialQueue()
  #head: KnownHeader
  #sequence = 1
  #committedMs: number | undefined

  constructor(options: ChainParts) {
    const { store, log } = options
    this.store = store
    this.#options = options
    this.#executor = new BlockExecutor(options)
    this.headMoved = createSignal((error) =>
      log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'head', err: error }),
    )
    this.#head = storedHead(store)
  }

  /** The last block given to the store. */
  get head(): KnownHeader {
    return this.#head
  }

  get announcedHead(): AnnouncedHead {
    return headAt(this.#sequence, this.#head)
  }

  /** Blocks built since the start. */
  get built(): number {
    return this.#executor.built
  }

  get timings(): Timings {
    return this.#executor.timings
  }

  get hashBlock(): HashBlock {
    return this.#executor.hashBlock
  }

  /** Throws INVALID_BLOCK if the bytes are not a block. `known` is its header, if this process has decoded it. */
  receive(encoded: Uint8Array, known?: KnownHeader | undefined): ReceivedBlock {
    return this.#executor.receive(encoded, known)
  }

  /** Imports a block on the head or as a sibling; an executed block is only committed. */
  importBlock(received: ReceivedBlock, options: ImportOptions = {}): Promise<ImportVerdict> {
    return this.#queue.run(async () =>
      this.badBlocks.note(received, await this.#importNext(received, options)),
    )
  }

  /** Imports many blocks, several per batch. Stops at the first invalid block; those before it are committed. */
  importMany(blocks: Blocks, options: ImportOptions & BulkOptions = {}): Promise<BulkVerdict> {
    return this.#queue.run(() => this.#importMany(blocks, options))
  }

  /** Checks whether a block could be imported and keeps the executed result for its import. */
  validate(
    received: ReceivedBlock,
    options: ImportOptions = {},
  ): Promise<{ readonly ok: true } | InvalidBlock> {
    return this.#queue.run(async () => {
      const { executed } = this.#executor
      const known = executed.find(received.hash)
      if (known !== undefined) return this.#judgeAgain(known, received, options)
      const verdict = await this.#execute(received, options)
      if (!verdict.ok) return verdict
      executed.add(verdict.executed)
      return { ok: true }
    })
  }

  /** Builds a block on the head, or on a block that was executed on it. */
  build(template: BlockTemplate, options: BuildOptions): Promise<BuiltBlock> {
    return this.#queue.run(async () => {
      const { parent: hash } = template
      const header = this.#executor.headers.find(hash)
      const state = this.#stateAfter(hash)
      if (header === undefined || state === undefined) throw notOnHead(hash)
      const edits = hash === this.#head.hash ? this.#pendingEdits() : NO_EDITS
      return this.#executor.build(template, { hash, header }, state, options, edits)
    })
  }

  /** The validators of the block after the head; undefined on networks without validators. */
  nextValidators(): Promise<
    { readonly parent: KnownHeader; readonly validatorSet: ValidatorSet } | undefined
  > {
    return this.#queue.run(async () => {
      const parent = this.#head
      const validatorSet = await this.#validatorSetAfter(parent)
      return validatorSet && { parent, validatorSet }
    })
  }

  /** Rewinds to a canonical block; the blocks above it stay as siblings. */
  unwind(to: number): Promise<void> {
    return this.#queue.run(async () => {
      const head = Number(this.#head.header.number)
      if (!Number.isInteger(to) || to < 0 || to > head) {
        const sentence = `The chain cannot go back to block ${to}: it has blocks 0 to ${head}.`
        throw chainFault('UNKNOWN_BLOCK', { sentence })
      }
      const removed = await this.#unwindTo(to)
      await this.#announceReorg(removed, [])
    })
  }

  /**
   * Edits accounts of the head's state, on a development network. The edits are durable, and the next block contains
   * them.
   */
  edit(overrides: readonly AccountEdit[]): Promise<void> {
    return this.#queue.run(async () => {
      const { keccak } = this.#options.crypto
      const state = overlayOf(this.store.headState(), this.#pendingEdits(), keccak)
      const edited = new OverlayState(state, keccak)
      for (const { address, ...override } of overrides) edited.override(address, override)
      // An executed block does not contain the edit.
      this.#executor.executed.clear()
      await this.store.addEdit(edited.changesWithCode())
      await this.#announce([], [])
    })
  }

  /** Records the head and its edits, on a development network, and returns the id for `revert`. */
  snapshot(): Promise<number> {
    return this.#queue.run(() => this.store.addSavepoint())
  }

  /** Rewinds to a snapshot and forgets it and later ones. Returns false if it is not known or not on the chain. */
  revert(id: number): Promise<boolean> {
    return this.#queue.run(async () => {
      const savepoint = this.store.savepoint(id)
      if (savepoint === undefined) return false
      const { number, hash } = savepoint
      const canonical = this.store.canonicalHash(number)
      if (canonical === undefined || !equalBytes(canonical, hash)) return false
      const edits = this.store.editsAfter(number).changes.slice(0, savepoint.edits)
      const removed = await this.#unwindTo(number, { edits, firstForgotten: id })
      await this.#announceReorg(removed, [])
      return true
    })
  }

  /** Rewinds to block 0 without edits and forgets all snapshots, on a development network. */
  reset(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#announceReorg(await this.#unwindTo(0, { edits: [], firstForgotten: 1 }), [])
    })
  }

  /**
   * Makes a stored block the head: rewinds to the fork point and imports the branch. If that fails or is cancelled,
   * the chain is restored.
   */
  setHead(hash: Hash, options: ImportOptions = {}): Promise<ImportVerdict> {
    return this.#queue.run(async () => {
      const path = this.#pathTo(hash)
      if (path !== undefined) return this.#moveTo(path, options)
      const sentence = `Block ${hash} is not known, or not its ancestors; import it first.`
      throw chainFault('UNKNOWN_BLOCK', { sentence })
    })
  }

  /**
   * Validates a block and stores it next to the chain; `choose` makes it canonical. It is executed if its parent's state
   * is available: on the head, or on blocks executed there.
   */
  offer(received: ReceivedBlock, options: ImportOptions = {}): Promise<OfferVerdict> {
    return this.#queue.run(async () => {
      const verdict = this.badBlocks.note(received, await this.#offer(received, options))
      const { parentHash } = received.block.header
      const isParentValid = !verdict.ok && this.#stateAfter(parentHash) !== undefined
      return verdict.ok ? verdict : { ...verdict, lastValid: isParentValid ? parentHash : undefined }
    })
  }

  /** Makes a stored block the head and records the safe and finalized blocks. */
  choose(choice: ForkChoice, options: ImportOptions = {}): Promise<ChoiceVerdict> {
    return this.#queue.run(() => this.#choose(choice, options))
  }

  /** Closes the store after the queued work is done. */
  close(): Promise<void> {
    return this.#queue.run(() => this.store.close())
  }

  async #importNext(received: ReceivedBlock, options: ImportOptions): Promise<ImportVerdict> {
    const { hash, block } = received
    if (this.#isCanonical(hash, block.header)) return { ok: true, status: 'known', hash }
    if (block.header.parentHash !== this.#head.hash) return this.#importSibling(received, options)
    const known = this.#executor.executed.find(hash)
    const verdict = known
      ? await this.#executor.reuse(known, received, this.#head, this.store.headState(), options)
      : await this.#execute(received, options)
    if (!verdict.ok) return verdict
    const lastMs = this.#committedMs
    await this.#commit([verdict.executed])
    this.#logImported(verdict.executed, lastMs)
    await this.#announceAdded([verdict.executed])
    return { ok: true, status: 'imported', hash }
  }

  /** Judges a block that has the hash of an executed one. */
  async #judgeAgain(
    known: ExecutedBlock,
    received: ReceivedBlock,
    options: ImportOptions,
  ): Promise<{ readonly ok: true } | InvalidBlock> {
    const parent = this.#executor.parentOf(received)
    const state = parent && this.#stateAfter(parent.hash)
    if (parent === undefined || state === undefined) return unknownParent(received)
    const verdict = await this.#executor.reuse(known, received, parent, state, options)
    return verdict.ok ? { ok: true } : verdict
  }

  async #importSibling(received: ReceivedBlock, options: ImportOptions): Promise<ImportVerdict> {
    const { hash } = received
    if (this.store.numberOf(hashToBytes(hash)) !== undefined) return { ok: true, status: 'known', hash }
    const parent = this.#executor.parentOf(received)
    if (parent === undefined) return unknownParent(received)
    const verdict = await this.#executor.validate(received, parent, options, this.#stateAfter(parent.hash))
    if (!verdict.ok) return verdict
    await this.store.writeSiblings([siblingOf(verdict.validated)])
    return { ok: true, status: 'sibling', hash }
  }

  async #offer(received: ReceivedBlock, options: ImportOptions): Promise<KeptBlock | InvalidBlock> {
    const { hash, block } = received
    if (this.#isCanonical(hash, block.header)) return { ok: true, status: 'valid', hash }
    const { executed } = this.#executor
    const parent = this.#executor.parentOf(received)
    // A block that was built here is executed but not stored. Its children wait until it is offered.
    if (parent === undefined || !this.#isStored(parent.hash)) return unknownParent(received)
    const known = executed.find(hash)
    const state = this.#stateAfter(parent.hash)
    if (state === undefined || (known === undefined && executed.isFull)) {
      const verdict = await this.#executor.validate(received, parent, options, state)
      if (!verdict.ok) return verdict
      await this.#keep(verdict.validated)
      return { ok: true, status: 'stored', hash }
    }
    const verdict = known
      ? await this.#executor.reuse(known, received, parent, state, options)
      : await this.#execute(received, options)
    if (!verdict.ok) return verdict
    await this.#keep(verdict.executed)
    if (known === undefined) executed.add(verdict.executed)
    return { ok: true, status: 'valid', hash }
  }

  async #keep(block: { readonly block: Block; readonly hash: Hash }): Promise<void> {
    if (!this.#isStored(block.hash)) await this.store.writeSiblings([siblingOf(block)])
  }

  #isStored(hash: Hash): boolean {
    return this.store.numberOf(hashToBytes(hash)) !== undefined
  }

  async #choose({ head, safe, finalized }: ForkChoice, options: ImportOptions): Promise<ChoiceVerdict> {
    const path = this.#pathTo(head)
    if (path === undefined) return { ok: false, reason: 'UNKNOWN' }
    const { branch } = path
    const lowest = this.store.lowestRewind()
    if (branch.length > 0 && path.stem < lowest) {
      const sentence = tooDeep({ lowest, first: this.store.firstBlock() })
      return { ok: false, reason: 'TOO_DEEP', sentence }
    }
    const canonicalNumber = (hash: Hash) => this.#canonicalNumber(hash)
    const [safeMark, finalMark] = [safe, finalized].map((hash) => markOn(hash, path, canonicalNumber))
    if (safeMark === null || finalMark === null) return { ok: false, reason: 'INCONSISTENT' }
    if (branch.length === 0 && head !== this.#head.hash) {
      return { ok: true, isOld: true, timestamp: this.#executor.headers.find(head)!.timestamp }
    }
    if (branch.length > 0) {
      const verdict = await this.#moveTo(path, options)
      if (!verdict.ok) return { ...verdict, reason: 'INVALID' }
    }
    await this.#mark(safeMark, finalMark)
    return { ok: true, isOld: false, timestamp: this.#head.header.timestamp }
  }

  async #mark(safe: BlockMark | undefined, finalized: BlockMark | undefined): Promise<void> {
    const { store } = this
    const changed = {
      ...(safe && !isSameMark(safe, store.safe()) && { safe }),
      ...(finalized && !isSameMark(finalized, store.finalized()) && { finalized }),
    }
    if (Object.keys(changed).length > 0) await store.setMarks(changed)
  }

  #canonicalNumber(hash: Hash): number | undefined {
    const bytes = hashToBytes(hash)
    const number = this.store.numberOf(bytes)
    const canonical = number === undefined ? undefined : this.store.canonicalHash(number)
    return canonical !== undefined && equalBytes(canonical, bytes) ? number : undefined
  }

  async #execute(received: ReceivedBlock, options: ImportOptions): Promise<ExecutionVerdict> {
    const parent = this.#executor.parentOf(received)
    if (parent === undefined) return unknownParent(received)
    const state = this.#stateAfter(parent.hash)
    if (state === undefined) throw notOnHead(parent.hash)
    return this.#executor.execute(received, parent, state, options, this.#editsOf(received))
  }

  /** The edits after the head. */
  #pendingEdits(): EditList {
    const { store } = this
    if (!store.isDevelopment) return NO_EDITS
    return store.editsAfter(Number(this.#head.header.number)).changes
  }

  /** The edits that a block contained when it was built here. */
  #editsOf({ hash, block }: ReceivedBlock): EditList {
    const { store } = this
    if (!store.isDevelopment) return NO_EDITS
    const stored = store.read('edits', Number(block.header.number), hashToBytes(hash))
    return stored === undefined ? NO_EDITS : decodeEdits(stored)
  }

  async #commit(blocks: readonly ExecutedBlock[]): Promise<void> {
    const last = blocks.at(-1)
    if (last === undefined) return
    const { executed, headers, timings } = this.#executor
    const stored = blocks.map((block) => block.stored)
    this.store.requireRoom(stored)
    this.#head = { hash: last.hash, header: last.block.header }
    headers.add(this.#head)
    executed.retainAbove(last.hash)
    await timings.measureAsync('commit', () => this.store.commitBlocks(stored))
    for (const block of blocks) this.imported.add(block)
    this.#committedMs = this.#options.clock.monotonicMs()
  }

  /** One line for each block that comes alone; a sync reports many in one line. */
  #logImported({ hash, block: { header, transactions } }: ExecutedBlock, lastMs: number | undefined): void {
    this.#options.log.info('Imported block', {
      number: Number(header.number),
      hash,
      transactions: transactions.length,
      gasUsed: Number(header.gasUsed),
      sinceLastMs: lastMs === undefined ? undefined : Math.round(this.#committedMs! - lastMs),
      proposer: header.coinbase,
    })
  }

  #importMany(blocks: Blocks, options: ImportOptions & BulkOptions): Promise<BulkVerdict> {
    return importInBatches(blocks, options, {
      head: () => ({ ...this.#head, state: this.store.headState() }),
      isKnown: ({ hash, block }) => this.#isCanonical(hash, block.header),
      execute: async (received, parent, state) => {
        const verdict = await this.#executor.execute(received, parent, state, options)
        return this.badBlocks.note(received, verdict)
      },
      commit: async (executed) => {
        await this.#commit(executed)
        await this.#announceAdded(executed)
      },
    })
  }

  async #moveTo({ stem, branch }: BranchPath, options: ImportOptions): Promise<MoveVerdict> {
    const marks = [this.store.safe(), this.store.finalized()] as const
    const removed = await this.#unwindTo(stem)
    const added = new BlockChanges()
    const restore = async (): Promise<void> => {
      await this.#unwindTo(stem)
      const restored = await this.#importStored(removed, { validation: 'none' }, new BlockChanges())
      assert(restored.ok, 'Blocks that were canonical can be imported again.')
      await this.#mark(...marks)
    }
    const verdict = await this.#importStored(branch, options, added).catch(async (error: unknown) => {
      await restore()
      throw error
    })
    if (!verdict.ok) await restore()
    else await this.#announceReorg(removed, added.blocks)
    return verdict
  }

  #pathTo(hash: Hash): BranchPath | undefined {
    if (!this.#isStored(hash)) return undefined
    return pathAlong(this.#executor.headers.lineage(hash), (known) =>
      this.#isCanonical(known.hash, known.header),
    )
  }

  async #importStored(
    blocks: readonly { readonly hash: Hash }[],
    options: ImportOptions,
    added: BlockChanges,
  ): Promise<MoveVerdict> {
    for (const { hash } of blocks) {
      const received = storedBlock(this.store, hash, this.#options.crypto.keccak)
      const known = this.#executor.executed.find(hash)
      const verdict = known
        ? await this.#executor.reuse(known, received, this.#head, this.store.headState(), options)
        : await this.#execute(received, { ...options, sendersOf: () => this.#storedSenders(hash) })
      // The blocks before it are valid, so the head is the last valid ancestor.
      if (!verdict.ok) return { ...verdict, lastValid: this.#head.hash, invalid: hash }
      const [{ executed }, lastMs] = [verdict, this.#committedMs]
      await this.#commit([executed])
      if (blocks.length === 1) this.#logImported(executed, lastMs)
      added.add(this.#head, () => includedIn(executed))
    }
    return { ok: true, status: 'imported', hash: this.#head.hash }
  }

  /** Undefined if the block was never executed. */
  #storedSenders(hash: Hash): KnownSenders {
    const lookup = new Lookup(this.store, this.#options.crypto.keccak)
    return lookup.receipts(hash)?.map(({ sender }) => sender)
  }

  /** Returns the removed blocks, lowest first. */
  async #unwindTo(to: number, effects?: RewindEffects): Promise<readonly BlockChange[]> {
    const removed = this.#changesAbove(to)
    if (removed.length === 0 && !this.store.isDevelopment) return removed
    const { keccak } = this.#options.crypto
    const transactionHashes = (body: Uint8Array) =>
      decodeBody(body, keccak).transactions.map(({ hash }) => hashToBytes(hash))
    await this.store.unwind(to, transactionHashes, effects)
    this.#executor.executed.clear()
    this.#head = storedHead(this.store)
    return removed
  }

  #changesAbove(to: number): readonly BlockChange[] {
    const changes = new BlockChanges()
    const lookup = new Lookup(this.store, this.#options.crypto.keccak)
    for (let number = to + 1; BigInt(number) <= this.#head.header.number; number++) {
      const known = lookup.header(number)
      assert(known !== undefined, 'Every block of the chain is stored.')
      changes.add(known, () => ({
        transactions: lookup.block(number)!.block.transactions,
        senders: lookup.receipts(number)!.map(({ sender }) => sender),
      }))
    }
    return changes.blocks
  }

  async #announceReorg(removed: readonly BlockChange[], added: readonly BlockChange[]): Promise<void> {
    const { log, reorgLoggingThreshold = ledgerOptions.reorgLoggingThreshold.default } = this.#options
    const { number } = this.#head.header
    const fields = { removed: removed.length, added: added.length, number, hash: this.#head.hash }
    if (removed.length > reorgLoggingThreshold) log.warn(CHAIN_PROBLEMS.reorg, fields)
    else if (removed.length > 0) log.debug('Chain reorganised', fields)
    await this.#announce(removed, added)
  }

  async #announceAdded(blocks: readonly ExecutedBlock[]): Promise<void> {
    if (this.headMoved.listenerCount === 0) return
    const added = new BlockChanges()
    for (const executed of blocks) {
      const { hash, block } = executed
      added.add({ hash, header: block.header }, () => includedIn(executed))
    }
    await this.#announce([], added.blocks)
  }

  async #announce(removed: readonly BlockChange[], added: readonly BlockChange[]): Promise<void> {
    const head = this.#head
    const validatorSet = await this.#validatorSetAfter(head).catch((err: unknown) => {
      // The blocks are durable regardless of this result.
      this.#options.log.warn(CHAIN_PROBLEMS.validatorsUnknown, { err })
      return undefined
    })
    const next = validatorSet === undefined ? null : nextValidatorsOf(head, validatorSet)
    this.headMoved.emit({ ...headAt(++this.#sequence, head), removed, added, next })
  }

  async #validatorSetAfter(head: KnownHeader): Promise<ValidatorSet | undefined> {
    const state = this.#stateAfter(head.hash)
    assert(state !== undefined, 'The state of the head is at hand.')
    return this.#executor.validatorSetAfter(head, state)
  }

  /** Returns undefined if the block is neither the head nor executed on it. */
  #stateAfter(hash: Hash): StateVersion | undefined {
    if (hash === this.#head.hash) return this.store.headState()
    return this.#executor.executed.find(hash)?.stored.state
  }

  #isCanonical(hash: Hash, { number }: { readonly number: bigint }): boolean {
    if (number > this.#head.header.number) return false
    const canonical = this.store.canonicalHash(Number(number))
    return canonical !== undefined && hashFromBytes(canonical) === hash
  }
}

function includedIn({ block, senders }: ExecutedBlock) {
  return { transactions: block.transactions, senders }
}

function unknownParent({ block: { header } }: ReceivedBlock): InvalidBlock {
  const sentence = `The parent ${header.parentHash} of block ${header.number} is not known.`
  return invalidBlock('UNKNOWN_PARENT', sentence)
}

function notOnHead(hash: Hash) {
  const sentence = `Block ${hash} is neither the head nor a block executed on it, so its state is not available.`
  return chainFault('NOT_ON_HEAD', { sentence })
}
