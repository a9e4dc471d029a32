/*
 * Kills the real program at random moments while it imports a chain of 500 blocks. After every kill the database opens,
 * its head block is complete, and the import continues to the end.
 *
 * CAIRN_CRASH_SEED repeats a run; CAIRN_CRASH_KILLS sets the number of kills (npm run nightly -- crash: 500).
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPack } from '../../conformance/pack.ts'
import { PROGRAM, temporaryDirectory } from '../../support/program.ts'
import { requireWholeHead } from '../../support/whole-head.ts'

const KILLS = Number(process.env.CAIRN_CRASH_KILLS ?? 8)
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
const HEAD = 500
/** The program's output when the import begins; earlier kills would only test its start. */
const BEGINS = 'The chain is at block'

const pack = openPack()

test(`an import that is killed ${KILLS} times continues every time (CAIRN_CRASH_SEED=${SEED})`, {
  skip: pack === undefined && 'there is no conformance pack',
}, async (context) => {
  const folder = pack!.path('chains/snap')
  const random = createRandom(SEED)
  const wholeMs = await importFor(folder, temporaryDirectory(context), undefined)
  let data = temporaryDirectory(context)
  const heads: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await importFor(folder, data, random() * wholeMs * 0.8)
    const head = await requireWholeHead(data, folder)
    heads.push(head)
    // The import is complete: start again, so the next kills hit a running import.
    if (head === HEAD) data = temporaryDirectory(context)
  }
  await importFor(folder, data, undefined)
  assert.equal(await requireWholeHead(data, folder), HEAD)
  context.diagnostic(`heads after the kills: ${heads.join(' ')}`)
})

/** Kills the import after this time, if given, and returns how long it ran. */
async function importFor(folder: string, data: string, killAfterMs: number | undefined): Promise<number> {
  const args = [`--data-path=${data}`, `--genesis-file=${join(folder, 'genesis.json')}`, '--logging=ERROR']
  const command = ['blocks', 'import', '--skip-pow-validation-enabled', join(folder, 'blocks.bin')]
  const child = spawn(process.execPath, [PROGRAM, ...args, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  let beganAt = 0
  let timer: NodeJS.Timeout | undefined
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
    if (beganAt !== 0 || !said.includes(BEGINS)) return
    beganAt = performance.now()
    if (killAfterMs !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  assert.ok(
    code === 0 || (code === null && killAfterMs !== undefined),
    `the import ended with ${code}: ${said}`,
  )
  return performance.now() - beganAt
}

/** mulberry32: a small seeded generator, good enough to choose times. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
