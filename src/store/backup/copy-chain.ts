/**
 * Copies the chain of a data directory or a backup into a new data directory, for a rehearsal. The source is only read and
 * may belong to a running node. Neither its key nor its signature log is copied. The copy carries a mark, without which a
 * directory never becomes a development chain, and with which it never becomes anything else.
 */
import { existsSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { databaseIn, RESTORING_FOLDER } from '#config/data-directory.ts'
import {
  kindOfPath,
  readTextBounded,
  syncDirectory,
  withoutLinks,
  writeFileNew,
} from '#platform/files/files.ts'
import { storeFault } from '#store/faults.ts'
import type { Hash } from '#types/hash.ts'
import { type CopyOptions, copyFile, countBytes, openPieces } from './copy-file.ts'
import { captureDatabase, copyDatabase } from './create-backup.ts'
import { inspectCopy } from './inspect-copy.ts'
import { type BackupContent, bytesOf, DATABASE_FILES, REHEARSAL_FILE, requireRoom } from './manifest.ts'
import { claimDirectory, isReady, moveIntoPlace, READY_FILE } from './restore-backup.ts'

export interface ChainCopyOptions extends CopyOptions {
  /** A data directory or a backup. */
  readonly from: string
  readonly dataPath: string
  /** Hash of block 0 of the genesis file. */
  readonly genesisHash: Hash
}

/** The format of the source, which a copy keeps. */
export type CopiedChain = Pick<BackupContent, 'storageFormat'>

const MAX_MARK_BYTES = 4_096
/** The permissions of the source apply to the rehearsal; its peers do not. */
const COPIED_FILES = ['permissions_config.toml'] as const

/** Returns the earlier copy if the directory has one: a rehearsal continues with its own blocks. */
export async function copyChain(options: ChainCopyOptions): Promise<CopiedChain> {
  const [dataPath, from] = [resolve(options.dataPath), resolve(options.from)]
  const folder = join(dataPath, RESTORING_FOLDER)
  if (isRehearsal(dataPath) && !existsSync(folder)) return readMark(dataPath)
  const id = Buffer.from(from).toString('hex')
  if (!isReady(dataPath, folder, { id })) {
    requireApart(from, dataPath)
    claimDirectory(dataPath, folder)
    try {
      await fill(folder, from, options)
      writeFileNew(join(folder, READY_FILE), id)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }
  moveIntoPlace(dataPath, folder)
  return readMark(dataPath)
}

/** True if a directory is a copy for rehearsals. */
export function isRehearsal(dataPath: string): boolean {
  return existsSync(join(dataPath, REHEARSAL_FILE))
}

function readMark(dataPath: string): CopiedChain {
  const { storageFormat } = JSON.parse(readTextBounded(join(dataPath, REHEARSAL_FILE), MAX_MARK_BYTES))
  return { storageFormat }
}

/** A copy within its source would be copied by the next backup of it. */
function requireApart(from: string, dataPath: string): void {
  if (kindOfPath(databaseIn(from)) !== 'directory') {
    const sentence = `${from} is neither a data directory nor a backup: it has no folder ${DATABASE_FILES}. Name one of them with --copy-of.`
    throw storeFault('STORE_MISSING', { sentence })
  }
  const real = kindOfPath(dataPath) === undefined ? dataPath : withoutLinks(dataPath)
  const path = relative(withoutLinks(from), real)
  if (path.startsWith('..') || path.startsWith('/')) return
  const sentence = `${dataPath} is within ${from}, which --copy-of only reads. Choose another --data-path.`
  throw storeFault('STORE_NOT_EMPTY', { sentence, path: dataPath })
}

async function fill(folder: string, from: string, options: ChainCopyOptions): Promise<void> {
  const { signal, onProgress, genesisHash } = options
  const database = join(folder, DATABASE_FILES)
  const captured = await captureDatabase(databaseIn(from))
  try {
    const totalBytes = bytesOf(captured.files)
    requireRoom(folder, totalBytes)
    await copyDatabase(database, captured, signal, countBytes('copied', totalBytes, onProgress))
  } finally {
    captured.close()
  }
  for (const name of COPIED_FILES) {
    if (kindOfPath(join(from, name)) !== 'file') continue
    const source = openPieces(join(from, name))
    try {
      await copyFile(join(folder, name), source, signal, () => {})
    } finally {
      source.close()
    }
  }
  const content = await inspectCopy(database)
  if (content.genesisHash !== genesisHash) {
    const sentence = `The chain in ${from} belongs to another network: its block 0 is ${content.genesisHash}, but the genesis file gives ${genesisHash}. Pass the genesis file of that network.`
    throw storeFault('STORE_OTHER_GENESIS', { sentence })
  }
  writeFileNew(join(folder, REHEARSAL_FILE), `${JSON.stringify({ from, ...content })}\n`)
  syncDirectory(folder)
}
