/** What the machine grants this program and others, as an operator's tool looks at it. Nothing here changes anything but a file of its own. */
import { readdirSync, rmSync, type Stats, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import { fileFault } from './files/file-faults.ts'
import { readTextBounded } from './files/files.ts'
import { socketsOf } from './process/port-listener.ts'

const PROC_FILE_MAX_BYTES = 4 * 1024 * 1024
const PERMISSION_BITS = 0o777
const PROBE_BYTES = 4_096
const PROBES = 5

/** Where nothing is known, such as on another system than Linux, undefined. */
function readProc(path: string): string | undefined {
  try {
    return readTextBounded(path, PROC_FILE_MAX_BYTES)
  } catch {
    return undefined
  }
}

/** How many files a process may have open. Node raises its own limit to the hard one. */
export function openFilesLimit(pid: number | 'self'): number | undefined {
  const row = /^Max open files\s+\S+\s+(\S+)/m.exec(readProc(`/proc/${pid}/limits`) ?? '')
  if (row === null) return undefined
  return row[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(row[1])
}

/** Bytes that the control group of this process may use; undefined: no cap is known. `root` is where groups are mounted. */
export function memoryCap(root = '/sys/fs/cgroup'): number | undefined {
  const own = /^0::(\/.*)$/m.exec(readProc('/proc/self/cgroup') ?? '')?.[1] ?? '/'
  const files = [
    join(root, own, 'memory.max'),
    join(root, 'memory.max'),
    join(root, 'memory/memory.limit_in_bytes'),
  ]
  const caps = files.flatMap((file) => {
    const bytes = Number.parseInt(readProc(file) ?? '', 10)
    // The first generation says "no cap" by the largest number it has.
    return Number.isSafeInteger(bytes) ? [bytes] : []
  })
  return caps.length === 0 ? undefined : Math.min(...caps)
}

/** Permission bits; undefined: there is no such file. */
export function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && found.mode & PERMISSION_BITS
}

/** The process that holds a lock on a file, as LevelDB does for as long as it is open; undefined: none that is known. */
export function lockHolder(path: string): number | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) return undefined
  const row = new RegExp(`^\\d+: (?:POSIX|FLOCK|OFDLCK)\\s+\\S+\\s+WRITE\\s+(\\d+) \\S+:${file.ino} `, 'gm')
  const pids = Array.from((readProc('/proc/locks') ?? '').matchAll(row), ([, pid]) => Number(pid))
  // Another disk may have a locked file with the same number.
  return pids.find((pid) => pid > 0 && hasOpen(pid, file))
}

/** A process that this user may not look at is taken to have it open. */
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
      // It was closed meanwhile.
      return false
    }
  })
}

/** Whether a process listens on a TCP port; undefined: this user may not know. */
export function listensOn(pid: number, port: number): boolean | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const row = new RegExp(`^\\s*\\d+: [0-9A-F]+:${hex} [0-9A-F]+:0000 0A (?:\\S+ +){5}(\\d+)`, 'gm')
  const tables = ['tcp', 'tcp6'].map((name) => readProc(`/proc/${pid}/net/${name}`) ?? '')
  const sockets = new Set(tables.flatMap((table) => Array.from(table.matchAll(row), ([, inode]) => inode!)))
  const own = socketsOf(pid)
  return own && !own.isDisjointFrom(sockets)
}

/** The median of a few writes of a page to a new file in a folder, in milliseconds. Throws a Fault where that cannot be. */
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

/** Whether somebody accepts connections there. */
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
