/** Inspects the machine for operator tools. It changes nothing except a probe file of its own. */
import { readdirSync, rmSync, type Stats, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import { fileFault } from './files/file-faults.ts'
import { readTextBounded } from './files/files.ts'
import { listenersAt, socketsOf } from './process/port-listener.ts'

const PROC_FILE_MAX_BYTES = 4 * 1024 * 1024
const PERMISSION_BITS = 0o777
const PROBE_BYTES = 4_096
const PROBES = 5

/** Undefined if the file cannot be read, for example on a system other than Linux. */
function readProc(path: string): string | undefined {
  try {
    return readTextBounded(path, PROC_FILE_MAX_BYTES)
  } catch {
    return undefined
  }
}

/** The number of files that a process may open. Node raises its own limit to the hard one. */
export function openFilesLimit(pid: number | 'self'): number | undefined {
  const row = /^Max open files\s+\S+\s+(\S+)/m.exec(readProc(`/proc/${pid}/limits`) ?? '')
  if (row === null) return undefined
  return row[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(row[1])
}

/** The memory limit of this process' control group in bytes, if known. `root` is where control groups are mounted. */
export function memoryCap(root = '/sys/fs/cgroup'): number | undefined {
  const own = /^0::(\/.*)$/m.exec(readProc('/proc/self/cgroup') ?? '')?.[1] ?? '/'
  const files = [
    join(root, own, 'memory.max'),
    join(root, 'memory.max'),
    join(root, 'memory/memory.limit_in_bytes'),
  ]
  const caps = files.flatMap((file) => {
    const bytes = Number.parseInt(readProc(file) ?? '', 10)
    // Version 1 of control groups uses its largest number for "no limit".
    return Number.isSafeInteger(bytes) ? [bytes] : []
  })
  return caps.length === 0 ? undefined : Math.min(...caps)
}

/** Permission bits; undefined if the file does not exist. */
export function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && found.mode & PERMISSION_BITS
}

/** The process that holds a lock on a file, as LevelDB does while it is open; undefined if none is known. */
export function lockHolder(path: string): number | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) return undefined
  const row = new RegExp(`^\\d+: (?:POSIX|FLOCK|OFDLCK)\\s+\\S+\\s+WRITE\\s+(\\d+) \\S+:${file.ino} `, 'gm')
  const pids = Array.from((readProc('/proc/locks') ?? '').matchAll(row), ([, pid]) => Number(pid))
  // A file on another disk may have the same inode number.
  return pids.find((pid) => pid > 0 && hasOpen(pid, file))
}

/** Returns true for a process that this user may not inspect. */
function hasOpen(pid: number, file: Stats): boolean {
  let fds: readonly string[]
  try {
    fds = readdirSync(`/proc/${pid}/fd`)
  } catch {
    return true
  }
  return fds.some((fd) => {
    try {
      const { ino, dev } = statSync(`/proc/${pid}/fd/${fd}`)
      return ino === file.ino && dev === file.dev
    } catch {
      // The file descriptor was closed in the meantime.
      return false
    }
  })
}

/** True if the process listens on a TCP port; undefined if this user may not inspect it. */
export function listensOn(pid: number, port: number): boolean | undefined {
  const own = socketsOf(pid)
  return own && listenersAt(undefined, port, pid).some((inode) => own.has(inode))
}

/** The median time to write and sync a page, in milliseconds. Throws a Fault if the folder is not writable. */
export async function measureSyncMs(folder: string, clock: Clock): Promise<number> {
  const path = join(folder, `.doctor-${process.pid}`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      const times: number[] = []
      for (let probe = 0; probe < PROBES; probe += 1) {
        const startMs = clock.monotonicMs()
        await file.write(Buffer.alloc(PROBE_BYTES, probe), 0, PROBE_BYTES, probe * PROBE_BYTES)
        await file.datasync()
        times.push(clock.monotonicMs() - startMs)
      }
      return times.sort((a, b) => a - b)[Math.floor(PROBES / 2)]!
    } finally {
      await file.close()
      rmSync(path, { force: true })
    }
  } catch (error) {
    throw fileFault('write', path, error)
  }
}

/** True if the address accepts connections. */
export function canReach(host: string, port: number, clock: Clock, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (isReached: boolean): void => {
      timer.cancel()
      socket.destroy()
      resolve(isReached)
    }
    const timer = clock.after(deadlineMs, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
