/** A ledger with segments on disk, as commands open it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { GENESIS_TEXT, openTestChain } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { allAnswers, growChain, moverOf } from '#chain/write/move-history.fixture.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import type { InspectedSegment } from '#store/segments/inspect-segments.ts'
import { openSegment } from '#store/segments/past-blocks.ts'
import type { StorageFormat } from '#store/store.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { inspectHistory } from './history.ts'
import type { Ledger } from './ledger.ts'

export const NEVER = new AbortController().signal

export async function openIn(path: string): Promise<Chain> {
  return openTestChain({}, await openLevelKv(path, { createIfMissing: true }))
}

export function ledgerAt(path: string, format: StorageFormat): Ledger {
  const verdict = parseGenesis(GENESIS_TEXT)
  assert.ok(verdict.ok)
  const writer = { path, historyBlocks: 512, ledger: { dataStorageFormat: format } }
  return { genesis: verdict.genesis, writer: writer as unknown as WriterConfig }
}

/** Fills a directory with a chain of 38 blocks with the segments 0 to 7, 8 to 15, 16 to 23 and 24 to 31. */
export async function fillLedger(path: string): Promise<{ ledger: Ledger; answers: string[] }> {
  const chain = await openIn(path)
  await growChain(chain, 38)
  const answers = await allAnswers(chain.store)
  await moverOf(chain).moveAll()
  const { format } = chain.store
  await chain.close()
  return { ledger: ledgerAt(path, format), answers }
}

export async function makeLedger(
  t: TestContext,
): Promise<{ ledger: Ledger; path: string; answers: string[] }> {
  const path = mkdtempSync(join(tmpdir(), 'cairn-history-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return { path, ...(await fillLedger(path)) }
}

export async function inspect(ledger: Ledger, isVerified: boolean): Promise<InspectedSegment[]> {
  return Array.fromAsync(
    inspectHistory(ledger, isVerified ? { signal: NEVER, onBytes: () => {} } : undefined),
  )
}

/** The offset of the last chunk of a segment, a page of an index. */
export function lastChunkIn(path: string): number {
  const segment = openSegment(path)
  try {
    return [...segment.verify()].at(-1)!.offset
  } finally {
    segment.close()
  }
}
