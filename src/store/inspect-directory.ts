/**
 * Inspects the database directory before anything is touched. LevelDB would take the directory of another program for
 * its own, rename files in it and call the rest damaged; without its file CURRENT it would begin a new database and
 * delete the old tables.
 */

import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RESTORING_FOLDER } from '#config/data-directory.ts'
import { corruptFault, storeFault } from './faults.ts'

/** File names of LevelDB. A first manifest alone is the remainder of an interrupted start. */
const WRITTEN_BY_LEVELDB = /^(\d+\.(ldb|log)|MANIFEST-(?!000001$)\d+)$/
const MADE_BY_LEVELDB = /^(\d+\.(ldb|sst|log|dbtmp)|MANIFEST-\d+|CURRENT|LOCK|LOG|LOG\.old)$/
/** RocksDB has these in addition to files with LevelDB's names. */
const MADE_BY_ROCKSDB = /^(OPTIONS-\d+(\.dbtmp)?|IDENTITY|\d+\.(sst|blob))$/
/** Found at the root of a disk. */
export const OF_THE_DISK = new Set(['lost+found'])
/** Next to Besu's database, in the data directory. */
const BESU_METADATA = 'DATABASE_METADATA.json'
const NAMED_MAX = 3

/** Checked before the database directory is created. */
export function refuseUnfinishedRestore(path: string): void {
  const restoring = join(dirname(path), RESTORING_FOLDER)
  if (!existsSync(restoring)) return
  const sentence = `The restore of a backup into ${dirname(path)} is unfinished. Run \`cairn backup restore\` with the same backup again, or remove ${restoring} to give up.`
  throw storeFault('STORE_UNFINISHED', { sentence, path })
}

/** Refuses a directory of another program, or one whose remaining files LevelDB would delete. */
export function requireOwnDirectory(path: string): void {
  const names = readdirSync(path).filter((name) => !OF_THE_DISK.has(name))
  const ofRocksdb = names.filter((name) => MADE_BY_ROCKSDB.test(name))
  if (ofRocksdb.length > 0) throw rocksdbFault(path, ofRocksdb)
  if (names.includes('CURRENT')) return
  if (names.some((name) => WRITTEN_BY_LEVELDB.test(name))) {
    throw corruptFault(`its file ${join(path, 'CURRENT')} is missing`)
  }
  const unknown = names.filter((name) => !MADE_BY_LEVELDB.test(name))
  if (unknown.length === 0) return
  const sentence = `${path} holds ${listed(unknown)}, which does not belong to a Cairn database. Use another --data-path. Nothing was changed.`
  throw storeFault('STORE_FOREIGN', { sentence, path })
}

function rocksdbFault(path: string, names: readonly string[]) {
  const dataPath = dirname(path)
  const isBesu = existsSync(join(dataPath, BESU_METADATA))
  const whose = isBesu ? 'is of Besu' : 'is of another program, as Besu makes it'
  const sentence =
    `The database ${path} ${whose}: it is RocksDB's (${listed(names)}), which Cairn does not read. Nothing was changed. ` +
    `To bring its blocks over, run \`besu --data-path=${dataPath} --genesis-file=GENESIS blocks export --to=blocks.bin\`, and then ` +
    '`cairn --data-path=OTHER --genesis-file=GENESIS blocks import blocks.bin`, with another path for OTHER.'
  return storeFault('STORE_FOREIGN', { sentence, path })
}

function listed(names: readonly string[]): string {
  const shown = [...names].sort().slice(0, NAMED_MAX).join(', ')
  return names.length > NAMED_MAX ? `${shown} and others` : shown
}
