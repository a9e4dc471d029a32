import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLevelKv } from '#store/kv/kv.ts'
import { hashFromBytes } from '#types/hash.ts'
import {
  closedChain,
  create,
  ENTRIES,
  entryKey,
  folder,
  GENESIS,
  GONE_PID,
  openChain,
  random,
  restore,
  root,
  SMALL,
  work,
  writeBlock,
} from './backup.fixture.ts'
import { createBackup } from './create-backup.ts'
import { MANIFEST_FILE, writeManifest } from './manifest.ts'
import { restoreBackup } from './restore-backup.ts'
import { verifyBackup } from './verify-backup.ts'

/** The block to which all entries belong. */
async function blockIn(dataPath: string): Promise<number> {
  const kv = await openLevelKv(join(dataPath, 'database'), { createIfMissing: false, ...SMALL })
  try {
    const numbers = Array.from({ length: ENTRIES }, (_, index) =>
      Buffer.from(kv.get(entryKey(index))!).readUInt32BE(),
    )
    assert.equal(new Set(numbers).size, 1, `entries are of blocks ${numbers}`)
    return numbers[0]!
  } finally {
    await kv.close()
  }
}

test('each backup taken during writes and compactions is one block, and not older than the last announced one', async () => {
  const source = folder()
  const kv = await openChain(source)
  let told = 1
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      await writeBlock(kv, told + 1)
      told++
    }
  })()
  const merged = new Set<string>()
  for (let turn = 0; turn < 6; turn++) {
    const to = folder()
    const before = told
    const { head, files } = await create(source, to)
    for (const { name } of files) merged.add(name)
    assert.ok(head.number >= before && head.number <= told + 1, `${head.number} after ${before}`)
    const target = folder()
    await restore(to, target)
    assert.equal(await blockIn(target), head.number)
    for (const done of [to, target]) rmSync(done, { recursive: true })
  }
  isOver = true
  await writing
  await kv.close()
  assert.ok(merged.size > 12, `only ${merged.size} files were ever seen: nothing was merged meanwhile`)
})

test('one flipped bit anywhere is found by verify and by restore, which then leaves nothing', async () => {
  const source = await closedChain()
  const backup = folder()
  await create(source, backup, join(source, 'key'))
  const all = readdirSync(backup, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  assert.ok(all.length >= 7, `${all.length} files`)
  for (const file of all) {
    const path = join(file.parentPath, file.name)
    const whole = readFileSync(path)
    const places =
      whole.length < 100 ? whole.keys() : Array.from({ length: 20 }, () => random.randomBelow(whole.length))
    for (const at of places) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1 << random.randomBelow(8)
      writeFileSync(path, damaged)
      await assert.rejects(verifyBackup(backup, work), { kind: 'BACKUP_INVALID' }, `${file.name} at ${at}`)
    }
    // A log is empty after the database was opened and closed.
    if (whole.length === 0) continue
    const target = folder()
    await assert.rejects(restore(backup, target), { kind: 'BACKUP_INVALID' }, file.name)
    assert.ok(!existsSync(target) || readdirSync(target).length === 0)
    for (const cut of [whole.subarray(0, -1), Buffer.concat([whole, Uint8Array.of(0)])]) {
      writeFileSync(path, cut)
      await assert.rejects(verifyBackup(backup, work), { kind: 'BACKUP_INVALID' }, `${file.name} cut`)
    }
    rmSync(path)
    await assert.rejects(verifyBackup(backup, work), { kind: 'BACKUP_INVALID' }, `${file.name} missing`)
    writeFileSync(path, whole)
  }
  await verifyBackup(backup, work)
})

test('the key is included only on request, readable by its owner alone; votes never are', async () => {
  const source = await closedChain()
  const [without, with_] = [folder(), folder()]
  await create(source, without)
  await create(source, with_, join(source, 'key'))
  assert.ok(!readdirSync(without).includes('key'))
  assert.equal(statSync(join(with_, 'key')).mode & 0o777, 0o600)
  const target = folder()
  await restore(with_, target)
  assert.deepEqual(readdirSync(target).sort(), ['database', 'key', 'permissions_config.toml', 'votes'])
  assert.deepEqual([...readFileSync(join(target, 'votes'))], [1, 2, 3])
  assert.equal(statSync(join(target, 'key')).mode & 0o777, 0o600)
  assert.equal(await blockIn(target), 1)
})

test('existing files are not overwritten, and a backup of another network is refused', async () => {
  const source = await closedChain()
  const backup = folder()
  await create(source, backup)
  await assert.rejects(create(source, backup), {
    kind: 'STORE_NOT_EMPTY',
    message: /no backup is written over/,
  })
  await assert.rejects(restore(backup, source), {
    kind: 'STORE_NOT_EMPTY',
    message: /only restored into an empty directory/,
  })
  const target = folder()
  await assert.rejects(restore(backup, target, new Uint8Array(32)), {
    kind: 'STORE_OTHER_GENESIS',
    message: /belongs to another network/,
  })
  assert.ok(!existsSync(target))
  await assert.rejects(create(folder()), { kind: 'STORE_MISSING' })
  await assert.rejects(verifyBackup(source, work), { kind: 'BACKUP_INVALID', message: /is not a backup/ })
})

test('a manifest with a valid checksum and paths outside the directory is refused', async () => {
  const source = await closedChain()
  const backup = folder()
  const { version: _, id: __, ...manifest } = await create(source, backup)
  for (const name of [
    '../key',
    '/etc/passwd',
    'database/../../key',
    'database',
    'votes',
    'database/LOCK',
    'plugin-data/../../key',
    'plugin-data/.table',
    'plugin-data',
    '',
  ]) {
    for (const file of [MANIFEST_FILE, 'manifest.sha256']) rmSync(join(backup, file), { force: true })
    writeManifest(backup, { ...manifest, files: [{ ...manifest.files[0]!, name }] })
    await assert.rejects(restore(backup, folder()), { kind: 'BACKUP_INVALID', message: /no file is called/ })
  }
  for (const file of [MANIFEST_FILE, 'manifest.sha256']) rmSync(join(backup, file))
  writeManifest(backup, { ...manifest, head: { ...manifest.head, number: 99 } })
  await assert.rejects(restore(backup, folder()), /does not match its manifest/)
})

test('two concurrent backups with one name give one complete backup', async () => {
  const source = await closedChain()
  const to = folder()
  const ended = await Promise.allSettled([create(source, to), create(source, to)])
  assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await verifyBackup(to, work)
  assert.deepEqual(
    readdirSync(root).filter((name) => name.includes('.part-') && !name.includes(`${process.ppid}`)),
    [],
  )
})

test('a killed restore leaves no data directory and can be resumed or restarted', async () => {
  const source = await closedChain()
  const [backup, other] = [folder(), folder()]
  await create(source, backup)
  await create(source, other, join(source, 'key'))
  const whole = folder()
  await restore(backup, whole)
  const refuses = async (dataPath: string) =>
    assert
      .rejects(openLevelKv(join(dataPath, 'database'), { createIfMissing: true }), {
        kind: 'STORE_UNFINISHED',
        message: /The restore of a backup into/,
      })
      .then(() => assert.ok(!existsSync(join(dataPath, 'database'))))

  const early = folder()
  mkdirSync(join(early, 'restoring', 'database'), { recursive: true })
  writeFileSync(join(early, 'restoring', `.restored-by-${GONE_PID}`), '')
  writeFileSync(join(early, 'restoring', 'database', '000005.ldb'), 'half')
  await refuses(early)
  await restore(backup, early)
  assert.equal(await blockIn(early), 1)

  const late = folder()
  mkdirSync(join(late, 'restoring'), { recursive: true })
  cpSync(join(whole, 'votes'), join(late, 'votes'))
  cpSync(join(whole, 'database'), join(late, 'restoring', 'database'), { recursive: true })
  const { id } = await verifyBackup(backup, work)
  writeFileSync(join(late, 'restoring', '.ready'), id)
  await refuses(late)
  await assert.rejects(restore(other, late), {
    kind: 'STORE_UNFINISHED',
    message: /Another backup was being/,
  })
  await restore(backup, late)
  assert.deepEqual(readdirSync(late).sort(), ['database', 'votes'])

  mkdirSync(join(late, 'restoring'))
  await restore(backup, late)
  assert.equal(await blockIn(late), 1)
  await assert.rejects(restore(backup, late), { kind: 'STORE_NOT_EMPTY' })

  const busy = folder()
  mkdirSync(join(busy, 'restoring'), { recursive: true })
  writeFileSync(join(busy, 'restoring', `.restored-by-${process.ppid}`), '')
  await assert.rejects(restore(backup, busy), { kind: 'STORE_IN_USE' })
})

test('an interrupted backup and an interrupted restore leave nothing', async () => {
  const source = await closedChain()
  const [backup, to, target] = [folder(), folder(), folder()]
  await create(source, backup)
  const aborted = { ...work, signal: AbortSignal.abort() }
  const auditFile = join(source, 'audit.jsonl')
  const options = { to, dataPath: source, database: join(source, 'database'), keyFile: undefined, auditFile }
  await assert.rejects(createBackup({ ...aborted, ...options, madeBy: '', madeAt: '' }), {
    kind: 'INTERRUPTED',
  })
  assert.ok(!existsSync(to))
  const genesisHash = hashFromBytes(GENESIS)
  await assert.rejects(
    restoreBackup({ ...aborted, from: backup, dataPath: target, genesisHash, additions: {} }),
    {
      kind: 'INTERRUPTED',
    },
  )
  assert.deepEqual(readdirSync(target), [])
})

test('a damaged table is found when the backup is made, not when it is needed', async () => {
  const source = folder()
  const kv = await openChain(source)
  for (let number = 2; number < 40; number++) await writeBlock(kv, number)
  await kv.close()
  const database = join(source, 'database')
  const table = readdirSync(database).find((name) => name.endsWith('.ldb'))!
  const content = readFileSync(join(database, table))
  content[100]! ^= 1
  writeFileSync(join(database, table), content)
  await assert.rejects(create(source), { kind: 'STORE_CORRUPT' })
  renameSync(join(database, table), join(database, `${table}.away`))
  await assert.rejects(create(source), { kind: 'STORE_FAILED', message: /do not fit together/ })
})
