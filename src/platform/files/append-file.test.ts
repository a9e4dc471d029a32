import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { openAppendFile } from './append-file.ts'
import { appendDurably } from './durable-lines.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-append-'))
after(() => rmSync(root, { recursive: true }))
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('appended records are readable when the promise resolves, in order', async () => {
  const path = join(root, 'grows')
  const file = await openAppendFile(path, 0)
  await file.append(bytes('one'))
  assert.equal(readFileSync(path, 'utf8'), 'one')
  await file.append(bytes('two'))
  assert.equal(readFileSync(path, 'utf8'), 'onetwo')
  assert.equal(file.sizeBytes, 6)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  await file.close()
})

test('the kept bytes stay, and the bytes after them are overwritten', async () => {
  const path = join(root, 'kept')
  writeFileSync(path, 'good-bad')
  const file = await openAppendFile(path, 5)
  await file.append(bytes('new'))
  await file.close()
  assert.equal(readFileSync(path, 'utf8'), 'good-new')
})

test('a replaced file has only the new content, and grows from there', async () => {
  const folder = mkdtempSync(join(root, 'replaced-'))
  const path = join(folder, 'file')
  const file = await openAppendFile(path, 0)
  await file.append(bytes('a long first content'))
  await file.replace(bytes('new'))
  await file.append(bytes('er'))
  await file.close()
  assert.equal(readFileSync(path, 'utf8'), 'newer')
  assert.deepEqual(readdirSync(folder), ['file'])
})

test('a missing folder is a fault that says so', async () => {
  await assert.rejects(openAppendFile(join(root, 'no', 'file'), 0), { kind: 'FILE_NOT_FOUND' })
})

test('a file that cannot be replaced is a fault, and a closed one accepts nothing', async () => {
  const path = join(root, 'blocked')
  const file = await openAppendFile(path, 0)
  rmSync(path)
  mkdirSync(join(path, 'in the way'), { recursive: true })
  await assert.rejects(file.replace(bytes('new')), (error) => error instanceof Fault)
  await file.close()
  await assert.rejects(file.append(bytes('late')))
})

/** Both ways to open a file that grows. */
const WAYS = [
  (path: string) => openAppendFile(path, 0).then((file) => file.close()),
  (path: string) => appendDurably(path, bytes('line')),
]

test('a link in place of a growing file is refused, and its target is neither truncated nor written', async () => {
  const folder = mkdtempSync(join(root, 'linked-'))
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'precious')
  symlinkSync(victim, join(folder, 'link'))
  symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'))
  for (const open of WAYS) {
    await assert.rejects(open(join(folder, 'link')), { kind: 'FILE_NOT_REGULAR' })
    await assert.rejects(open(join(folder, 'dangling')), { kind: 'FILE_NOT_REGULAR' })
  }
  assert.equal(readFileSync(victim, 'utf8'), 'precious')
  assert.deepEqual(readdirSync(folder).toSorted(), ['dangling', 'link', 'victim'])
})

test('a replacement never writes through a link put in its place', async () => {
  const folder = mkdtempSync(join(root, 'new-'))
  const [path, victim] = [join(folder, 'file'), join(folder, 'victim')]
  writeFileSync(victim, 'precious')
  symlinkSync(victim, `${path}.new`)
  const file = await openAppendFile(path, 0)
  await file.replace(bytes('new'))
  await file.close()
  assert.deepEqual([readFileSync(path, 'utf8'), readFileSync(victim, 'utf8')], ['new', 'precious'])
})

test('a pipe in place of a growing file is refused without waiting', {
  skip: process.platform === 'win32',
}, async () => {
  const path = join(root, 'pipe')
  execFileSync('mkfifo', [path])
  for (const open of WAYS) await assert.rejects(open(path), (error) => error instanceof Fault)
})

test('a file that another user put into a shared directory is refused', {
  skip: process.getuid?.() !== 0,
}, async () => {
  const folder = mkdtempSync(join(root, 'shared-'))
  chmodSync(folder, 0o1777)
  const path = join(folder, 'file')
  writeFileSync(path, '')
  chownSync(path, 65534, 65534)
  // The kernel refuses it too if fs.protected_regular is on.
  for (const open of WAYS) await assert.rejects(open(path), { kind: 'FILE_NO_PERMISSION' })
  chmodSync(folder, 0o755)
  for (const open of WAYS) await open(path)
})
