/**
 * A chain that begins with a state from a file. Nothing of it is believed: headers have to be sealed, or to lead to a hash that
 * the operator trusts; the state has to have the root of its header. Until all of that is known the database is no chain.
 * Every frame is kept with the place of the next, so that a kill costs one frame.
 */

import { KnownHeaders } from '#chain/block/known-headers.ts'
import { chainFault } from '#chain/faults.ts'
import type { Ledger } from '#chain/ledger/ledger.ts'
import { loadHeaderRules } from '#chain/rules/header-rules.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { type ImportedCounts, openStateImport, type StateImport } from '#store/snapshot/state-import.ts'
import { assert } from '#types/assert.ts'
import type { Block } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { genesisBlock } from '#types/genesis/genesis-block.ts'
import { genesisStateRoot } from '#types/genesis/genesis-state-root.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { encodedRlpItems } from '#types/rlp.ts'
import { damaged, FRAME, readFrame, readName, type SnapshotFrame, type SnapshotSource } from './frames.ts'
import { firstBlock, headBlock, readBody } from './head-block.ts'
import { HeaderCheck, refused } from './header-check.ts'
import { decodeEnd, decodeEntries, decodeHead, isBlockNumber, type SnapshotHead } from './records.ts'

export interface SnapshotRun {
  readonly source: SnapshotSource
  readonly trustedHash: Hash | undefined
  /** Told where an import that was begun before goes on, in bytes of the file. */
  readonly onStart: (head: SnapshotHead, from: number) => void
  readonly onProgress: (progress: ImportedCounts & { readonly bytes: number }) => void
  /** Aborted: the frame under way is finished, and no further one is taken. */
  readonly signal: AbortSignal
  readonly log: Log
}

export interface ImportedSnapshot extends ImportedCounts {
  readonly head: SnapshotHead
}

/** Which kinds may follow which. */
const FOLLOWS: Readonly<Record<number, readonly number[]>> = {
  [FRAME.head]: [FRAME.headers],
  [FRAME.headers]: [FRAME.headers, FRAME.body],
  [FRAME.body]: [FRAME.receipts],
  [FRAME.receipts]: [FRAME.state, FRAME.end],
  [FRAME.state]: [FRAME.state, FRAME.end],
  [FRAME.end]: [],
}

export async function importSnapshot(
  { genesis, writer }: Ledger,
  run: SnapshotRun,
): Promise<ImportedSnapshot> {
  const { source } = run
  const begin = readName(source)
  const first = readFrame(source, begin)
  const head = readHead(source, begin, first)
  const crypto = await loadCrypto()
  const { keccak } = crypto
  const stateRoot = genesisStateRoot(genesis.alloc, keccak)
  const genesisHeader = genesisBlock(genesis, stateRoot).header
  const genesisHash = hashHeader(genesisHeader, keccak)
  if (head.genesisHash !== genesisHash) {
    throw refused(
      `The state is of another network: its block 0 is ${head.genesisHash}, that of the genesis file ${genesisHash}. Name the genesis file of that network by --genesis-file.`,
    )
  }
  const target = await openStateImport({
    path: writer.path,
    format: writer.format,
    historyBlocks: writer.historyBlocks,
    forks: genesis.config.forks.forks,
    genesisHash: hashToBytes(genesisHash),
    number: head.number,
    blockHash: hashToBytes(head.hash),
    log: run.log,
  })
  try {
    const headers = new KnownHeaders(target.stored)
    headers.add({ hash: genesisHash, header: genesisHeader })
    const engine = await chooseEngine(writer.engine, run.log, { forks: genesis.config.forks })
    const createHeaderRules = await loadHeaderRules(writer.headerRulesModule)
    const headerRules = createHeaderRules({
      genesis,
      crypto,
      engine,
      clock: systemClock,
      findHeader: (hash) => headers.find(hash),
    })
    const hashBlock = blockHashOf(genesis.config.consensus, keccak)
    const check = new HeaderCheck(
      { genesis, headerRules, hashBlock, headers, head, trustedHash: run.trustedHash },
      lastHeader(target, headers, genesisHash),
    )
    if (target.resumed === undefined) target.addBlock(firstBlock(genesis, stateRoot, genesisHash))
    const reading = new Reading({ ledger: { genesis, writer }, run, head, crypto, target, check })
    run.onStart(head, target.resumed?.offset ?? begin)
    await reading.readAll(begin, first)
    return { head, ...target.counts }
  } finally {
    await target.close()
  }
}

function readHead(source: SnapshotSource, offset: number, { kind, content }: SnapshotFrame): SnapshotHead {
  if (kind !== FRAME.head) throw damaged(source, offset)
  const head = decodedOr(damaged(source, offset), () => decodeHead(content))
  if (!isBlockNumber(head.number)) throw damaged(source, offset)
  return head
}

/** What cannot be decoded is the fault of the file. */
function decodedOr<Value>(fault: Fault, decode: () => Value): Value {
  try {
    return decode()
  } catch (error) {
    throw error instanceof Fault ? fault : error
  }
}

/** The last one that an import before this took; else block 0. */
function lastHeader({ counts, stored }: StateImport, headers: KnownHeaders, genesisHash: Hash) {
  const number = counts.headers
  const bytes = number === 0 ? undefined : stored.canonicalHash(number)
  const hash = bytes === undefined ? genesisHash : hashFromBytes(bytes)
  const header = headers.find(hash)
  assert(header !== undefined, 'Headers were kept with the place where the import goes on.')
  return { hash, header }
}

interface ReadingParts {
  readonly ledger: Ledger
  readonly run: SnapshotRun
  readonly head: SnapshotHead
  readonly crypto: Crypto
  readonly target: StateImport
  readonly check: HeaderCheck
}

class Reading {
  readonly #parts: ReadingParts
  #block: Block | undefined

  constructor(parts: ReadingParts) {
    this.#parts = parts
  }

  async readAll(begin: number, first: SnapshotFrame): Promise<void> {
    const { run, target } = this.#parts
    const { source } = run
    let { offset, frame } = this.#resume(begin, first)
    while (frame.kind !== FRAME.end) {
      if (run.signal.aborted) throw interrupted(source)
      const at = frame.end
      const next = readFrame(source, at)
      if (!FOLLOWS[frame.kind]!.includes(next.kind)) throw damaged(source, at)
      await this.#take(next, at)
      // The body is held in memory until its receipts come.
      if (next.kind !== FRAME.end && next.kind !== FRAME.body) {
        await target.save({ offset: at, check: next.check })
        run.onProgress({ ...target.counts, bytes: next.end })
      }
      frame = next
      offset = at
    }
    if (frame.end !== source.bytes) throw damaged(source, offset)
  }

  /** The frame that was taken last, by its place and its checksum: the file has to be the same. */
  #resume(begin: number, first: SnapshotFrame): { offset: number; frame: SnapshotFrame } {
    const { run, target } = this.#parts
    if (target.resumed === undefined) return { offset: begin, frame: first }
    const { offset, check } = target.resumed
    const frame = readFrame(run.source, offset)
    if (frame.check === check) return { offset, frame }
    const sentence = `${run.source.name} is not the file with which this import was begun. Go on with that one, or remove the directory of the database and begin anew.`
    throw chainFault('SNAPSHOT_INVALID', { sentence })
  }

  async #take({ kind, content }: SnapshotFrame, offset: number): Promise<void> {
    const { target, check, crypto, ledger, head } = this.#parts
    switch (kind) {
      case FRAME.headers:
        return this.#takeHeaders(content, offset)
      case FRAME.body:
        this.#requireHeaders()
        this.#block = readBody(ledger.genesis, check.last, content, crypto)
        return
      case FRAME.receipts:
        assert(this.#block !== undefined, 'A body comes before its receipts, and is not kept without.')
        target.addBlock(headBlock({ hash: head.hash, block: this.#block }, content, crypto))
        this.#block = undefined
        return
      case FRAME.state:
        return this.#takeState(content, offset)
      case FRAME.end:
        return this.#finish(content, offset)
    }
  }

  async #takeHeaders(content: Uint8Array, offset: number): Promise<void> {
    const { target, check, head, run } = this.#parts
    const items = decodedOr(damaged(run.source, offset), () => [...encodedRlpItems(content)])
    for (const encoded of items) {
      if (check.last.header.number === BigInt(head.number)) throw damaged(run.source, offset)
      const { hash, header } = await check.add(encoded)
      target.addHeader(Number(header.number), hashToBytes(hash), encoded)
    }
  }

  #requireHeaders(): void {
    const { check, head } = this.#parts
    const { number } = check.last.header
    if (number === BigInt(head.number)) return
    throw refused(
      `The headers of the file end with block ${number}, and the state is of block ${head.number}.`,
    )
  }

  #takeState(content: Uint8Array, offset: number): void {
    const { target, run, crypto } = this.#parts
    const { source } = run
    try {
      for (const entry of decodeEntries(content)) {
        if (entry.kind === 'slot') {
          if (!target.addSlot(entry.slot, entry.value)) throw damaged(source, offset)
          continue
        }
        const { code, ...account } = entry
        let codeHash: Uint8Array | undefined
        if (code !== undefined && 'bytes' in code) {
          codeHash = crypto.keccak(code.bytes)
          target.addCode(codeHash, code.bytes)
        } else if (code !== undefined) {
          codeHash = code.hash
          if (!target.hasCode(codeHash)) throw damaged(source, offset)
        }
        if (!target.addAccount({ ...account, codeHash })) throw damaged(source, offset)
      }
    } catch (error) {
      if (error instanceof Fault && error.kind === 'INVALID_RECORD') throw damaged(source, offset)
      throw error
    }
  }

  async #finish(content: Uint8Array, offset: number): Promise<void> {
    const { target, check, run } = this.#parts
    const { header } = check.last
    const root = await target.finishState()
    if (hashFromBytes(root) !== header.stateRoot) {
      throw refused(
        `The state in the file has root ${hashFromBytes(root)}, and block ${header.number} says ${header.stateRoot}. It is not the state of this block: take another file, and remove the directory of the database before.`,
      )
    }
    const { accounts, slots } = decodeEnd(content)
    if (accounts !== target.counts.accounts || slots !== target.counts.slots)
      throw damaged(run.source, offset)
    await check.verifyWith(target.state())
    await target.complete(root, Number(header.timestamp))
  }
}

function interrupted({ name }: SnapshotSource): Fault {
  const sentence = `Interrupted. What was read of ${name} is kept; give the same command again to go on from there.`
  return new Fault('INTERRUPTED', { sentence })
}
