import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { CHECKOUT } from './copy-checkout.ts'

export const PROGRAM = join(CHECKOUT, 'bin', 'cairn')

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the real program to its end. */
export function cairn(
  args: readonly string[],
  options: { cwd?: string; input?: string; program?: string } = {},
): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [options.program ?? PROGRAM, ...args], {
    cwd: options.cwd,
    input: options.input ?? '',
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: status, stdout, stderr }
}

/** A directory for one test, removed afterwards. */
export function temporaryDirectory(context: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-process-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
