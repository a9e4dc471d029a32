import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryDirectory {
  readonly path: string
  /** With all that is in it. */
  remove(): void
}

/** A new, empty directory where the system keeps what may be lost. */
export function createTemporaryDirectory(prefix: string): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), prefix))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
