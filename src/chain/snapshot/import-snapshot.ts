/**
 * Starts a chain from a snapshot file. The file is untrusted: headers must be sealed or lead to a hash that the
 * operator trusts, and the state must have the root in its header. Until then the database is not a chain. Every
 * chunk is stored with the offset of the next, so a crash costs one chunk.
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
import { CHUNK, damaged, readChunk, readName, type SnapshotChunk, type SnapshotSource } from './chunks.ts'
import { decodeEnd, decodeEntries, decodeHead, isBlockNumber, type SnapshotHead } from './entries.ts'
import { firstBlock, headBlock, readBody } from './head-block.ts'
import { HeaderCheck, refused, requireTrust } from './header-check.ts'

export interface SnapshotRun {
  readonly source: SnapshotSource
  readonly trustedHash: Hash | undefined
  /** Called with the byte offset at which an interrupted import resumes. */
  readonly onStart: (head: SnapshotHead, from: number) => void
  readonly onProgress: (progress: ImportedCounts & { readonly bytes: number }) => void
  /** Once aborted, the import finishes the current chunk and takes no further one. */
  readonly signal: AbortSignal
  readonly log: Log
}

export interface ImportedSnapshot extends ImportedCounts {
  readonly head: SnapshotHead
}

/** The kinds that may follow each kind. */
const FOLLOWS: Readonly<Record<number, readonly number[]>> = {
  [CHUNK.head]: [CHUNK.headers],
  [CHUNK.headers]: [CHUNK.headers, CHUNK.body],
  [CHUNK.body]: [CHUNK.receipts],
  [CHUNK.receipts]: [CHUNK.state, CHUNK.end],
  [CHUNK.state]: [CHUNK.state, CHUNK.end],
  [CHUNK.end]: [],
}

export async function importSnapshot(
  { genesis, writer }: Ledger,
  run: SnapshotRun,
): Promise<ImportedSnapshot> {
  const { source } = run
  const begin = readName(source)
  const first = readChunk(source, begin)
  const head = readHead(source, begin, first)
  const crypto = await loadCrypto()
  const { keccak } = crypto
  const stateRoot = genesisStateRoot(genesis.alloc, keccak)
  const genesisHeader = genesisBlock(genesis, stateRoot).header
  const genesisHash = hashHeader(genesisHeader, keccak)
  if (head.genesisHash !== genesisHash) {
    throw refused(
      `The state belongs to another network: its block 0 is ${head.genesisHash}, but the genesis file gives ${genesisHash}. Pass the genesis file of that network with --genesis-file.`,
    )
  }
  let headers: KnownHeaders | undefined
  const engine = await chooseEngine(writer.engine, run.log, { forks: genesis.config.forks })
  const createHeaderRules = await loadHeaderRules(writer.headerRulesModule)
  const headerRules = createHeaderRules({
    genesis,
    crypto,
    engine,
    clock: systemClock,
    findHeader: (hash) => headers?.find(hash),
  })
  // First, because an import with other options begins in an empty directory again.
  requireTrust({ head, trustedHash: run.trustedHash, headerRules })
  const target = await openStateImport({
    path: writer.path,
    format: writer.ledger.dataStorageFormat,
    historyBlocks: writer.historyBlocks,
    forks: genesis.config.forks.forks,
    genesisHash: hashToBytes(genesisHash),
    otherGenesisRemedy: writer.otherGenesisRemedy,
    number: head.number,
    blockHash: hashToBytes(head.hash),
    log: run.log,
  })
  try {
    headers = new KnownHeaders(target.stored)
    headers.add({ hash: genesisHash, header: genesisHeader })
    const hashBlock = blockHashOf(genesis.config.consensus, keccak)
    const check = new HeaderCheck(
      {
        ...{ genesis, headerRules, hashBlock, headers, head, trustedHash: run.trustedHash },
        startsAfterMerge: writer.startsAfterMerge ?? false,
      },
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

function readHead(source: SnapshotSource, offset: number, { kind, content }: SnapshotChunk): SnapshotHead {
  if (kind !== CHUNK.head) throw damaged(source, offset)
  const head = decodedOr(damaged(source, offset), () => decodeHead(content))
  if (!isBlockNumber(head.number)) throw damaged(source, offset)
  return head
}

/** Blames the file for anything that cannot be decoded. */
function decodedOr<Value>(fault: Fault, decode: () => Value): Value {
  try {
    return decode()
  } catch (error) {
    throw error instanceof Fault ? fault : error
  }
}

/** The last header that an earlier import accepted, or block 0. */
function lastHeader({ counts, stored }: StateImport, headers: KnownHeaders, genesisHash: Hash) {
  const number = counts.headers
  const bytes = number === 0 ? undefined : stored.canonicalHash(number)
  const hash = bytes === undefined ? genesisHash : hashFromBytes(bytes)
  const header = headers.find(hash)
  assert(header !== undefined, 'Headers were stored with the resume position of the import.')
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

  async readAll(begin: number, first: SnapshotChunk): Promise<void> {
    const { run, target } = this.#parts
    const { source } = run
    let { offset, chunk } = this.#resume(begin, first)
    while (chunk.kind !== CHUNK.end) {
      if (run.signal.aborted) throw interrupted(source)
      const at = chunk.end
      const next = readChunk(source, at)
      if (!FOLLOWS[chunk.kind]!.includes(next.kind)) throw damaged(source, at)
      await this.#take(next, at)
      // The body stays in memory until its receipts arrive.
      if (next.kind !== CHUNK.end && next.kind !== CHUNK.body) {
        await target.save({ offset: at, check: next.check })
        run.onProgress({ ...target.counts, bytes: next.end })
      }
      chunk = next
      offset = at
    }
    if (chunk.end !== source.bytes) throw damaged(source, offset)
  }

  /** Finds the chunk accepted last by offset and checksum: the file must be the same. */
  #resume(begin: number, first: SnapshotChunk): { offset: number; chunk: SnapshotChunk } {
    const { run, target } = this.#parts
    if (target.resumed === undefined) return { offset: begin, chunk: first }
    const { offset, check } = target.resumed
    const chunk = readChunk(run.source, offset)
    if (chunk.check === check) return { offset, chunk }
    const sentence = `${run.source.name} is not the file that this import began with. Continue with that file, or remove the database directory and start again.`
    throw chainFault('SNAPSHOT_INVALID', { sentence })
  }

  async #take({ kind, content }: SnapshotChunk, offset: number): Promise<void> {
    const { target, check, crypto, ledger, head } = this.#parts
    switch (kind) {
      case CHUNK.headers:
        return this.#takeHeaders(content, offset)
      case CHUNK.body:
        this.#requireHeaders()
        this.#block = readBody(ledger.genesis, check.last, content, crypto)
        return
      case CHUNK.receipts:
        assert(this.#block !== undefined, 'A body comes before its receipts, and is not kept without.')
        target.addBlock(headBlock({ hash: head.hash, block: this.#block }, content, crypto))
        this.#block = undefined
        return
      case CHUNK.state:
        return this.#takeState(content, offset)
      case CHUNK.end:
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
  const sentence = `Interrupted. The imported part of ${name} is kept; run the same command again to continue.`
  return new Fault('INTERRUPTED', { sentence })
}
