/** Checks the stored chain for a command that has exclusive access to the ledger. Repairs nothing. */

import { decodeStoredReceipts } from '#chain/block/stored-receipts.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { StoreReader } from '#store/reader.ts'
import { openStateExport } from '#store/snapshot/state-export.ts'
import type { BlockTable } from '#store/store.ts'
import { verifyDatabase } from '#store/tables/verify-tables.ts'
import { checkState } from '#store/upkeep/check-state.ts'
import { decodeBody } from '#types/block/block.ts'
import { blockHashOf, type HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { receiptsRoot, transactionsRoot } from '#types/block/block-roots.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Ledger } from './ledger.ts'

export interface CheckRun {
  readonly log: Log
  readonly fromBlock: number
  readonly signal: AbortSignal
  readonly onProgress: (what: 'files' | 'blocks' | 'accounts', done: number, of: number | undefined) => void
}

export interface CheckResult {
  readonly findings: readonly string[]
  /** The first block that was not checked; undefined if all were. */
  readonly stoppedAt: number | undefined
  readonly head: number
}

/** Findings after which a check ends: more would not change the operator's next step. */
const FINDINGS_MAX = 20
const TURN_BLOCKS = 50

export async function checkLedger({ genesis, writer }: Ledger, run: CheckRun): Promise<CheckResult> {
  const findings: string[] = []
  const report = (finding: string): boolean => findings.push(finding) < FINDINGS_MAX
  await verifyDatabase(writer.path, (done, of) => run.onProgress('files', done, of))
  const keccak = loadFastKeccak()
  const source = await openStateExport({ ...writer, log: run.log })
  try {
    const { reader } = source
    const head = reader.head()
    if (head === undefined) return { findings, stoppedAt: undefined, head: 0 }
    const check = new BlockCheck(reader, blockHashOf(genesis.config.consensus, keccak), keccak)
    for (let number = run.fromBlock; number <= head.number; number++) {
      if (run.signal.aborted || findings.length >= FINDINGS_MAX)
        return { findings, stoppedAt: number, head: head.number }
      for (const finding of check.findings(number)) report(`Block ${number}: ${finding}`)
      run.onProgress('blocks', number, head.number)
      if (number % TURN_BLOCKS === 0) await nextTurn()
    }
    await checkState(source.kv, {
      report,
      onProgress: (accounts) => run.onProgress('accounts', accounts, undefined),
    }).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error
      report(`The state cannot be read: ${error.message}`)
    })
    return { findings, stoppedAt: undefined, head: head.number }
  } finally {
    await source.close()
  }
}

class BlockCheck {
  readonly #reader: StoreReader
  readonly #hashOf: HashBlock
  readonly #keccak: Keccak

  constructor(reader: StoreReader, hashOf: HashBlock, keccak: Keccak) {
    this.#reader = reader
    this.#hashOf = hashOf
    this.#keccak = keccak
  }

  findings(number: number): string[] {
    try {
      return this.#look(number)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return [`it cannot be read: ${error.message}`]
    }
  }

  #look(number: number): string[] {
    const hash = this.#reader.canonicalHash(number)
    if (hash === undefined) return ['it is not in the chain.']
    const encoded = this.#reader.read('header', number, hash)
    if (encoded === undefined) return ['its header is missing.']
    const header = decodeHeader(encoded)
    const findings: string[] = []
    if (this.#hashOf(header) !== hashFromBytes(hash)) findings.push('its header has another hash.')
    if (this.#reader.numberOf(hash) !== number) findings.push('it is not found by its hash.')
    if (number > 0 && !isParent(header, this.#reader.canonicalHash(number - 1)))
      findings.push('it does not follow the block before it.')
    if (number > 0 && number < this.#reader.firstBlock()) return findings
    // The archive verifies its own bytes, and a reader verifies them again.
    if (this.#reader.past.isOutline(number)) return findings
    return [...findings, ...this.#content(number, hash, header)]
  }

  #content(number: number, hash: Uint8Array, header: BlockHeader): string[] {
    const read = (table: BlockTable) => this.#reader.read(table, number, hash)
    const [body, receipts] = [read('body'), read('receipts')]
    const findings: string[] = []
    if (body === undefined) return ['its transactions are missing.']
    const { transactions } = decodeBody(body, this.#keccak)
    if (transactionsRoot(transactions, this.#keccak) !== header.transactionsRoot)
      findings.push('its transactions are others than its header says.')
    for (const [index, transaction] of transactions.entries()) {
      const places = this.#reader.transactions(hashToBytes(transaction.hash))
      if (!places.some((place) => place.number === number && place.index === index))
        findings.push(`its transaction ${transaction.hash} is not found by its hash.`)
    }
    if (number === 0) return findings
    if (receipts === undefined) return [...findings, 'its receipts are missing.']
    const decoded = decodeStoredReceipts(receipts).map((each) => ({
      ...each,
      logsBloom: bloomOfLogs(each.logs),
    }))
    if (receiptsRoot(decoded, this.#keccak) !== header.receiptsRoot)
      findings.push('its receipts are others than its header says.')
    return findings
  }
}

function isParent(header: BlockHeader, parent: Uint8Array | undefined): boolean {
  return parent !== undefined && hashFromBytes(parent) === header.parentHash
}
