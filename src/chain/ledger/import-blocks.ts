/**
 * Blocks from outside, in order, into the ledger. This thread decodes them and recovers the senders while the writer
 * executes those before: the two take about as long.
 */

import { Lookup } from '#chain/read/lookup.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import { type ChainWriter, startWriterThread, type WriterThreadParts } from '#chain/writer/writer-thread.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { openStoreReader } from '#store/open-store.ts'
import type { Address } from '#types/address.ts'
import { type Block, decodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import type { Ledger } from './ledger.ts'

export interface ImportRange {
  readonly startBlock: bigint
  /** The first that is not imported; undefined: all. */
  readonly endBlock: bigint | undefined
}

export interface ImportProgress {
  readonly imported: number
  /** Blocks that were there already. */
  readonly known: number
  /** Of the last block that is durable. */
  readonly number: bigint
}

export interface ImportRun extends ImportRange {
  readonly validation: HeaderValidation
  /** Told the number of the head before anything is imported. */
  readonly onStart: (head: number) => void
  readonly onProgress: (progress: ImportProgress) => void
  /** Aborted: what is under way is finished, and no further block is taken. */
  readonly signal?: AbortSignal
}

/** What goes to the writer at once: it is in memory twice, and its commit is waited for at the end. */
const MAX_PART_BLOCKS = 512
const MAX_PART_BYTES = 4 * 1024 * 1024
const NO_SENDERS: readonly Address[] = []

/** Imports, and stops where the writer finds an invalid block; those before it are in the ledger. */
export async function importBlocks(
  ledger: Ledger,
  blocks: Iterable<Uint8Array>,
  run: ImportRun,
  { log, threads, clock = systemClock }: Omit<WriterThreadParts, 'clock'> & { readonly clock?: Clock },
): Promise<ImportProgress> {
  const writer = await startWriterThread(ledger.writer, { threads, clock, log })
  try {
    const reader = await openStoreReader(ledger.writer)
    try {
      run.onStart((await writer.head()).number)
      const importer = new Importer(writer, new Lookup(reader), ledger, run, await loadCrypto(), clock)
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

class Importer {
  readonly #writer: ChainWriter
  readonly #lookup: Lookup
  readonly #hashBlock: (header: Block['header']) => Hash
  readonly #run: ImportRun
  readonly #crypto: Crypto
  readonly #clock: Clock
  #underWay: Promise<void> = Promise.resolve()
  #progress: ImportProgress = { imported: 0, known: 0, number: 0n }

  constructor(
    writer: ChainWriter,
    lookup: Lookup,
    { genesis }: Ledger,
    run: ImportRun,
    crypto: Crypto,
    clock: Clock,
  ) {
    this.#writer = writer
    this.#lookup = lookup
    this.#run = run
    this.#crypto = crypto
    this.#clock = clock
    this.#hashBlock = blockHashOf(genesis.config.consensus, crypto.keccak)
  }

  async importAll(blocks: Iterable<Uint8Array>): Promise<ImportProgress> {
    const { startBlock, endBlock, signal } = this.#run
    let part = emptyPart()
    let seen = 0
    try {
      for (const encoded of blocks) {
        // Signals of the system are heard between turns only, and known blocks need none.
        if (++seen % MAX_PART_BLOCKS === 0) await this.#nextTurn()
        if (signal?.aborted) break
        const block = decodeBlock(encoded, this.#crypto.keccak)
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

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#clock.after(0, resolve))
  }

  /** So that an import that was interrupted goes on where it stopped. */
  #isKnown({ header }: Block): boolean {
    const head = this.#lookup.headNumber() ?? -1
    if (header.number > BigInt(head)) return false
    const hash = this.#hashBlock(header)
    const canonical = this.#lookup.header(Number(header.number))
    if (canonical?.hash !== hash) {
      const sentence = `Block ${header.number} of the file is ${hash}, and the chain has ${canonical?.hash}. Import it into another --data-path.`
      throw new Fault('IMPORT_REFUSED', { sentence })
    }
    this.#progress = { ...this.#progress, known: this.#progress.known + 1, number: header.number }
    return true
  }

  /** None where one is impossible: the writer finds that too, and says which. */
  #sendersOf({ transactions }: Block): readonly Address[] {
    const { recover, keccak } = this.#crypto
    try {
      return transactions.map((transaction) => recoverSender(transaction, recover, keccak))
    } catch (error) {
      if (error instanceof Fault) return NO_SENDERS
      throw error
    }
  }

  /** Waits for the part before, and not for this one. */
  async #send({ blocks, senders, last }: Part): Promise<void> {
    await this.#underWay
    if (blocks.length === 0) return
    const { validation, onProgress } = this.#run
    this.#underWay = this.#writer.importBlocks({ blocks, senders, validation }).then((answer) => {
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
