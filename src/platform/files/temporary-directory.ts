import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { isOwn } from './files.ts'

export interface TemporaryDirectory {
  readonly path: string
  /** With all that is in it. */
  remove(): void
}

/** Whoever makes a directory takes it into use well within this. */
const ABANDONED_AFTER_MS = 60_000
const OTHERS_WRITE = 0o022

/** A new, empty directory where the system keeps what may be lost. Its name says which process made it. */
export function createTemporaryDirectory(prefix: string): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Removes those of processes that are no more. `isFree` has the last word: processes of other containers are not seen. A
 * directory that another user made or can write is never opened: links in it could name any file of this user.
 */
export async function removeAbandoned(
  prefix: string,
  isFree: (path: string) => Promise<boolean>,
): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const maker = makerOf(name, prefix)
    if (maker === undefined || isRunning(maker)) continue
    const path = join(tmpdir(), name)
    try {
      const found = lstatSync(path)
      if (!found.isDirectory() || !isOwn(found) || (found.mode & OTHERS_WRITE) !== 0) continue
      const ageMs = systemClock.wallMs() - found.mtimeMs
      if (ageMs > ABANDONED_AFTER_MS && (await isFree(path))) rmSync(path, { recursive: true, force: true })
    } catch {
      // Somebody else's, or removed meanwhile: nobody waits for it.
    }
  }
}

/** The process that made what has this name; undefined: it is no such name. */
function makerOf(name: string, prefix: string): number | undefined {
  const maker = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
  return maker === undefined ? undefined : Number(maker)
}

/** Whether a process of this machine, or of this container, has that id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
