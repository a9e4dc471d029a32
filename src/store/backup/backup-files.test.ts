import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { identityText } from '#platform/process/process-identity.ts'
import { closedChain, create, folder, GONE_PID, restore, work } from './backup.fixture.ts'
import { verifyBackup } from './verify-backup.ts'

test('a backup removes the remains of a killed one, but not the work of another process', async () => {
  const source = await closedChain()
  const to = folder()
  const [left, running] = [`${to}.part-${GONE_PID}-00000000`, `${to}.part-${process.ppid}-00000000`]
  for (const [part, owner] of [
    [left, `${GONE_PID}\nstart:1\n`],
    [running, identityText(process.ppid)],
  ] as const) {
    mkdirSync(join(part, 'database'), { recursive: true })
    writeFileSync(join(part, '.cairn-backup'), owner)
  }
  await create(source, to)
  assert.deepEqual([left, running, to].map(existsSync), [false, true, true])
  assert.ok(!readdirSync(to).includes('.cairn-backup'))
})

test('a file that merely resembles an unfinished backup stays', async () => {
  const source = await closedChain()
  const to = folder()
  const [file, offsite, unmarked, link] = [
    `${to}.part-02-of-07.tar`,
    `${to}.part-20251116-offsite`,
    `${to}.part-${GONE_PID}-00000001`,
    `${to}.part-${GONE_PID}-00000002`,
  ]
  writeFileSync(file, 'of last year')
  for (const each of [offsite, unmarked]) mkdirSync(each)
  const elsewhere = folder()
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, '.cairn-backup'), `${GONE_PID}\nstart:1\n`)
  symlinkSync(elsewhere, link)
  await create(source, to)
  assert.deepEqual([file, offsite, unmarked, link, elsewhere].map(existsSync), new Array(5).fill(true))
  for (const each of [file, offsite, unmarked, link]) rmSync(each, { recursive: true })
})

test('plugin data and the audit log are backed up and restored', async () => {
  const source = await closedChain()
  mkdirSync(join(source, 'plugin-data'))
  writeFileSync(join(source, 'plugin-data', 'webhook-sink.table'), 'cursor 7')
  writeFileSync(join(source, 'plugin-data', '.webhook-sink.table.12ab.tmp'), 'half')
  writeFileSync(join(source, 'plugin-data', 'Strange name'), 'of somebody else')
  writeFileSync(join(source, 'audit.jsonl'), '{"line":1}\n{"line":2}\n{"line":3')
  const backup = folder()
  const { files } = await create(source, backup)
  assert.deepEqual(
    files.map(({ name }) => name).filter((name) => !name.startsWith('database/')),
    ['plugin-data/webhook-sink.table', 'permissions_config.toml', 'audit.jsonl'],
  )
  await verifyBackup(backup, work)
  const target = folder()
  await restore(backup, target)
  assert.equal(readFileSync(join(target, 'plugin-data', 'webhook-sink.table'), 'utf8'), 'cursor 7')
  // An incomplete last line is not copied.
  assert.equal(readFileSync(join(target, 'audit.jsonl'), 'utf8'), '{"line":1}\n{"line":2}\n')
  for (const name of ['audit.jsonl', 'plugin-data/webhook-sink.table']) {
    assert.equal(statSync(join(target, name)).mode & 0o077, 0)
  }
  rmSync(join(backup, 'plugin-data', 'webhook-sink.table'))
  await assert.rejects(verifyBackup(backup, work), { kind: 'BACKUP_INVALID', message: /webhook-sink/ })
})

test('an audit log of any length is cut after its last complete line', async () => {
  const source = await closedChain()
  for (const [text, kept] of [
    ['', ''],
    ['no line', ''],
    [`${'x'.repeat(200_000)}\n`, `${'x'.repeat(200_000)}\n`],
    [`one\n${'x'.repeat(200_000)}`, 'one\n'],
  ] as const) {
    writeFileSync(join(source, 'audit.jsonl'), text)
    const backup = folder()
    await create(source, backup)
    assert.equal(readFileSync(join(backup, 'audit.jsonl'), 'utf8'), kept)
  }
})

test('a folder called restoring that no restore made is not removed', async () => {
  const source = await closedChain()
  const backup = folder()
  await create(source, backup)
  const target = folder()
  mkdirSync(join(target, 'restoring'), { recursive: true })
  writeFileSync(join(target, 'restoring', 'photos.tar'), 'mine')
  await assert.rejects(restore(backup, target), {
    kind: 'STORE_NOT_EMPTY',
    message: /no restore of a backup made it/,
  })
  assert.equal(readFileSync(join(target, 'restoring', 'photos.tar'), 'utf8'), 'mine')
})
