/**
 * The file system calls of a program, as strace sees them: every call that changes or syncs files, with its bytes, in
 * the order in which calls began and ended (docs/internals/adr/0023-power-cuts.md).
 */
import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

export const HAS_STRACE = spawnSync('strace', ['-V']).status === 0

/** All calls that change content or names in a file system, and the calls that make changes durable. */
const TRACED =
  'open,openat,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fsync,fdatasync,sync_file_range,' +
  'rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,mkdir,mkdirat,rmdir,fallocate,' +
  'copy_file_range,sendfile,io_uring_setup'

const MAX_BYTES = 64 * 1024 * 1024
const DEADLINE_MS = 120_000

/** One line of the trace. A call that another thread interrupts has two lines: its beginning and its end. */
export interface CallLine {
  readonly thread: string
  readonly name: string
  readonly isBegin: boolean
  readonly isEnd: boolean
  /** The text of the call; for an interrupted call, the end includes the text of its beginning. */
  readonly text: string
  /** The result of an ended call; -1 if it failed. */
  readonly result: number
}

/** Runs a script of this repository to its end. */
export function traceScript(script: string, args: readonly string[], trace: string): void {
  const strace = ['-f', '--seccomp-bpf', '-y', '-xx', '-s', `${MAX_BYTES}`, '-qq', '-e', 'signal=none']
  const { status, stderr } = spawnSync(
    'strace',
    [...strace, '-e', `trace=${TRACED}`, '-o', trace, process.execPath, script, ...args],
    { encoding: 'utf8', timeout: DEADLINE_MS, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  if (status !== 0) throw new Error(`The traced program ended with ${status}: ${stderr}`)
}

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/s
const BEGIN = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/s
const END = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/s

export async function* readTrace(trace: string): AsyncGenerator<CallLine> {
  const begun = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(trace, 'latin1') })) {
    const [, thread = '', name = '', text = '', result = '-1'] =
      BEGIN.exec(line) ?? END.exec(line) ?? WHOLE.exec(line) ?? []
    if (name === '') continue
    const isBegin = !line.includes(' resumed>')
    const isEnd = !line.endsWith('<unfinished ...>')
    const known = isBegin ? text : `${begun.get(thread) ?? ''}${text}`
    if (!isEnd) begun.set(thread, text)
    yield { thread, name, isBegin, isEnd, text: known, result: Number(result) }
  }
}

/** The quoted bytes in argument order: names and written data. */
export function stringsOf(text: string): Buffer[] {
  return [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map(([, digits, isCut]) => {
    if (isCut !== undefined) throw new Error('A call has more bytes than the trace keeps.')
    return bytesOf(digits!)
  })
}

/** The descriptor and file name of the first argument. */
export function descriptorOf(text: string): { readonly fd: number; readonly path: string } {
  const [, fd, path] = /^(\d+)<((?:\\x[0-9a-f]{2})*)>/.exec(text) ?? []
  return { fd: Number(fd), path: bytesOf(path ?? '').toString() }
}

function bytesOf(digits: string): Buffer {
  return Buffer.from(digits.replaceAll('\\x', ''), 'hex')
}
