/** A node's backups: the files that belong to one, and the restrictions of a restored node. */

import { join, resolve } from 'node:path'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { dataOptions } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { SIGNATURE_LOG_FILE } from '#consensus/consensus-room.ts'
import { restoredLog } from '#consensus/signature-log.ts'
import { auditFileOf } from '#jsonrpc/audit/audit-room.ts'
import { databaseOf } from '#node/ledger.ts'
import { loadNetwork } from '#node/load-genesis.ts'
import { refuseUnsafeOptions } from '#node/validate-options.ts'
import { clientVersion } from '#node/version.ts'
import { keyFileOf, refuseOtherHolders } from '#p2p/key/key-file.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { CopyOptions } from '#store/backup/copy-file.ts'
import { type CreatedBackup, createBackup } from '#store/backup/create-backup.ts'
import { AUDIT_FILE, type BackupManifest, KEY_FILE } from '#store/backup/manifest.ts'
import { restoreBackup } from '#store/backup/restore-backup.ts'
import { verifyBackup } from '#store/backup/verify-backup.ts'

export type { BackupManifest } from '#store/backup/manifest.ts'
export type BackupWork = CopyOptions

export interface NewBackup {
  readonly to: string
  /** An earlier backup that shares its equal files. */
  readonly base: string | undefined
  readonly withKey: boolean
  readonly madeAt: string
}

export async function backUpNode(
  settings: Settings,
  { to, base, withKey, madeAt, ...work }: BackupWork & NewBackup,
): Promise<CreatedBackup> {
  if (withKey) refuseOtherHolders(settings)
  const keyFile = withKey ? keyFileOf(settings) : undefined
  if (keyFile !== undefined && kindOfPath(keyFile) !== 'file') {
    throw usageFault(
      `There is no node key at ${keyFile}. Name it with --node-private-key-file, or leave --with-node-key out.`,
    )
  }
  return await createBackup({
    ...work,
    to,
    base,
    keyFile,
    auditFile: auditFileOf(settings) ?? join(settings.get(dataOptions.dataPath), AUDIT_FILE),
    madeAt,
    database: databaseOf(settings).path,
    dataPath: settings.get(dataOptions.dataPath),
    madeBy: clientVersion(),
  })
}

export function verifyNodeBackup(from: string, work: BackupWork): Promise<BackupManifest> {
  return verifyBackup(from, work)
}

export interface RestoredNode {
  readonly manifest: BackupManifest
  readonly hasKey: boolean
  /** The path of the audit log, if the node will write another one. */
  readonly strayAudit: string | undefined
}

/**
 * A backup contains no votes: those of a few minutes ago do not include later signatures, but would be taken as complete.
 * The mark in their place keeps a validator silent (consensus/bft/core/own-past.ts).
 */
export async function restoreNode(
  settings: Settings,
  { from, ...work }: BackupWork & { from: string },
): Promise<RestoredNode> {
  refuseUnsafeOptions(settings)
  const { genesis } = loadNetwork(settings)
  const genesisHash = genesisHashOf(genesis.genesis, loadFastKeccak())
  const dataPath = settings.get(dataOptions.dataPath)
  const manifest = await restoreBackup({
    ...work,
    from,
    dataPath,
    genesisHash,
    additions: { [SIGNATURE_LOG_FILE]: restoredLog(genesisHash) },
  })
  const audit = join(dataPath, AUDIT_FILE)
  const isStray = kindOfPath(audit) === 'file' && resolve(auditFileOf(settings) ?? '') !== resolve(audit)
  return {
    manifest,
    hasKey: kindOfPath(join(dataPath, KEY_FILE)) !== undefined,
    strayAudit: isStray ? audit : undefined,
  }
}
