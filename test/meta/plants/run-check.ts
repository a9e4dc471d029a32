/** Runs a plant's check in a copy of the checkout and reports how it ended. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { packFolder } from '../../conformance/pack.ts'

/** The limit of a check without a mistake, on a busy machine. */
export const CLEAN_LIMIT_MS = 900_000
const SIMULATE = 'simulate '
const CONFORMANCE = 'conformance '
const KEPT_CHARS = 4_000

/**
 * `passed`; `failed`: one of its checks failed; `hung`: terminated after the limit; `broken`: nothing was checked,
 * because the program did not load.
 */
export type CheckResult = {
  readonly result: 'passed' | 'failed' | 'hung' | 'broken'
  readonly output: string
}

/** A mistake may make a test wait forever, which is noticed too. */
export function runCheck(check: string, folder: string, limitMs: number): Promise<CheckResult> {
  const args = argsOf(check)
  // A test runner inside a test runner reports to the outer one and prints nothing itself.
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
      // Kills its children too, because a test may have started a node.
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
  // Unit tests share a process, as in the gate.
  const isolation = files.every((file) => file.startsWith('src/')) ? ['--test-isolation=none'] : []
  // A failed test may leave a node running.
  return ['--test', '--test-force-exit', '--test-reporter=tap', ...isolation, ...files]
}

/**
 * True if a test, the simulator or a suite found the mistake; a file that cannot be loaded fails without checking
 * anything.
 */
function isJudged(check: string, output: string): boolean {
  if (check.startsWith(SIMULATE)) return /violations [1-9]|not caught/.test(output)
  if (check.startsWith(CONFORMANCE)) return /^conformance: \d+ passed, [1-9]\d* failed$/m.test(output)
  return /^# Subtest: (?!.*\.test\.ts$)/m.test(output)
}
