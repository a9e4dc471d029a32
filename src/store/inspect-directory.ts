/**
 * What lies where the database is to be, before anything there is touched. LevelDB would take the directory of another
 * program for its own, rename files in it and call the rest damaged; and where its file CURRENT is missing it would
 * begin a new database and delete the tables of the old one.
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { corruptFault, storeFault } from './faults.ts'

/** As LevelDB names them. A first manifest alone is what a start leaves that was cut off at once. */
const WRITTEN_BY_LEVELDB = /^(\d+\.(ldb|log)|MANIFEST-(?!000001$)\d+)$/
const MADE_BY_LEVELDB = /^(\d+\.(ldb|sst|log|dbtmp)|MANIFEST-\d+|CURRENT|LOCK|LOG|LOG\.old)$/
/** RocksDB keeps these beside files that have the names of LevelDB's. */
const MADE_BY_ROCKSDB = /^(OPTIONS-\d+(\.dbtmp)?|IDENTITY|\d+\.(sst|blob))$/
/** The root of a disk has it. */
const OF_NOBODY = new Set(['lost+found'])
/** Beside its database, in the data directory. */
const BESU_METADATA = 'DATABASE_METADATA.json'
const NAMED_MAX = 3
/** In the data directory while a backup is restored into it: until it is gone, nothing there is a chain. */
export const RESTORING_FOLDER = 'restoring'

/** Asked before the directory of the database is made. */
export function refuseUnfinishedRestore(path: string): void {
  const restoring = join(dirname(path), RESTORING_FOLDER)
  if (!existsSync(restoring)) return
  const sentence = `A backup was being restored into ${dirname(path)}, and that has not come to its end. Give \`cairn backup restore\` again with the same backup; or remove ${restoring} to give it up.`
  throw storeFault('STORE_UNFINISHED', { sentence, path })
}

/** Refuses a directory that is not this program's, or of which LevelDB would lose what is left. */
export function requireOwnDirectory(path: string): void {
  const names = readdirSync(path).filter((name) => !OF_NOBODY.has(name))
  const ofRocksdb = names.filter((name) => MADE_BY_ROCKSDB.test(name))
  if (ofRocksdb.length > 0) throw rocksdbFault(path, ofRocksdb)
  if (names.includes('CURRENT')) return
  if (names.some((name) => WRITTEN_BY_LEVELDB.test(name))) {
    throw corruptFault(`its file ${join(path, 'CURRENT')} is missing`)
  }
  const unknown = names.filter((name) => !MADE_BY_LEVELDB.test(name))
  if (unknown.length === 0) return
  const sentence = `${path} holds ${listed(unknown)}, which no database of Cairn has. Nothing was changed. Give Cairn another --data-path.`
  throw storeFault('STORE_FOREIGN', { sentence, path })
}

function rocksdbFault(path: string, names: readonly string[]) {
  const dataPath = dirname(path)
  const isBesu = existsSync(join(dataPath, BESU_METADATA))
  const whose = isBesu ? 'is of Besu' : 'is of another program, as Besu makes it'
  const sentence =
    `The database ${path} ${whose}: it is RocksDB's (${listed(names)}), which Cairn does not read. Nothing was changed. ` +
    `To bring its blocks over, run \`besu --data-path=${dataPath} --genesis-file=GENESIS blocks export --to=blocks.bin\`, and then ` +
    '`cairn --data-path=OTHER --genesis-file=GENESIS blocks import blocks.bin`, with an OTHER path of its own.'
  return storeFault('STORE_FOREIGN', { sentence, path })
}

function listed(names: readonly string[]): string {
  const shown = [...names].sort().slice(0, NAMED_MAX).join(', ')
  return names.length > NAMED_MAX ? `${shown} and others` : shown
}
