/**
 * A backup of a data directory, whether a node runs on it or not. It is made beside its name, opened once, checked table by
 * table, and gets its name when all of it is on the disk: a directory with the name of a backup is a whole one.
 */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
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
import { identityText, isAlive, readIdentity } from '#platform/process/process-identity.ts'
import { systemRandom } from '#platform/random.ts'
import { storeFault } from '#store/faults.ts'
import { verifyDatabase } from '#store/tables/verify-tables.ts'
import { captureDatabase } from './capture-database.ts'
import { type CopyOptions, copyFile, countBytes, digestOf, openLines, openPieces } from './copy-file.ts'
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

export interface CreateOptions extends CopyOptions {
  readonly database: string
  /** Of the data directory. */
  readonly dataPath: string
  /** undefined: without it. */
  readonly keyFile: string | undefined
  /** The audit log, which may be elsewhere and may be missing. */
  readonly auditFile: string
  readonly to: string
  readonly madeBy: string
  readonly madeAt: string
}

const RANDOM_BYTES = 4
const PART_NAME = /^\d+-[0-9a-f]{8}$/
/** In a part, with the process that makes it: what has the name of a part and lacks this file is not ours. */
const MAKER_FILE = '.cairn-backup'

export async function createBackup(options: CreateOptions): Promise<BackupManifest> {
  const to = resolve(options.to)
  if (!isMissingOrEmpty(to)) {
    const sentence = `${to} is there already, and no backup is written over another. Choose a new name, as one with the date in it.`
    throw storeFault('STORE_NOT_EMPTY', { sentence, path: to })
  }
  ensureDirectory(dirname(to))
  removeAbandoned(to)
  const part = makePart(to)
  try {
    await fill(part, options)
    takeName(part, to)
  } catch (error) {
    rmSync(part, { recursive: true, force: true })
    throw error
  }
  return readManifest(to)
}

function makePart(to: string): string {
  const part = `${to}.part-${process.pid}-${Buffer.from(systemRandom.randomBytes(RANDOM_BYTES)).toString('hex')}`
  try {
    mkdirSync(part, { mode: FOR_THE_OWNER })
    writeFileNew(join(part, MAKER_FILE), identityText(process.pid))
  } catch (error) {
    throw fileFault('create', part, error)
  }
  return part
}

async function fill(part: string, options: CreateOptions): Promise<void> {
  const { signal, onProgress } = options
  const copy = join(part, DATABASE_FILES)
  // Before the chain: a plugin that has seen a block which the backup lacks would miss the one that takes its place.
  const plugins = await copyAll(part, pluginFiles(options.dataPath), options)
  const captured = await captureDatabase(options.database)
  try {
    const totalBytes = bytesOf(captured.files)
    requireRoom(dirname(part), totalBytes)
    mkdirSync(copy, { mode: FOR_THE_OWNER })
    const onBytes = countBytes('copied', totalBytes, onProgress)
    for (const file of captured.files) await copyFile(join(copy, file.name), file, signal, onBytes)
  } finally {
    captured.close()
  }
  const small = await copySmallFiles(part, options)
  const content = await inspectCopy(copy)
  const files = [...(await digestDatabase(copy, options)), ...plugins, ...small]
  writeManifest(part, { ...content, madeBy: options.madeBy, madeAt: options.madeAt, files })
  if (plugins.length > 0) syncDirectory(join(part, PLUGIN_FOLDER))
  for (const folder of [copy, part]) syncDirectory(folder)
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

/** The files grow by records with checksums: a copy of the first bytes is what a crash at that moment leaves. */
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
    if (!name.startsWith(prefix) || !PART_NAME.test(name.slice(prefix.length))) continue
    const part = join(dirname(to), name)
    if (!lstatSync(part, { throwIfNoEntry: false })?.isDirectory()) continue
    const maker = readIdentity(join(part, MAKER_FILE))
    if (maker !== undefined && !isAlive(maker, () => true)) rmSync(part, { recursive: true, force: true })
  }
}

function takeName(part: string, to: string): void {
  try {
    renameSync(part, to)
    rmSync(join(to, MAKER_FILE), { force: true })
    for (const folder of [to, dirname(to)]) syncDirectory(folder)
  } catch (error) {
    throw fileFault('create', to, error)
  }
}
