/**
 * Imports external blocks, in order, into the ledger. This thread decodes them and recovers the senders while the
 * writer executes earlier blocks; both take about as long.
 */

import { Lookup } from '#chain/read/lookup.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import { type ChainWriter, startWriterThread, type WriterThreadParts } from '#chain/writer/writer-thread.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { openStoreReader } from '#store/open-store.ts'
import type { Address } from '#types/address.ts'
import { type Block, decodeBlock } from '#types/block/block.ts'
import { blockHashOf, type HashBlock } from '#types/block/block-hash.ts'
import { Fault, unlessFault } from '#types/fault.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import type { Ledger } from './ledger.ts'

export interface ImportRange {
  readonly startBlock: bigint
  /** The first block that is not imported; unlimited if undefined. */
  readonly endBlock: bigint | undefined
}

export interface ImportProgress {
  readonly imported: number
  /** Blocks that were already stored. */
  readonly known: number
  /** Number of the last durable block. */
  readonly number: bigint
}

export interface ImportRun extends ImportRange {
  readonly validation: HeaderValidation
  /** Called with the head's number before the import begins. */
  readonly onStart: (head: number) => void
  readonly onProgress: (progress: ImportProgress) => void
  /** Once aborted, the import finishes the work under way and takes no further block. */
  readonly signal?: AbortSignal
}

/** Limits of one request to the writer, which is in memory twice and ends with a commit. */
const MAX_PART_BLOCKS = 512
const MAX_PART_BYTES = 4 * 1024 * 1024

/** Stops at the first invalid block; the blocks before it stay in the ledger. */
export async function importBlocks(
  ledger: Ledger,
  blocks: Iterable<Uint8Array>,
  run: ImportRun,
  { log, threads }: Pick<WriterThreadParts, 'log' | 'threads'>,
): Promise<ImportProgress> {
  const writer = await startWriterThread(ledger.writer, { threads, clock: systemClock, log })
  try {
    const reader = await openStoreReader(ledger.writer)
    try {
      run.onStart((await writer.head()).number)
      const crypto = await loadCrypto()
      const hashBlock = blockHashOf(ledger.genesis.config.consensus, crypto.keccak)
      const importer = new Importer({ writer, lookup: new Lookup(reader), hashBlock, run, crypto })
      return await importer.importAll(blocks)
    } finally {
      await reader.close()
    }
  } finally {
    await writer.stop()
  }
}

interface Part {
  readonly blocks: Uint8Array[]
  readonly senders: (readonly Address[])[]
  bytes: number
  last: bigint
}

interface ImporterParts {
  readonly writer: ChainWriter
  readonly lookup: Lookup
  readonly hashBlock: HashBlock
  readonly run: ImportRun
  readonly crypto: Crypto
}

class Importer {
  readonly #parts: ImporterParts
  #underWay: Promise<void> = Promise.resolve()
  #progress: ImportProgress = { imported: 0, known: 0, number: 0n }

  constructor(parts: ImporterParts) {
    this.#parts = parts
  }

  async importAll(blocks: Iterable<Uint8Array>): Promise<ImportProgress> {
    const { run, crypto } = this.#parts
    const { startBlock, endBlock, signal } = run
    let part = emptyPart()
    let seen = 0
    try {
      for (const encoded of blocks) {
        // The process handles signals only between turns, and skipping known blocks takes none.
        if (++seen % MAX_PART_BLOCKS === 0) await nextTurn()
        if (signal?.aborted) break
        const block = decodeBlock(encoded, crypto.keccak)
        const { number } = block.header
        if (number < startBlock) continue
        if (endBlock !== undefined && number >= endBlock) break
        if (this.#isKnown(block)) continue
        addTo(part, encoded, block, this.#sendersOf(block))
        if (part.blocks.length < MAX_PART_BLOCKS && part.bytes < MAX_PART_BYTES) continue
        await this.#send(part)
        part = emptyPart()
      }
    } finally {
      if (!signal?.aborted) await this.#send(part)
      await this.#underWay
    }
    return this.#progress
  }

  /** Lets an interrupted import continue after its last block. */
  #isKnown({ header }: Block): boolean {
    const { lookup, hashBlock } = this.#parts
    const head = lookup.headNumber() ?? -1
    if (header.number > BigInt(head)) return false
    const hash = hashBlock(header)
    const canonical = lookup.header(Number(header.number))
    if (canonical?.hash !== hash) {
      const sentence = `Block ${header.number} of the file is ${hash}, and the chain has ${canonical?.hash}. Import it into another --data-path.`
      throw new Fault('IMPORT_REFUSED', { sentence })
    }
    this.#progress = { ...this.#progress, known: this.#progress.known + 1, number: header.number }
    return true
  }

  /** Returns no senders if one cannot be recovered; the writer then reports which transaction is invalid. */
  #sendersOf({ transactions }: Block): readonly Address[] {
    const { recover, keccak } = this.#parts.crypto
    const senders = () => transactions.map((transaction) => recoverSender(transaction, recover, keccak))
    return unlessFault(senders) ?? []
  }

  /** Waits for the previous part, not for this one. */
  async #send({ blocks, senders, last }: Part): Promise<void> {
    await this.#underWay
    if (blocks.length === 0) return
    const { validation, onProgress } = this.#parts.run
    this.#underWay = this.#parts.writer.importBlocks({ blocks, senders, validation }).then((answer) => {
      const imported = this.#progress.imported + answer.imported
      if (!answer.ok) {
        const sentence = `Block ${answer.number}, ${answer.hash}, is invalid: ${answer.sentence}`
        throw new Fault('IMPORT_REFUSED', { sentence, reason: answer.reason })
      }
      this.#progress = { ...this.#progress, imported, number: last }
      onProgress(this.#progress)
    })
    this.#underWay.catch(() => undefined)
  }
}

function emptyPart(): Part {
  return { blocks: [], senders: [], bytes: 0, last: 0n }
}

function addTo(part: Part, encoded: Uint8Array, { header }: Block, senders: readonly Address[]): void {
  part.blocks.push(encoded)
  part.senders.push(senders)
  part.bytes += encoded.length
  part.last = header.number
}
