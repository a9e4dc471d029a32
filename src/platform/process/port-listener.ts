/** Checks which process listens on a local port before a secret is sent there. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { readTextBounded } from '#platform/files/files.ts'

const MAX_TABLE_BYTES = 64 * 1024 * 1024
const LISTENING = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A (?:\S+ +){5}(\d+)/gm
const WILDCARDS = ['0'.repeat(8), '0'.repeat(32)]

/**
 * True if the process is the only one that could accept a connection to this address; undefined if this user may not
 * inspect it.
 */
export function isSoleListener(pid: number, host: string, port: number): boolean | undefined {
  if (process.platform !== 'linux') return isListedListener(pid, port)
  const sockets = listenersAt(host, port)
  const own = socketsOf(pid)
  if (own === undefined) return undefined
  return sockets.length > 0 && sockets.every((inode) => own.has(inode))
}

/** Inodes of the sockets that listen on a port, as process `pid` sees the network. Without `host`, on any address. */
export function listenersAt(
  host: string | undefined,
  port: number,
  pid: number | 'self' = 'self',
): readonly string[] {
  const addresses = host === undefined ? undefined : addressesOf(host)
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return ['tcp', 'tcp6'].flatMap((name) =>
    [...table(name, pid).matchAll(LISTENING)]
      .filter(([, address, at]) => at === hexPort && (addresses?.includes(address!) ?? true))
      .map(([, , , inode]) => inode!),
  )
}

function table(name: string, pid: number | 'self'): string {
  try {
    return readTextBounded(`/proc/${pid}/net/${name}`, MAX_TABLE_BYTES)
  } catch {
    return ''
  }
}

/** Addresses as /proc/net writes them, including wildcards; undefined for a host name, which can resolve to any address. */
function addressesOf(host: string): readonly string[] | undefined {
  if (!isIPv4(host)) return undefined
  const hosts = host === '0.0.0.0' ? ['127.0.0.1'] : [host]
  const hex = hosts.map((each) =>
    each
      .split('.')
      .reverse()
      .map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'))
      .join(''),
  )
  return [...WILDCARDS, ...hex, ...hex.map((each) => `${'0'.repeat(16)}FFFF0000${each}`)]
}

/** Inodes of the sockets that a process has open; undefined if this user may not inspect it. */
export function socketsOf(pid: number): ReadonlySet<string> | undefined {
  try {
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
    return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  } catch {
    return undefined
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // The file descriptor was closed in the meantime.
    return ''
  }
}

/** For systems without /proc. */
function isListedListener(pid: number, port: number): boolean | undefined {
  try {
    const listed = execFileSync('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pids = listed.split('\n').filter((line) => line !== '')
    return pids.length > 0 && pids.every((each) => Number(each) === pid)
  } catch {
    return undefined
  }
}
