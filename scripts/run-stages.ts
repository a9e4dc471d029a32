// Runs the stages named on the command line ('check' or 'all') and ends with one line `N passed, N failed`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL, CHECK, type Stage } from './stages.ts'

interface Tally {
  readonly passed: number
  readonly failed: number
}

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'cairn-stages-'))

async function runStage(stage: Stage, index: number): Promise<Tally> {
  console.log(`\n== ${stage.name}`)
  const report = join(folder, `${index}.tap`)
  const { code, output } = await run(stage, report)
  const tally = tallyOf(stage, code, output, report)
  // A runner that counts no failure but ends badly (a crash, a leaked handle) has failed all the same.
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally
}

function run(stage: Stage, report: string): Promise<{ code: number; output: string }> {
  const [first, ...rest] = stage.args
  const reporters = [
    '--test-reporter=dot',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${report}`,
  ]
  const args = stage.counts === 'test runner' ? [first!, ...reporters, ...rest] : stage.args
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`
  return new Promise((resolve, reject) => {
    const child = spawn(stage.command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PATH: path, ...stage.env },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      process.stdout.write(chunk)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }))
  })
}

function tallyOf(stage: Stage, code: number, output: string, report: string): Tally {
  switch (stage.counts) {
    case 'exit code':
      return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
    case 'test runner': {
      const tap = readFileSync(report, 'utf8')
      const count = (word: string) => Number(tap.match(new RegExp(`^# ${word} (\\d+)$`, 'm'))?.[1] ?? 0)
      if (count('fail') + count('cancelled') > 0) console.log(failures(tap))
      const skipped = tap.match(/^ *ok .*# SKIP.*$/gm) ?? []
      for (const line of skipped) console.log(`skipped: ${line.trim()}`)
      return { passed: count('pass'), failed: count('fail') + count('cancelled') }
    }
    case 'conformance': {
      const total = output.match(/^conformance: (\d+) passed, (\d+) failed$/m)
      return { passed: Number(total?.[1] ?? 0), failed: Number(total?.[2] ?? 1) }
    }
  }
}

/** The failing tests of a TAP report, each with its explanation. */
function failures(tap: string): string {
  return (tap.match(/^ *not ok .*\n( *---\n[\s\S]*?\n *\.\.\.)?/gm) ?? []).join('\n')
}

const stages = process.argv[2] === 'all' ? ALL : CHECK
const begun = performance.now()
const rows: string[] = []
let sum: Tally = { passed: 0, failed: 0 }
for (const [index, stage] of stages.entries()) {
  const start = performance.now()
  const { passed, failed } = await runStage(stage, index)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  rows.push(`${stage.name.padEnd(20)} ${seconds.padStart(7)} s  ${passed} passed, ${failed} failed.`)
  sum = { passed: sum.passed + passed, failed: sum.failed + failed }
}
rmSync(folder, { recursive: true })
console.log(
  `\n${rows.join('\n')}\n${'total'.padEnd(20)} ${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s\n`,
)
console.log(`${sum.passed} passed, ${sum.failed} failed`)
process.exitCode = sum.failed === 0 ? 0 : 1
