import { join } from 'node:path'
import { kindOfPath } from '#platform/files/files.ts'
import { storeFault } from '#store/faults.ts'
import { type CopyOptions, countBytes, digestOf } from './copy-file.ts'
import { type BackupFile, type BackupManifest, bytesOf, readManifest } from './manifest.ts'

/** Reads a complete backup and throws at the first file that differs from the manifest. */
export async function verifyBackup(
  folder: string,
  { signal, onProgress }: CopyOptions,
): Promise<BackupManifest> {
  const manifest = readManifest(folder)
  const onBytes = countBytes('checked', bytesOf(manifest.files), onProgress)
  for (const file of manifest.files) {
    requireFile(folder, file)
    requireSame(folder, file, await digestOf(join(folder, file.name), signal, onBytes))
  }
  return manifest
}

export function requireFile(folder: string, { name }: BackupFile): void {
  if (kindOfPath(join(folder, name)) === 'file') return
  throw damaged(folder, `${name} is missing`)
}

export function requireSame(folder: string, file: BackupFile, found: Omit<BackupFile, 'name'>): void {
  if (found.bytes !== file.bytes)
    throw damaged(folder, `${file.name} has ${found.bytes} bytes and had ${file.bytes} when it was made`)
  if (found.sha256 !== file.sha256) throw damaged(folder, `${file.name} is not as it was written`)
}

function damaged(folder: string, what: string) {
  const sentence = `The backup ${folder} is damaged: ${what}. Take another copy of it, or another backup.`
  return storeFault('BACKUP_INVALID', { sentence })
}
