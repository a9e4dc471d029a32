/**
 * Writes a ledger under strace, and records each acknowledgement in the marks file at once. Arguments: folder,
 * format, seed.
 */
import { join } from 'node:path'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { StorageFormat } from '#store/store.ts'
import { StoreScript } from '../store-script.ts'
import { openMarks } from './marks.ts'

const [folder, format, seed] = process.argv.slice(2) as [string, StorageFormat, string]
const mark = openMarks(folder)
const script = new StoreScript(createSeededRandom(Number(seed)))
const store = await script.open(join(folder, 'database'), format)
mark({ step: -1 })
for (let step = 0; step < script.steps.length; step++) {
  await script.perform(store, step)
  mark({ step })
}
await store.close()
mark({ step: script.steps.length - 1 })
