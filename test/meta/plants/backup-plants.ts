import type { Plants } from './plant.ts'

const CREATE = 'src/store/backup/create-backup.ts'
const RESTORE = 'src/store/backup/restore-backup.ts'
const MANIFEST = 'src/store/backup/manifest.ts'
const VERIFY = 'src/store/backup/verify-backup.ts'
const COPY = 'src/store/backup/copy-file.ts'
const CAPTURE = 'src/store/backup/create-backup.ts'
const TEST = 'src/store/backup/backup.test.ts'
const FILES_TEST = 'src/store/backup/backup-files.test.ts'

export const BACKUP_PLANTS: Plants = {
  'backup-without-plugins': {
    mistake: 'backups do not contain plugin data',
    file: CREATE,
    from: 'copyAll(part, pluginFiles(options.dataPath), options)',
    to: 'copyAll(part, [], options)',
    caughtBy: FILES_TEST,
  },
  'backup-without-audit': {
    mistake: 'backups do not contain the audit log',
    file: CREATE,
    from: '{ name: AUDIT_FILE, path: auditFile },',
    to: "{ name: AUDIT_FILE, path: join(auditFile, 'none') },",
    caughtBy: FILES_TEST,
  },
  'backup-torn-audit': {
    mistake: 'half a line of the audit log is in the backup',
    file: CREATE,
    from: 'name === AUDIT_FILE ? openLines(path) : openPieces(path)',
    to: 'openPieces(path)',
    caughtBy: FILES_TEST,
  },
  'backup-reads-on': {
    mistake: 'more bytes are copied than the manifest lists',
    file: COPY,
    from: 'Math.min(buffer.length, bytes - offset)',
    to: 'buffer.length',
    caughtBy: FILES_TEST,
  },
  'backup-removes-unmarked': {
    mistake: 'an unrelated directory is removed because of its name',
    file: CREATE,
    from: 'if (owner !== undefined && !isAlive(owner, () => true)) rmSync',
    to: 'if (owner === undefined || !isAlive(owner, () => true)) rmSync',
    caughtBy: FILES_TEST,
  },
  'backup-removes-running': {
    mistake: 'the unfinished backup of another process is removed',
    file: CREATE,
    from: 'owner !== undefined && !isAlive(owner, () => true)',
    to: 'owner !== undefined',
    caughtBy: FILES_TEST,
  },
  'backup-follows-links': {
    mistake: 'a link named like an unfinished backup is removed',
    file: CREATE,
    from: 'if (!lstatSync(part, { throwIfNoEntry: false })?.isDirectory()) continue',
    to: '',
    caughtBy: FILES_TEST,
  },
  'backup-keeps-unfinished': {
    mistake: 'the remains of a killed backup are never removed',
    file: CREATE,
    from: '  removeAbandoned(to)\n  const part',
    to: '  const part',
    caughtBy: FILES_TEST,
  },
  'backup-over-another': {
    mistake: 'a backup overwrites another one',
    file: CREATE,
    from: 'if (!isMissingOrEmpty(to)) {',
    to: "if (to === '') {",
    caughtBy: TEST,
  },
  'backup-open-key': {
    mistake: 'other users can read the key in a backup',
    file: COPY,
    from: "openSync(path, 'wx', OWNER_ONLY)",
    to: "openSync(path, 'wx', 0o644)",
    caughtBy: TEST,
  },
  'backup-names-lead-out': {
    mistake: 'a name in the manifest points outside the data directory',
    file: MANIFEST,
    from: "if (typeof name !== 'string' || !NAME.test(name))",
    to: "if (typeof name !== 'string')",
    caughtBy: TEST,
  },
  'backup-any-manifest': {
    mistake: 'a changed manifest is accepted',
    file: MANIFEST,
    from: 'if (Buffer.compare(checksum, Buffer.from(checksumLine(content))) !== 0) {',
    to: 'if (checksum.length === 0) {',
    caughtBy: TEST,
  },
  'backup-any-bytes': {
    mistake: 'a flipped bit is not found',
    file: VERIFY,
    from: 'if (found.sha256 !== file.sha256)',
    to: "if (found.sha256 === '')",
    caughtBy: TEST,
  },
  'backup-any-content': {
    mistake: 'a backup with another chain than its manifest says is restored',
    file: RESTORE,
    from: 'if (textOf(manifest) === textOf(found)) return',
    to: 'if (textOf(found).length > 0) return',
    caughtBy: TEST,
  },
  'backup-of-another-network': {
    mistake: 'a backup of another network is restored',
    file: RESTORE,
    from: 'if (genesisHash === options.genesisHash) return',
    to: 'if (genesisHash.length > 0) return',
    caughtBy: TEST,
  },
  'backup-restore-over-data': {
    mistake: 'a backup is restored over the data of a node',
    file: RESTORE,
    from: 'if (names.length > 0) {',
    to: 'if (names.length > 1_000) {',
    caughtBy: TEST,
  },
  'backup-restore-removes-foreign': {
    mistake: 'an unrelated folder is removed before a restore',
    file: RESTORE,
    from: 'if (existsSync(folder) && !isOurs(folder)) {',
    to: "if (folder === '') {",
    caughtBy: FILES_TEST,
  },
  'backup-restore-beside-another': {
    mistake: 'two restores fill one data directory',
    file: RESTORE,
    from: 'owner !== process.pid && isRunning(owner)',
    to: 'owner === process.pid',
    caughtBy: TEST,
  },
  'backup-early-logs': {
    mistake: 'the backup lacks the newest blocks',
    file: CAPTURE,
    from: 'return number !== undefined && Number(number) >= firstLog',
    to: 'return number !== undefined && Number(number) < firstLog',
    caughtBy: TEST,
  },
}
