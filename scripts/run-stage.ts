import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stage } from './stages.ts'

export interface Tally {
  readonly passed: number
  readonly failed: number
  /** Tests that this machine cannot run. */
  readonly skipped: number
  /** Reasons for the failure that no test reports. */
  readonly problems: readonly string[]
  /** Details about the failed and skipped tests, for people. */
  readonly remarks: string
}

interface Ending {
  readonly code: number
  /** Standard output, then standard error. */
  readonly output: string
  /** The test runner's report; empty if there is none. */
  readonly tap: string
}

const GUARD = join(import.meta.dirname, 'end-guard.ts')
/**
 * Nodes that tests start read it from the environment. Otherwise each of their threads strips and compiles hundreds of
 * files, which costs more than most such tests do.
 */
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache')
const BINARIES = join(import.meta.dirname, '..', 'node_modules', '.bin')

/**
 * The longest stage takes ten minutes on two cores. One that hangs must fail instead of preventing the gate's closing
 * line.
 */
const STAGE_MAX_MS = 20 * 60_000

type Show = (text: string) => void

/** Runs a stage in a folder: the checkout, unless a test plants a mistake in another. */
export async function runStage(stage: Stage, cwd: string, show: Show, maxMs = STAGE_MAX_MS): Promise<Tally> {
  const problems = patternsWithoutFile(stage, cwd).map((pattern) => `no file matches ${pattern}`)
  const folder = mkdtempSync(join(tmpdir(), 'cairn-stage-'))
  try {
    const tally = tallyOf(stage, await run(stage, cwd, join(folder, 'report.tap'), show, maxMs))
    show(tally.remarks)
    return { ...tally, problems: [...problems, ...tally.problems] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The test runner does not report a pattern without a file if another pattern has one. */
function patternsWithoutFile(stage: Stage, cwd: string): string[] {
  if (stage.counts !== 'test runner') return []
  return filesOf(stage).filter((pattern) => globSync(pattern, { cwd }).length === 0)
}

/** The files of a stage that runs tests, as patterns. */
export function filesOf(stage: Stage): string[] {
  return stage.args.filter((arg) => !arg.startsWith('--'))
}

async function run(stage: Stage, cwd: string, report: string, show: Show, maxMs: number): Promise<Ending> {
  const reporters = [
    `--import=${GUARD}`,
    '--test-reporter=dot',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${report}`,
  ]
  const args = stage.counts === 'test runner' ? [...reporters, ...stage.args] : stage.args
  const { code, output } = await spawnShown(stage, args, cwd, show, maxMs)
  return { code, output, tap: existsSync(report) ? readFileSync(report, 'utf8') : '' }
}

function spawnShown(stage: Stage, args: readonly string[], cwd: string, show: Show, maxMs: number) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    // Tests of the stages run inside a test, and the outer runner's variable would turn the inner runner into its child.
    const { NODE_TEST_CONTEXT, ...inherited } = process.env
    const child = spawn(stage.command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { NODE_COMPILE_CACHE, ...inherited, PATH: `${BINARIES}:${process.env.PATH}`, ...stage.env },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      show(chunk.toString())
    })
    const errors: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => {
      errors.push(chunk)
      show(chunk.toString())
    })
    child.on('error', (error) => {
      show(`${stage.command} does not start: ${error.message}\n`)
      resolve({ code: 1, output: '' })
    })
    const limit = setTimeout(() => {
      show(`\n${stage.name} did not end within ${maxMs / 1000} s and is killed.\n`)
      child.kill('SIGKILL')
      // Its own children may hold them open.
      child.stdout.destroy()
      child.stderr.destroy()
    }, maxMs)
    child.on('close', (code) => {
      clearTimeout(limit)
      resolve({ code: code ?? 1, output: Buffer.concat([...chunks, ...errors]).toString() })
    })
  })
}

/**
 * The result of a stage. A stage that ends with an error, or without its closing line, has failed regardless of its
 * counts.
 */
export function tallyOf(stage: Stage, ending: Ending): Tally {
  const tally = countsOf(stage, ending)
  const problems = [
    ...tally.problems,
    ...(ending.code !== 0 && tally.failed === 0 ? exitProblems(ending) : []),
    ...(ending.code === 0 && tally.passed === 0 ? ['nothing passed'] : []),
  ]
  return { ...tally, problems }
}

const SHOWN_ERRORS = 5
const SHOWN_CHARACTERS = 300

/** The summary repeats the errors that the program printed: a reader of a long log may have nothing but its end. */
function exitProblems({ code, output }: Ending): string[] {
  const errors = output.match(/^(?:Uncaught )?\w*Error\b.*$/gm) ?? []
  const shown = errors.slice(0, SHOWN_ERRORS).map((line) => line.slice(0, SHOWN_CHARACTERS))
  return [`ended with exit code ${code}`, ...shown]
}

function countsOf(stage: Stage, { code, output, tap }: Ending): Tally {
  switch (stage.counts) {
    case 'exit code': {
      const skipped = output.match(/^skipped: .*$/gm) ?? []
      const passed = code === 0 ? 1 : 0
      const remarks = skipped.map((line) => `${line}\n`).join('')
      return { ...NOTHING, passed, skipped: skipped.length, problems: tooLittleWork(stage, output), remarks }
    }
    case 'test runner':
      return countTap(tap)
    case 'conformance': {
      const total = output.match(/^conformance: (\d+) passed, (\d+) failed$/m)
      if (total === null) return { ...NOTHING, problems: ['there is no closing line of the runner'] }
      return { ...NOTHING, passed: Number(total[1]), failed: Number(total[2]) }
    }
  }
}

const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0, problems: [], remarks: '' }

/** A program that succeeds without doing anything has shown nothing. */
function tooLittleWork({ work }: Stage, output: string): string[] {
  if (work === undefined) return []
  const done = [...output.matchAll(work.line)].reduce((sum, [, number]) => sum + Number(number), 0)
  return done >= work.least ? [] : [`it did ${done} of what ${work.line} counts; at least ${work.least}`]
}

function countTap(tap: string): Tally {
  const count = (word: string) => Number(tap.match(new RegExp(`^# ${word} (\\d+)$`, 'm'))?.[1] ?? 0)
  const failing = tap.match(/^ *not ok .*\n( *---\n[\s\S]*?\n *\.\.\.)?/gm) ?? []
  const skipped = (tap.match(/^ *ok .*# SKIP.*$/gm) ?? []).map((line) => `skipped: ${line.trim()}`)
  const problems = [
    ...(/^# tests \d+$/m.test(tap) ? [] : ['the test runner gave no closing line']),
    // A test marked as to do passes regardless of its result.
    ...(tap.match(/^ *not ok .*# TODO.*$/gm) ?? []).map((line) => line.trim()),
  ]
  const failed = count('fail') + count('cancelled')
  const remarks = [...failing, ...skipped].map((line) => `${line}\n`).join('')
  return { passed: count('pass'), failed, skipped: count('skipped'), problems, remarks }
}
