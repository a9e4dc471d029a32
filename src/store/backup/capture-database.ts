/**
 * The files of a database as they belong together at one moment, while another process writes it. LevelDB writes a table once,
 * and logs and manifests only at their end. A manifest up to any entry names tables; with the logs from the one that it
 * names on, up to any byte, they are the database after some write, and a block is one write. What LevelDB deletes meanwhile can
 * still be read by whoever has opened it. So all that is needed is to open every file before one of them is gone.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { fileFault } from '#platform/files/file-faults.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { corruptSentence, missingFault, storeFault } from '#store/faults.ts'
import { refuseUnfinishedRestore, requireOwnDirectory } from '#store/inspect-directory.ts'
import { manifestOf, tableName } from '#store/tables/live-tables.ts'

export interface CapturedFile {
  readonly name: string
  readonly bytes: number
  /** From a place on; 0 only at the end. */
  read(into: Uint8Array, offset: number): number
}

export interface CapturedDatabase {
  readonly files: readonly CapturedFile[]
  close(): void
}

/** LevelDB merges tables a few times a second at most, and to open thousands takes some hundredths of one. */
const TRIES = 100

/** Throws where there is no database. Reads only; nobody who has it open notices. */
export async function captureDatabase(path: string): Promise<CapturedDatabase> {
  refuseUnfinishedRestore(path)
  if (!existsSync(path)) throw missingFault(path)
  requireOwnDirectory(path)
  if (!existsSync(join(path, 'CURRENT'))) throw missingFault(path)
  for (let tries = 0; tries < TRIES; tries++) {
    const captured = tryCapture(path)
    if (captured !== undefined) return captured
    await nextTurn()
  }
  const sentence = `The files of the database ${path} do not fit together: they change too fast to be read, or one of them is missing. Try again; if it stays so, stop the node and let \`cairn db check\` look at it.`
  throw storeFault('STORE_FAILED', { sentence, path })
}

/** undefined: a file was removed before it was opened. */
function tryCapture(path: string): CapturedDatabase | undefined {
  const opened: number[] = []
  const close = () => {
    for (const fd of opened.splice(0)) closeSync(fd)
  }
  try {
    const current = readFileSync(join(path, 'CURRENT'))
    const name = current.toString('latin1').trim()
    const content = readFileSync(join(path, name))
    const manifest = manifestOf(content)
    if (manifest === undefined) throw corrupt(path, name)
    const open = (file: string): number => {
      const fd = openSync(join(path, file), 'r')
      opened.push(fd)
      return fd
    }
    const tables = manifest.tables.map(({ number, bytes }) => ({ name: tableName(number), bytes, number }))
    const files = tables.map((table) => fileOn(table.name, open(table.name), table.bytes))
    // The list comes before the sizes: where there is a next log, the one before it has its last size.
    const logs = readdirSync(path).filter((file) => isNeeded(file, manifest.firstLog))
    for (const log of logs.sort()) {
      const fd = open(log)
      files.push(fileOn(log, fd, fstatSync(fd).size))
    }
    files.push(fileOf(name, content), fileOf('CURRENT', current))
    return { files, close }
  } catch (error) {
    close()
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw explain(path, error)
  }
}

function isNeeded(file: string, firstLog: number): boolean {
  const number = /^(\d+)\.log$/.exec(file)?.[1]
  return number !== undefined && Number(number) >= firstLog
}

function fileOn(name: string, fd: number, bytes: number): CapturedFile {
  return {
    name,
    bytes,
    read: (into, offset) => readSync(fd, into, 0, Math.min(into.length, bytes - offset), offset),
  }
}

function fileOf(name: string, content: Uint8Array): CapturedFile {
  return {
    name,
    bytes: content.length,
    read(into, offset) {
      const piece = content.subarray(offset, offset + into.length)
      into.set(piece)
      return piece.length
    },
  }
}

function corrupt(path: string, name: string) {
  return storeFault('STORE_CORRUPT', {
    sentence: corruptSentence(`its manifest ${join(path, name)} cannot be read`),
    path,
  })
}

function explain(path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EMFILE' && code !== 'ENFILE') return fileFault('read', path, error)
  const sentence = `The database ${path} has more files than this process may open at once. Raise the limit (ulimit -n) and try again.`
  return storeFault('STORE_FAILED', { sentence, path }, { cause: error })
}
