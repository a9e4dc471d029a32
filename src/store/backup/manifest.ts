/**
 * The description of a backup: `manifest.json`, with the size and SHA-256 of every other file, and the SHA-256 of the
 * manifest for `sha256sum -c`. The files are untrusted and are checked completely.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { kindOfPath, readFileBounded, writeFileNew } from '#platform/files/files.ts'
import { storeFault } from '#store/faults.ts'
import { requireFreeBytes } from '#store/free-bytes.ts'
import type { StorageFormat } from '#store/store.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, parseHash } from '#types/hash.ts'

export interface BackupFile {
  readonly name: string
  readonly bytes: number
  /** Hex digits. */
  readonly sha256: string
}

export interface BackupContent {
  readonly genesisHash: Hash
  readonly head: { readonly number: number; readonly hash: Hash }
  readonly stateRoot: Hash
  readonly storageFormat: StorageFormat
}

export interface BackupManifest extends BackupContent {
  readonly version: number
  /** Identifies the backup: the SHA-256 of its manifest. */
  readonly id: string
  /** Name and version of the program, and the time, for people. */
  readonly madeBy: string
  readonly madeAt: string
  readonly files: readonly BackupFile[]
}

export const MANIFEST_FILE = 'manifest.json'
export const CHECKSUM_FILE = 'manifest.sha256'
export const DATABASE_FILES = 'database'
/** The node key, if requested. */
export const KEY_FILE = 'key'
/** Marks the copy of a chain for rehearsals. */
export const REHEARSAL_FILE = 'rehearsal.json'
/** Files of a data directory that are included if they exist. */
export const SMALL_FILES = ['permissions_config.toml', 'static-nodes.json', REHEARSAL_FILE] as const
/** The audit log and the plugin folder, under their names in a data directory. */
export const AUDIT_FILE = 'audit.jsonl'
export const PLUGIN_FOLDER = 'plugin-data'
export const PLUGIN_FILE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*\.table$/

const VERSION = 1
/** Enough for some hundred thousand tables. */
const MANIFEST_MAX_BYTES = 32 * 1024 * 1024
const CHECKSUM_MAX_BYTES = 1024
const NAME =
  /^(database\/(\d{6,16}\.(ldb|log)|MANIFEST-\d{6,16}|CURRENT|segments\/\d{12}\.segment)|plugin-data\/[a-z][a-z0-9-]*\.table|key|audit\.jsonl|[a-z_-]+\.(toml|json))$/
const SHA256 = /^[0-9a-f]{64}$/

export function writeManifest(folder: string, manifest: Omit<BackupManifest, 'version' | 'id'>): void {
  const text = `${JSON.stringify({ version: VERSION, ...manifest }, undefined, 1)}\n`
  writeFileNew(join(folder, MANIFEST_FILE), text)
  writeFileNew(join(folder, CHECKSUM_FILE), checksumLine(Buffer.from(text)))
}

export function readManifest(folder: string): BackupManifest {
  for (const name of [MANIFEST_FILE, CHECKSUM_FILE]) {
    if (kindOfPath(join(folder, name)) === 'file') continue
    const sentence = `${folder} is not a backup: it has no ${name}. Name the directory that \`cairn backup create\` wrote; an unfinished backup has .part in its name and is useless.`
    throw storeFault('BACKUP_INVALID', { sentence })
  }
  const content = readFileBounded(join(folder, MANIFEST_FILE), MANIFEST_MAX_BYTES)
  const checksum = readFileBounded(join(folder, CHECKSUM_FILE), CHECKSUM_MAX_BYTES)
  if (Buffer.compare(checksum, Buffer.from(checksumLine(content))) !== 0) {
    const sentence = `The backup ${folder} is damaged: ${MANIFEST_FILE} and ${CHECKSUM_FILE} do not belong together. Take another copy of it.`
    throw storeFault('BACKUP_INVALID', { sentence })
  }
  try {
    return decode(JSON.parse(Buffer.from(content).toString('utf8')), sha256Of(content))
  } catch (cause) {
    if (!(cause instanceof Fault || cause instanceof SyntaxError || cause instanceof TypeError)) throw cause
    const sentence = `The backup ${folder} cannot be read: ${cause.message} It was made by a later version of Cairn, or by another program.`
    throw storeFault('BACKUP_INVALID', { sentence }, { cause })
  }
}

function checksumLine(content: Uint8Array): string {
  return `${sha256Of(content)}  ${MANIFEST_FILE}\n`
}

function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function decode(given: Record<string, unknown>, id: string): BackupManifest {
  if (given.version !== VERSION) throw new TypeError(`its version is ${String(given.version)}.`)
  const head = given.head as { number: unknown; hash: unknown }
  const storageFormat = given.storageFormat
  if (storageFormat !== 'BONSAI' && storageFormat !== 'FOREST') throw new TypeError('it has no format.')
  if (!Array.isArray(given.files)) throw new TypeError('it lists no files.')
  const files = given.files.map(decodeFile)
  if (new Set(files.map(({ name }) => name)).size !== files.length)
    throw new TypeError('it lists a file twice.')
  return {
    version: VERSION,
    id,
    madeBy: String(given.madeBy),
    madeAt: String(given.madeAt),
    genesisHash: parseHash(String(given.genesisHash)),
    head: { number: numberOf(head.number), hash: parseHash(String(head.hash)) },
    stateRoot: parseHash(String(given.stateRoot)),
    storageFormat,
    files,
  }
}

function decodeFile({ name, bytes, sha256 }: Record<string, unknown>): BackupFile {
  // Names become paths: none may lead out of the directory.
  if (typeof name !== 'string' || !NAME.test(name)) throw new TypeError(`no file is called ${String(name)}.`)
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) throw new TypeError(`${name} has no SHA-256.`)
  return { name, bytes: numberOf(bytes), sha256 }
}

function numberOf(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new TypeError(`${String(value)} is not a number.`)
  return value as number
}

export function bytesOf(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Access for the owner only. */
export const FOR_THE_OWNER = 0o700

/** Requires free space for a backup or a restored directory. */
export function requireRoom(folder: string, bytes: number): void {
  requireFreeBytes(
    folder,
    bytes,
    (left, needed) =>
      `There is too little room at ${folder}: ${left} MiB are left, and ${needed} are needed. Make room, or choose another place; nothing was written.`,
  )
}
