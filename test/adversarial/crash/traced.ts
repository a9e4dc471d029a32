import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { HAS_STRACE, traceScript } from './system-calls.ts'

/** The gate has the tool, or fails; elsewhere a person sees what is left out, and why. */
export const NO_TRACE =
  !HAS_STRACE && process.env.CI === undefined && 'strace is not installed (in Debian: strace)'

/** What counts is what was asked to be synced, not whether this disk does it: memory is quicker. */
const QUICK = '/dev/shm'

interface Traced {
  readonly trace: string
  /** Where the program worked; empty before. */
  readonly root: string
  /** For whatever else the test writes. */
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
