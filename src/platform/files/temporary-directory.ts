import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { isOwn } from './files.ts'

export interface TemporaryDirectory {
  readonly path: string
  /** Removes the directory and its content. */
  remove(): void
}

/** Longer than any process needs to start using its new directory. */
const ABANDONED_AFTER_MS = 60_000
const OTHERS_WRITE = 0o022

/** Creates an empty directory in the system's temporary folder. Its name contains the process id. */
export function createTemporaryDirectory(prefix: string): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Removes directories of processes that have ended. `isFree` decides last, because processes in other containers are not
 * visible. A directory that another user created or can write is never opened: links in it could point to any file of
 * this user.
 */
export async function removeAbandoned(
  prefix: string,
  isFree: (path: string) => Promise<boolean>,
): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const owner = ownerOf(name, prefix)
    if (owner === undefined || isRunning(owner)) continue
    const path = join(tmpdir(), name)
    try {
      const found = lstatSync(path)
      if (!found.isDirectory() || !isOwn(found) || (found.mode & OTHERS_WRITE) !== 0) continue
      const ageMs = systemClock.wallMs() - found.mtimeMs
      if (ageMs > ABANDONED_AFTER_MS && (await isFree(path))) rmSync(path, { recursive: true, force: true })
    } catch {
      // The directory belongs to another user or was removed meanwhile. No one waits for it.
    }
  }
}

/** The process id in the name; undefined if the name has another form. */
function ownerOf(name: string, prefix: string): number | undefined {
  const owner = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
  return owner === undefined ? undefined : Number(owner)
}

/** True if the process runs on this machine or in this container. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
