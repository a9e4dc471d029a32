/**
 * Restores a data directory from a backup. Everything is assembled and checked in a folder within the directory;
 * while that folder exists, no program accepts the directory (inspect-directory.ts). Then renames move the files into
 * place, and an interrupted restore resumes them.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { RESTORING_FOLDER } from '#config/data-directory.ts'
import { fileFault } from '#platform/files/file-faults.ts'
import {
  ensureDirectory,
  isEmptyDirectory,
  OWNER_ONLY,
  readTextBounded,
  syncDirectory,
  writeFileNew,
} from '#platform/files/files.ts'
import { isRunning } from '#platform/files/temporary-directory.ts'
import { storeFault } from '#store/faults.ts'
import { OF_THE_DISK } from '#store/inspect-directory.ts'
import type { Hash } from '#types/hash.ts'
import { type CopyOptions, copyFile, countBytes, openPieces } from './copy-file.ts'
import { inspectCopy } from './inspect-copy.ts'
import {
  type BackupManifest,
  bytesOf,
  DATABASE_FILES,
  FOR_THE_OWNER,
  readManifest,
  requireRoom,
} from './manifest.ts'
import { requireFile, requireSame } from './verify-backup.ts'

export interface RestoreOptions extends CopyOptions {
  readonly from: string
  readonly dataPath: string
  /** Hash of block 0 of the node's network. */
  readonly genesisHash: Hash
  /** Files to write in addition to those of the backup. */
  readonly additions: Readonly<Record<string, Uint8Array>>
}

/** Names the restoring process. */
const OWNER_FILE = '.restored-by'
/** Marks a complete and checked folder: only renames remain. */
export const READY_FILE = '.ready'

export async function restoreBackup(options: RestoreOptions): Promise<BackupManifest> {
  const dataPath = resolve(options.dataPath)
  const folder = join(dataPath, RESTORING_FOLDER)
  const manifest = readManifest(options.from)
  requireSameGenesis(manifest, options)
  if (!isReady(dataPath, folder, manifest)) {
    claimDirectory(dataPath, folder)
    try {
      await fill(folder, manifest, options)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }
  moveIntoPlace(dataPath, folder)
  return manifest
}

function requireSameGenesis({ genesisHash, madeBy }: BackupManifest, options: RestoreOptions): void {
  if (genesisHash === options.genesisHash) return
  const sentence = `The backup ${options.from} (${madeBy}) belongs to another network: its block 0 is ${genesisHash}, but the genesis file gives ${options.genesisHash}. Pass the genesis file of that network, or use another backup.`
  throw storeFault('STORE_OTHER_GENESIS', { sentence })
}

/** True if a restore of the same backup was interrupted during the renames, or right after them. */
export function isReady(dataPath: string, folder: string, { id }: Pick<BackupManifest, 'id'>): boolean {
  const ready = join(folder, READY_FILE)
  if (existsSync(ready)) {
    if (readTextBounded(ready, id.length) === id) return true
    const sentence = `Another backup was being restored into ${dataPath}. Give that one again to finish it, or remove ${folder} and whatever else is there to begin with this one.`
    throw storeFault('STORE_UNFINISHED', { sentence })
  }
  return existsSync(folder) && isEmptyDirectory(folder) && existsSync(join(dataPath, DATABASE_FILES))
}

/** Restarts a restore that was interrupted before it was ready. */
export function claimDirectory(dataPath: string, folder: string): void {
  ensureDirectory(dataPath, { mode: FOR_THE_OWNER })
  const owner = existsSync(folder) ? ownerOf(folder) : undefined
  // A folder with the id of this process belongs to a container that was restarted.
  if (owner !== undefined && owner !== process.pid && isRunning(owner)) {
    const sentence = `Process ${owner} restores a backup into ${dataPath} already. Wait for it, or stop it first.`
    throw storeFault('STORE_IN_USE', { sentence })
  }
  if (existsSync(folder) && !isOurs(folder)) {
    const sentence = `${folder} is there, and no restore of a backup made it. Move it away, and give the command again.`
    throw storeFault('STORE_NOT_EMPTY', { sentence, path: folder })
  }
  rmSync(folder, { recursive: true, force: true })
  const names = readdirSync(dataPath).filter((name) => !OF_THE_DISK.has(name))
  if (names.length > 0) {
    const sentence = `${dataPath} is not empty: it holds ${names[0]}. A backup is only restored into an empty directory. Choose another --data-path, or move its content away.`
    throw storeFault('STORE_NOT_EMPTY', { sentence, path: dataPath })
  }
  try {
    mkdirSync(folder, { mode: FOR_THE_OWNER })
    writeFileNew(join(folder, `${OWNER_FILE}-${process.pid}`), '')
  } catch (error) {
    throw fileFault('create', folder, error)
  }
  syncDirectory(dataPath)
}

/** A restore that was interrupted before it named itself left an empty folder. */
function isOurs(folder: string): boolean {
  if (!lstatSync(folder).isDirectory()) return false
  const names = readdirSync(folder)
  return names.length === 0 || names.some((name) => name === READY_FILE || name.startsWith(OWNER_FILE))
}

function ownerOf(folder: string): number | undefined {
  const name = readdirSync(folder).find((each) => each.startsWith(OWNER_FILE))
  return name === undefined ? undefined : Number(name.slice(OWNER_FILE.length + 1))
}

async function fill(folder: string, manifest: BackupManifest, options: RestoreOptions): Promise<void> {
  const { from, signal, onProgress } = options
  const totalBytes = bytesOf(manifest.files)
  requireRoom(folder, totalBytes)
  const database = join(folder, DATABASE_FILES)
  mkdirSync(database, { mode: FOR_THE_OWNER })
  const onBytes = countBytes('copied', totalBytes, onProgress)
  for (const file of manifest.files) {
    requireFile(from, file)
    ensureDirectory(dirname(join(folder, file.name)), { mode: FOR_THE_OWNER })
    const source = openPieces(join(from, file.name))
    try {
      const sha256 = await copyFile(join(folder, file.name), source, signal, onBytes)
      requireSame(from, file, { bytes: source.bytes, sha256 })
    } finally {
      source.close()
    }
  }
  for (const [name, content] of Object.entries(options.additions))
    writeFileNew(join(folder, name), content, { mode: OWNER_ONLY })
  requireContent(manifest, await inspectCopy(database), from)
  for (const each of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (each.isDirectory()) syncDirectory(join(each.parentPath, each.name))
  }
  syncDirectory(folder)
  writeFileNew(join(folder, READY_FILE), manifest.id)
}

function requireContent(
  manifest: BackupManifest,
  found: Pick<BackupManifest, 'genesisHash' | 'head' | 'stateRoot'>,
  from: string,
): void {
  const textOf = ({ genesisHash, head, stateRoot }: typeof found) =>
    `${genesisHash} ${head.number} ${head.hash} ${stateRoot}`
  if (textOf(manifest) === textOf(found)) return
  const sentence = `The backup ${from} does not match its manifest: it ends at block ${found.head.number}, ${found.head.hash}, instead of ${manifest.head.number}, ${manifest.head.hash}. It was changed; use another backup.`
  throw storeFault('BACKUP_INVALID', { sentence })
}

/** Moves the database last: without it there is no chain, and the other files do not matter. */
export function moveIntoPlace(dataPath: string, folder: string): void {
  const names = readdirSync(folder).filter((name) => name !== READY_FILE && !name.startsWith(OWNER_FILE))
  try {
    for (const name of [...names.filter((each) => each !== DATABASE_FILES), DATABASE_FILES]) {
      if (!existsSync(join(folder, name))) continue
      requireNothingAt(join(dataPath, name))
      renameSync(join(folder, name), join(dataPath, name))
    }
    syncDirectory(dataPath)
    for (const name of readdirSync(folder).filter((each) => each !== READY_FILE)) rmSync(join(folder, name))
    rmSync(join(folder, READY_FILE), { force: true })
    rmdirSync(folder)
    syncDirectory(dataPath)
  } catch (error) {
    throw fileFault('write', dataPath, error)
  }
}

/** Refuses a file that appeared after the restore was interrupted. */
function requireNothingAt(path: string): void {
  if (!existsSync(path)) return
  const sentence = `${path} is there already, and the backup has one as well. Move it away, and give the command again.`
  throw storeFault('STORE_NOT_EMPTY', { sentence, path })
}
