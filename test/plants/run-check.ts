/** Runs the check of a plant in a copy of the checkout and says how it ended. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { packFolder } from '../conformance/pack.ts'

/** Of a check without a mistake, on a machine that has other work. */
export const CLEAN_LIMIT_MS = 900_000
const SIMULATE = 'simulate '
const CONFORMANCE = 'conformance '
const KEPT_CHARS = 4_000

/**
 * `passed`; `failed`: a check of its own said no; `hung`: ended after the limit; `broken`: nothing was checked, because the
 * program did not even load.
 */
export type CheckResult = {
  readonly result: 'passed' | 'failed' | 'hung' | 'broken'
  readonly output: string
}

/** A mistake may make a test wait for ever: that is noticed too. */
export function runCheck(check: string, folder: string, limitMs: number): Promise<CheckResult> {
  const args = argsOf(check)
  // A runner of tests inside a runner of tests reports to the outer one, and says nothing itself.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, CAIRN_CONFORMANCE: packFolder(), NODE_COMPILE_CACHE: join(folder, '.compile-cache') },
  })
  let output = ''
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-KEPT_CHARS * 50)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      // With its children: a test may have started a node.
      process.kill(-child.pid!, 'SIGKILL')
    }, limitMs)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      const result = isLate ? 'hung' : code === 0 ? 'passed' : isJudged(check, output) ? 'failed' : 'broken'
      resolve({ result, output: output.slice(-KEPT_CHARS) })
    })
  })
}

function argsOf(check: string): string[] {
  const isBy = (program: string) => check.startsWith(program)
  if (isBy(SIMULATE)) return ['test/simulation/main.ts', ...check.slice(SIMULATE.length).split(' ')]
  if (isBy(CONFORMANCE)) return ['test/conformance/main.ts', ...check.slice(CONFORMANCE.length).split(' ')]
  const files = check.split(' ')
  // As the gate runs them: unit tests share a process.
  const isolation = files.every((file) => file.startsWith('src/')) ? ['--test-isolation=none'] : []
  // A test that fails may leave a node running.
  return ['--test', '--test-force-exit', '--test-reporter=tap', ...isolation, ...files]
}

/** Whether a test, the simulator or a suite found the mistake; a file that cannot be loaded fails without having looked. */
function isJudged(check: string, output: string): boolean {
  if (check.startsWith(SIMULATE)) return /violations [1-9]|not caught/.test(output)
  if (check.startsWith(CONFORMANCE)) return /^conformance: \d+ passed, [1-9]\d* failed$/m.test(output)
  return /^# Subtest: (?!.*\.test\.ts$)/m.test(output)
}
