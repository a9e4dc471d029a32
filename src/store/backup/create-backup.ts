/**
 * Backs up a data directory, with or without a running node. The backup is built under a temporary name, opened once,
 * checked table by table, and renamed when all of it is durable: a directory with the name of a backup is complete.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileFault } from '#platform/files/file-faults.ts'
import {
  ensureDirectory,
  isMissingOrEmpty,
  kindOfPath,
  namesInDirectory,
  syncDirectory,
  writeFileNew,
} from '#platform/files/files.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { identityText, isAlive, readIdentity } from '#platform/process/process-identity.ts'
import { systemRandom } from '#platform/random.ts'
import { corruptSentence, missingFault, storeFault } from '#store/faults.ts'
import { refuseUnfinishedRestore, requireOwnDirectory } from '#store/inspect-directory.ts'
import { SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { segmentPaths } from '#store/segments/past-blocks.ts'
import { manifestOf, tableName } from '#store/tables/live-tables.ts'
import { verifyDatabase } from '#store/tables/verify-tables.ts'
import {
  type CopyOptions,
  copyFile,
  countBytes,
  digestOf,
  openLines,
  openPieces,
  type Pieces,
} from './copy-file.ts'
import { inspectCopy } from './inspect-copy.ts'
import {
  AUDIT_FILE,
  type BackupFile,
  type BackupManifest,
  bytesOf,
  DATABASE_FILES,
  FOR_THE_OWNER,
  KEY_FILE,
  PLUGIN_FILE,
  PLUGIN_FOLDER,
  readManifest,
  requireRoom,
  SMALL_FILES,
  writeManifest,
} from './manifest.ts'
import { shareFiles } from './share-files.ts'

export interface CreateOptions extends CopyOptions {
  readonly database: string
  readonly dataPath: string
  /** The node key; omitted if undefined. */
  readonly keyFile: string | undefined
  /** The audit log, which may be elsewhere or missing. */
  readonly auditFile: string
  readonly to: string
  /** An earlier backup, whose equal files are linked instead of copied. */
  readonly base?: string | undefined
  readonly madeBy: string
  readonly madeAt: string
}

export interface CreatedBackup extends BackupManifest {
  /** Bytes of the database that were copied and not shared with the earlier backup. */
  readonly copiedBytes: number
}

const RANDOM_BYTES = 4
const PART_NAME = /^\d+-[0-9a-f]{8}$/
/** Marks an unfinished backup with its process; a directory without it is not Cairn's. */
const OWNER_FILE = '.cairn-backup'

export async function createBackup(options: CreateOptions): Promise<CreatedBackup> {
  const to = resolve(options.to)
  if (!isMissingOrEmpty(to)) {
    const sentence = `${to} is there already, and no backup is written over another. Choose a new name, as one with the date in it.`
    throw storeFault('STORE_NOT_EMPTY', { sentence, path: to })
  }
  ensureDirectory(dirname(to))
  removeAbandoned(to)
  const part = makePart(to)
  let copiedBytes: number
  try {
    copiedBytes = await fill(part, options)
    takeName(part, to)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw error
  }
  return { ...readManifest(to), copiedBytes }
}

function makePart(to: string): string {
  const part = `${to}.part-${process.pid}-${Buffer.from(systemRandom.randomBytes(RANDOM_BYTES)).toString('hex')}`
  try {
    mkdirSync(part, { mode: FOR_THE_OWNER })
    writeFileNew(join(part, OWNER_FILE), identityText(process.pid))
  } catch (error) {
    throw fileFault('create', part, error)
  }
  return part
}

/** Returns the bytes of the database that were copied. */
async function fill(part: string, options: CreateOptions): Promise<number> {
  const { signal, onProgress, base } = options
  const copy = join(part, DATABASE_FILES)
  // Copied before the chain: a plugin that has seen a block which the backup lacks would miss its replacement.
  const plugins = await copyAll(part, pluginFiles(options.dataPath), options)
  const captured = await captureDatabase(options.database)
  let shared: ReadonlyMap<string, BackupFile> = new Map()
  let copiedBytes: number
  try {
    const folders = makeFolders(copy, captured)
    if (base !== undefined) shared = await shareFiles(copy, captured.files, resolve(base), signal)
    const files = captured.files.filter(({ name }) => !shared.has(name))
    copiedBytes = bytesOf(files)
    requireRoom(dirname(part), copiedBytes)
    await copyFiles(copy, files, signal, countBytes('copied', copiedBytes, onProgress))
    for (const each of folders) syncDirectory(each)
  } finally {
    captured.close()
  }
  const small = await copySmallFiles(part, options)
  const content = await inspectCopy(copy)
  const files = [...(await digestDatabase(copy, shared, options)), ...plugins, ...small]
  writeManifest(part, { ...content, madeBy: options.madeBy, madeAt: options.madeAt, files })
  if (plugins.length > 0) syncDirectory(join(part, PLUGIN_FOLDER))
  syncDirectory(part)
  return copiedBytes
}

/** Copies captured files into a new directory; all of it is durable afterwards. */
export async function copyDatabase(
  folder: string,
  captured: Pick<CapturedDatabase, 'files'>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const folders = makeFolders(folder, captured)
  await copyFiles(folder, captured.files, signal, onBytes)
  for (const each of folders) syncDirectory(each)
}

function makeFolders(folder: string, { files }: Pick<CapturedDatabase, 'files'>): ReadonlySet<string> {
  const folders = new Set([folder, ...files.map(({ name }) => dirname(join(folder, name)))])
  for (const each of folders) mkdirSync(each, { mode: FOR_THE_OWNER })
  return folders
}

async function copyFiles(
  folder: string,
  files: readonly Pieces[],
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  for (const file of files) await copyFile(join(folder, file.name), file, signal, onBytes)
}

interface WantedFile {
  readonly name: string
  readonly path: string
}

function copySmallFiles(part: string, options: CreateOptions): Promise<BackupFile[]> {
  const { dataPath, keyFile, auditFile } = options
  const wanted = [
    ...SMALL_FILES.map((name) => ({ name, path: join(dataPath, name) })),
    { name: AUDIT_FILE, path: auditFile },
  ].filter(({ path }) => kindOfPath(path) === 'file')
  if (keyFile !== undefined) wanted.push({ name: KEY_FILE, path: keyFile })
  return copyAll(part, wanted, options)
}

/** Plugin files grow by entries with checksums: a copy of the first bytes equals the result of a crash. */
function pluginFiles(dataPath: string): readonly WantedFile[] {
  const folder = join(dataPath, PLUGIN_FOLDER)
  if (kindOfPath(folder) !== 'directory') return []
  return namesInDirectory(folder)
    .filter((name) => PLUGIN_FILE.test(name) && kindOfPath(join(folder, name)) === 'file')
    .map((name) => ({ name: `${PLUGIN_FOLDER}/${name}`, path: join(folder, name) }))
}

async function copyAll(
  part: string,
  wanted: readonly WantedFile[],
  { signal }: CreateOptions,
): Promise<BackupFile[]> {
  const files: BackupFile[] = []
  for (const { name, path } of wanted) {
    const source = name === AUDIT_FILE ? openLines(path) : openPieces(path)
    try {
      const target = join(part, name)
      requireRoom(dirname(part), source.bytes)
      ensureDirectory(dirname(target), { mode: FOR_THE_OWNER })
      const sha256 = await copyFile(target, source, signal, () => {})
      files.push({ name, bytes: source.bytes, sha256 })
    } finally {
      source.close()
    }
  }
  return files
}

/**
 * Digests the copy after it was opened and closed. The checksums within tables are those of the node that wrote them.
 * Shared files were digested when the earlier backup was created.
 */
async function digestDatabase(
  copy: string,
  shared: ReadonlyMap<string, BackupFile>,
  { signal, onProgress }: CreateOptions,
): Promise<BackupFile[]> {
  const onBytes = (doneBytes: number, totalBytes: number) => onProgress('checked', { doneBytes, totalBytes })
  await verifyDatabase(copy, onBytes, (name) => shared.has(name))
  const files: BackupFile[] = []
  for (const name of [...readdirSync(copy).sort(), ...segmentPaths(copy)]) {
    if (name === SEGMENT_FOLDER) continue
    const known = shared.get(name)
    if (known !== undefined) {
      files.push(known)
      continue
    }
    files.push({ name: `${DATABASE_FILES}/${name}`, ...(await digestOf(join(copy, name), signal, () => {})) })
  }
  return files
}

/** Removes unfinished backups of processes that were killed. */
function removeAbandoned(to: string): void {
  const prefix = `${basename(to)}.part-`
  for (const name of readdirSync(dirname(to))) {
    if (!name.startsWith(prefix) || !PART_NAME.test(name.slice(prefix.length))) continue
    const part = join(dirname(to), name)
    if (!lstatSync(part, { throwIfNoEntry: false })?.isDirectory()) continue
    const owner = readIdentity(join(part, OWNER_FILE))
    if (owner !== undefined && !isAlive(owner, () => true)) rmSync(part, { recursive: true, force: true })
  }
}

function takeName(part: string, to: string): void {
  try {
    renameSync(part, to)
    rmSync(join(to, OWNER_FILE), { force: true })
    for (const folder of [to, dirname(to)]) syncDirectory(folder)
  } catch (error) {
    throw fileFault('create', to, error)
  }
}

/**
 * A consistent set of database files, captured while another process writes. LevelDB writes a table once, and appends
 * to logs and manifests. A manifest up to any entry names tables; together with the logs from its first log on, up to
 * any byte, they are the database after some write, and a block is one write. Deleted files stay readable while they
 * are open, so it suffices to open every file before one of them is gone. Segments never change.
 */
interface CapturedDatabase {
  readonly files: readonly Pieces[]
  close(): void
}

/** LevelDB compacts a few times per second at most, and opening thousands of files takes some hundredths of a second. */
const TRIES = 100

/** Throws if there is no database. Only reads, unnoticed by processes that have it open. */
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

/** Returns undefined if a file was removed before it was opened. */
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
    // The list precedes the sizes: if there is a later log, the one before it is complete.
    const logs = readdirSync(path).filter((file) => isNeeded(file, manifest.firstLog))
    for (const log of logs.sort()) {
      const fd = open(log)
      files.push(fileOn(log, fd, fstatSync(fd).size))
    }
    files.push(fileOf(name, content), fileOf('CURRENT', current))
    // Listed last: the captured database names no segment that is not there by now.
    for (const segment of segmentPaths(path)) {
      const fd = open(segment)
      files.push(fileOn(segment, fd, fstatSync(fd).size))
    }
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

function fileOn(name: string, fd: number, bytes: number): Pieces {
  return {
    name,
    bytes,
    read: (into, offset) => readSync(fd, into, 0, Math.min(into.length, bytes - offset), offset),
  }
}

function fileOf(name: string, content: Uint8Array): Pieces {
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
