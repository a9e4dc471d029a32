// A thread that runs one file at a time and reports the failures in each.
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createLog } from '#platform/log/log.ts'
import { createComparingEngine } from '../trace-compare/comparing-engine.ts'
import { runBlockchainTest } from './chain-test.ts'
import type { FileJob, FileResult } from './run-files.ts'
import { runStateTest } from './state-test.ts'

const MAX_REASONS = 3

interface Case {
  readonly name: string
  readonly run: () => Promise<string | undefined>
}

const engine =
  process.env.CAIRN_TRACE_COMPARE === undefined
    ? await chooseEngine(process.env.CAIRN_ENGINE, createLog({ level: 'ERROR' }))
    : (await createComparingEngine()).engine
const crypto = await loadCrypto()

parentPort?.on('message', async (job: FileJob) => parentPort?.postMessage(await runFile(job)))

async function runFile({ unit, path, form, sample, skip }: FileJob): Promise<FileResult> {
  const cases = [...casesOf(JSON.parse(readFileSync(path, 'utf8')), form)].filter(
    ({ name }) => (sample === 1 || !skip.includes(name)) && hash(`${unit} ${name}`) % sample === 0,
  )
  const reasons: string[] = []
  let failed = 0
  for (const { name, run } of cases) {
    const reason = await run().catch(
      (error: unknown) => `threw ${error instanceof Error ? error.stack : error}`,
    )
    if (reason === undefined) continue
    if (++failed <= MAX_REASONS) reasons.push(`${name}: ${reason}`)
  }
  return { unit, cases: cases.length, failed, reasons }
}

function* casesOf(file: Record<string, never>, form: FileJob['form']): Generator<Case> {
  for (const [test, content] of Object.entries(file)) {
    if (form === 'blockchain') {
      yield { name: test, run: () => runBlockchainTest(engine, crypto, content) }
      continue
    }
    const { post } = content as Parameters<typeof runStateTest>[2]
    for (const [fork, posts] of Object.entries(post)) {
      for (const expected of posts) {
        const { data, gas, value } = expected.indexes
        const name = `${test} ${fork} ${data}/${gas}/${value}`
        yield { name, run: () => runStateTest(engine, crypto, content, fork, expected) }
      }
    }
  }
}

/** FNV-1a: the same sample in every run. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}
