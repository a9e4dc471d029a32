/**
 * A backup of a data directory, whether a node runs on it or not. It is made beside its name, opened once, checked table by
 * table, and gets its name when all of it is on the disk: a directory with the name of a backup is a whole one.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileFault } from '#platform/files/file-faults.ts'
import { ensureDirectory, isMissingOrEmpty, kindOfPath, syncDirectory } from '#platform/files/files.ts'
import { isRunning, makerOf } from '#platform/files/temporary-directory.ts'
import { systemRandom } from '#platform/random.ts'
import { storeFault } from '#store/faults.ts'
import { verifyDatabase } from '#store/tables/verify-tables.ts'
import { captureDatabase } from './capture-database.ts'
import { type CopyOptions, copyFile, countBytes, digestOf, openPieces } from './copy-file.ts'
import { inspectCopy } from './inspect-copy.ts'
import {
  type BackupFile,
  type BackupManifest,
  bytesOf,
  DATABASE_FILES,
  FOR_THE_OWNER,
  KEY_FILE,
  readManifest,
  requireRoom,
  SMALL_FILES,
  writeManifest,
} from './manifest.ts'

export interface CreateOptions extends CopyOptions {
  readonly database: string
  /** Of the data directory. */
  readonly dataPath: string
  /** undefined: without it. */
  readonly keyFile: string | undefined
  readonly to: string
  readonly madeBy: string
  readonly madeAt: string
}

const RANDOM_BYTES = 4
/** Parts that this process works on. */
const underWay = new Set<string>()

export async function createBackup(options: CreateOptions): Promise<BackupManifest> {
  const to = resolve(options.to)
  if (!isMissingOrEmpty(to)) {
    const sentence = `${to} is there already, and no backup is written over another. Choose a new name, as one with the date in it.`
    throw storeFault('STORE_NOT_EMPTY', { sentence, path: to })
  }
  ensureDirectory(dirname(to))
  removeAbandoned(to)
  const part = `${to}.part-${process.pid}-${Buffer.from(systemRandom.randomBytes(RANDOM_BYTES)).toString('hex')}`
  underWay.add(part)
  try {
    await fill(part, options)
    takeName(part, to)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw error
  } finally {
    underWay.delete(part)
  }
  return readManifest(to)
}

async function fill(part: string, options: CreateOptions): Promise<void> {
  const { signal, onProgress } = options
  const copy = join(part, DATABASE_FILES)
  const captured = await captureDatabase(options.database)
  try {
    const totalBytes = bytesOf(captured.files)
    requireRoom(dirname(part), totalBytes)
    mkdirSync(copy, { recursive: true, mode: FOR_THE_OWNER })
    const onBytes = countBytes('copied', totalBytes, onProgress)
    for (const file of captured.files) await copyFile(join(copy, file.name), file, signal, onBytes)
  } finally {
    captured.close()
  }
  const small = await copySmallFiles(part, options)
  const content = await inspectCopy(copy)
  const files = [...(await digestDatabase(copy, options)), ...small]
  writeManifest(part, { ...content, madeBy: options.madeBy, madeAt: options.madeAt, files })
  for (const folder of [copy, part]) syncDirectory(folder)
}

async function copySmallFiles(
  part: string,
  { dataPath, keyFile, signal }: CreateOptions,
): Promise<BackupFile[]> {
  const wanted = SMALL_FILES.map((name) => ({ name: name as string, path: join(dataPath, name) })).filter(
    ({ path }) => kindOfPath(path) === 'file',
  )
  if (keyFile !== undefined) wanted.push({ name: KEY_FILE, path: keyFile })
  const files: BackupFile[] = []
  for (const { name, path } of wanted) {
    const source = openPieces(path)
    try {
      const sha256 = await copyFile(join(part, name), source, signal, () => {})
      files.push({ name, bytes: source.bytes, sha256 })
    } finally {
      source.close()
    }
  }
  return files
}

/** As it lies there after it was opened and closed. The checksums within tables are those of the node that wrote them. */
async function digestDatabase(copy: string, { signal, onProgress }: CreateOptions): Promise<BackupFile[]> {
  await verifyDatabase(copy, (doneBytes, totalBytes) => onProgress('checked', { doneBytes, totalBytes }))
  const files: BackupFile[] = []
  for (const name of readdirSync(copy).sort()) {
    files.push({ name: `${DATABASE_FILES}/${name}`, ...(await digestOf(join(copy, name), signal, () => {})) })
  }
  return files
}

/** What processes left that were killed. */
function removeAbandoned(to: string): void {
  const prefix = `${basename(to)}.part-`
  for (const name of readdirSync(dirname(to))) {
    const maker = makerOf(name, prefix)
    if (maker === undefined) continue
    const part = join(dirname(to), name)
    // One with the id of this process may be of a container that was started again.
    const isOwned = maker === process.pid ? underWay.has(part) : isRunning(maker)
    if (!isOwned) rmSync(part, { recursive: true, force: true })
  }
}

function takeName(part: string, to: string): void {
  try {
    renameSync(part, to)
    syncDirectory(dirname(to))
  } catch (error) {
    throw fileFault('create', to, error)
  }
}
