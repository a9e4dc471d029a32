/** A writer thread on the test network, in its own folder; stopped and removed after the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { GENESIS_TEXT, silentLog } from '#chain/chain.fixture.ts'
import { ledgerOptions } from '#chain/options.ts'
import { defaultsOf } from '#config/option.ts'
import { systemClock } from '#platform/clock.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import type { WriterConfig } from './writer-protocol.ts'
import { type ChainWriter, startWriterThread } from './writer-thread.ts'

export async function startTestWriter(
  context: TestContext,
  changes: Partial<WriterConfig> = {},
): Promise<{ readonly writer: ChainWriter; readonly config: WriterConfig }> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-writer-'))
  const config: WriterConfig = {
    genesisText: GENESIS_TEXT,
    headerRulesModule: undefined,
    path: join(folder, 'database'),
    isDevelopment: false,
    historyBlocks: 512,
    ledger: defaultsOf(ledgerOptions),
    engine: 'js',
    ...changes,
  }
  const parts = { threads: silentThreads(), clock: systemClock, log: silentLog }
  const writer = await startWriterThread(config, parts)
  context.after(async () => {
    await writer.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { writer, config }
}
