import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { HAS_STRACE, traceScript } from './system-calls.ts'

/** The gate fails without the tool; other runs print what they skip, and why. */
export const NO_TRACE =
  !HAS_STRACE && process.env.CI === undefined && 'strace is not installed (in Debian: strace)'

/** A memory file system is faster, and only the requests to sync matter, not the disk. */
const QUICK = '/dev/shm'

interface Traced {
  readonly trace: string
  /** The program's directory, empty at the start. */
  readonly root: string
  /** A folder for other files of the test. */
  readonly folder: string
}

/** Runs one of the recorders. */
export function traced(context: TestContext, recorder: string, args: readonly string[]): Traced {
  const folder = realpathSync(mkdtempSync(join(existsSync(QUICK) ? QUICK : tmpdir(), 'cairn-power-')))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'root')
  mkdirSync(root)
  const trace = join(folder, 'trace')
  traceScript(join(import.meta.dirname, 'recorders', `${recorder}.ts`), [root, ...args], trace)
  return { trace, root, folder }
}
