/*
 * Cuts the power before and after any sync of the store, on a disk that loses or tears unsynced data. The store must open,
 * contain all acknowledged data, be complete, and continue. The syncs are read from the system calls of a program that
 * writes the store.
 *
 * CAIRN_CRASH_SEED repeats a run; CAIRN_CRASH_CUTS sets the number of cuts (npm run nightly -- crash: 2000).
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { StorageFormat } from '#store/store.ts'
import { Fault } from '#types/fault.ts'
import type { Disk } from './disk.ts'
import { replayTrace } from './replay.ts'
import { HISTORY_BLOCKS, StoreScript } from './store-script.ts'
import { NO_TRACE, traced } from './traced.ts'

const CUTS = Number(process.env.CAIRN_CRASH_CUTS ?? 60)
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)

/**
 * Returns undefined for a cut before the store was first open: the store refuses it as damaged, and nothing was
 * acknowledged.
 */
async function openCut(script: StoreScript, path: string, format: StorageFormat, wasOpen: boolean) {
  try {
    return await script.open(path, format)
  } catch (error) {
    if (!wasOpen && error instanceof Fault && error.kind === 'STORE_CORRUPT') return undefined
    throw error
  }
}

/** Leaves out LevelDB's log file for people. */
function unsyncedOf(disk: Disk, names: RegExp): string[] {
  return disk.unsynced().filter((name) => name !== 'database/LOG' && names.test(name))
}

for (const format of ['BONSAI', 'FOREST'] satisfies StorageFormat[]) {
  test(`after ${CUTS / 2} power cuts the store is complete every time (${format}, CAIRN_CRASH_SEED=${SEED})`, {
    skip: NO_TRACE,
  }, async (context) => {
    const { trace, root, folder } = traced(context, 'store', [format, `${SEED}`])
    const random = createSeededRandom(SEED + 1)
    let moments = 0
    for await (const _ of replayTrace(trace, root)) moments++
    const chosen = new Map<number, number>()
    for (let cut = 0; cut < CUTS / 2; cut++) {
      const moment = random.randomBelow(moments)
      chosen.set(moment, (chosen.get(moment) ?? 0) + 1)
    }
    let index = 0
    let ahead = 0
    let cuts = 0
    for await (const { disk, marks, place } of replayTrace<{ step: number }>(trace, root)) {
      const { step } = marks.at(-1) ?? { step: undefined }
      for (let times = chosen.get(index++) ?? 0; times > 0; times--) {
        const path = join(folder, 'cut')
        rmSync(path, { recursive: true, force: true })
        disk.cut(random, path, (name) => name.endsWith('.log'))
        cuts++
        try {
          const script = new StoreScript(createSeededRandom(SEED))
          const store = await openCut(script, join(path, 'database'), format, step !== undefined)
          if (store === undefined) continue
          const found = script.require(store, step ?? -1)
          ahead += found - (step ?? -1)
          await script.goOn(store, found)
          await store.close()
        } catch (error) {
          throw new Error(`cut ${cuts}, ${place}, after step ${step}`, { cause: error })
        }
      }
      if (place !== 'at a mark') continue
      if (step === -1) assert.deepEqual(unsyncedOf(disk, /./), [], 'unsynced data after the store was opened')
      // The removal of old states is not synced.
      const isPruning = format === 'BONSAI' && marks.length > HISTORY_BLOCKS
      if (!isPruning) assert.deepEqual(unsyncedOf(disk, /\.log$/), [], `step ${step} is done but not synced`)
    }
    context.diagnostic(`${ahead} of ${cuts} cuts at ${moments} moments kept the unfinished step`)
  })
}
