/**
 * Identifies the process that a file refers to. The system reuses process ids, so a file that outlives its process soon
 * refers to another one. A process is identified by id and start time, or by its command line if an older program wrote
 * only the id.
 */
import { execFileSync } from 'node:child_process'
import { readTextBounded } from '#platform/files/files.ts'

const MAX_IDENTITY_BYTES = 128
const MAX_PROC_BYTES = 4 * 1024 * 1024
const IDENTITY = /^([1-9]\d{0,9})\s*(?:start:([^\n]{1,64}))?\s*$/
/** Position of the start time in /proc/PID/stat after the command name, which may contain any character. */
const STAT_START = 19
const isLinux = process.platform === 'linux'

export interface ProcessIdentity {
  readonly pid: number
  /** If undefined, the file contains only the process id. */
  readonly start: string | undefined
}

/** The text of a file that names a process. Its first line is the id, for scripts. */
export function identityText(pid: number): string {
  return `${pid}\nstart:${startOf(pid) ?? 'unknown'}\n`
}

/** Undefined if the file is missing or does not name a process. */
export function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    const [, pid, start] = IDENTITY.exec(readTextBounded(file, MAX_IDENTITY_BYTES)) ?? []
    return pid === undefined ? undefined : { pid: Number(pid), start }
  } catch {
    return undefined
  }
}

/** True if that process still runs. Without a start time, its command line must pass `isMeant`. */
export function isAlive({ pid, start }: ProcessIdentity, isMeant: (words: readonly string[]) => boolean) {
  if (start !== undefined) return startOf(pid) === start
  const words = commandWords(pid)
  return words !== undefined && isMeant(words)
}

/** The start time of a process in the system's units; undefined if it does not run or is a zombie. */
export function startOf(pid: number): string | undefined {
  try {
    if (!isLinux) return ps(pid, 'lstart=')
    const stat = readTextBounded(`/proc/${pid}/stat`, MAX_PROC_BYTES)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[STAT_START]
  } catch {
    return undefined
  }
}

/** The words of the command line; undefined if there is no such process. */
export function commandWords(pid: number): readonly string[] | undefined {
  try {
    return isLinux
      ? readTextBounded(`/proc/${pid}/cmdline`, MAX_PROC_BYTES).split('\0')
      : ps(pid, 'command=').split(' ')
  } catch {
    return undefined
  }
}

function ps(pid: number, column: string): string {
  return execFileSync('ps', ['-o', column, '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}
