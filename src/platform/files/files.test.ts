import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { fileFault } from './file-faults.ts'
import {
  ensureDirectory,
  isEmptyDirectory,
  kindOfPath,
  readFileBounded,
  readTextBounded,
  writeFileAtomic,
  writeFileNew,
} from './files.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-files-'))
after(() => rmSync(root, { recursive: true }))
const inRoot = (name: string): string => join(root, name)
const modeOf = (path: string): number => statSync(path).mode & 0o777

function faultOf(run: () => unknown): Fault {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof Fault, String(error))
    return error
  }
  throw new assert.AssertionError({ message: 'a Fault is thrown' })
}

test('an atomic write replaces the content and leaves nothing else in the folder', () => {
  const folder = inRoot('atomic')
  mkdirSync(folder)
  writeFileAtomic(join(folder, 'a.txt'), 'one')
  writeFileAtomic(join(folder, 'a.txt'), new TextEncoder().encode('two'))
  assert.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'two')
  assert.deepEqual(readdirSync(folder), ['a.txt'])
})

test('an atomic write keeps the permission bits of the file it replaces unless a mode is given', () => {
  const path = inRoot('mode')
  writeFileAtomic(path, 'key', { mode: 0o600 })
  assert.equal(modeOf(path), 0o600)
  writeFileAtomic(path, 'key 2')
  assert.equal(modeOf(path), 0o600)
  writeFileAtomic(path, 'public', { mode: 0o666 })
  assert.equal(modeOf(path), 0o666)
})

test('an atomic write refuses a symbolic link and leaves its target alone', () => {
  writeFileSync(inRoot('target'), 'old')
  symlinkSync(inRoot('target'), inRoot('link'))
  symlinkSync(inRoot('nothing'), inRoot('dangling'))
  for (const name of ['link', 'dangling']) {
    assert.equal(faultOf(() => writeFileAtomic(inRoot(name), 'new')).kind, 'FILE_NOT_REGULAR')
  }
  assert.equal(readFileSync(inRoot('target'), 'utf8'), 'old')
  assert.equal(existsSync(inRoot('nothing')), false)
  assert.equal(readlinkSync(inRoot('link')), inRoot('target'))
})

test("an atomic write does not adopt the permission bits of another user's file", {
  skip: process.getuid?.() !== 0,
}, () => {
  writeFileSync(inRoot('planted'), 'old')
  chmodSync(inRoot('planted'), 0o666)
  chownSync(inRoot('planted'), 65534, 65534)
  writeFileAtomic(inRoot('planted'), 'new')
  const { mode, uid } = statSync(inRoot('planted'))
  assert.deepEqual([mode & 0o777, uid], [0o644, 0])
})

test('an atomic write that fails leaves the old content and no temporary file', () => {
  const folder = inRoot('fails')
  mkdirSync(join(folder, 'sub'), { recursive: true })
  assert.equal(faultOf(() => writeFileAtomic(join(folder, 'sub'), 'x')).kind, 'FILE_IS_DIRECTORY')
  assert.deepEqual(readdirSync(folder), ['sub'])
})

test('a new file is created once with its mode and never overwritten', () => {
  const path = inRoot('key')
  writeFileNew(path, 'secret', { mode: 0o600 })
  assert.equal(modeOf(path), 0o600)
  const fault = faultOf(() => writeFileNew(path, 'other'))
  assert.equal(fault.kind, 'FILE_EXISTS')
  assert.equal(readFileSync(path, 'utf8'), 'secret')
})

test('a bounded read accepts a file of exactly the limit and refuses one byte more', () => {
  const path = inRoot('hundred')
  writeFileSync(path, 'x'.repeat(100))
  assert.equal(readFileBounded(path, 100).length, 100)
  const fault = faultOf(() => readFileBounded(path, 99))
  assert.equal(fault.kind, 'FILE_TOO_LARGE')
  assert.match(fault.message, /has 100 bytes; at most 99 are accepted/)
})

test('a bounded read does not trust the reported size of a special file', {
  skip: process.platform !== 'linux',
}, () => {
  assert.ok(readFileBounded('/proc/self/status', 100_000).length > 0)
  assert.equal(faultOf(() => readFileBounded('/dev/zero', 100_000)).kind, 'FILE_TOO_LARGE')
})

test('text that is not UTF-8 is refused', () => {
  writeFileSync(inRoot('latin'), Uint8Array.of(0x61, 0xe9))
  assert.equal(faultOf(() => readTextBounded(inRoot('latin'), 10)).kind, 'FILE_NOT_TEXT')
  writeFileSync(inRoot('utf8'), 'é')
  assert.equal(readTextBounded(inRoot('utf8'), 10), 'é')
})

test('a missing file, a directory and a file in the way have different faults', () => {
  writeFileSync(inRoot('file'), '')
  assert.equal(
    faultOf(() => readFileBounded(inRoot('none'), 1)).message,
    `${inRoot('none')} does not exist. Check the path.`,
  )
  assert.equal(faultOf(() => readFileBounded(root, 1)).kind, 'FILE_IS_DIRECTORY')
  assert.equal(faultOf(() => readFileBounded(inRoot('file/x'), 1)).kind, 'FILE_NOT_DIRECTORY')
  assert.equal(faultOf(() => writeFileAtomic(inRoot('none/x'), '')).kind, 'FILE_NOT_FOUND')
})

test('a file without permission is reported as such', { skip: process.getuid?.() === 0 }, () => {
  writeFileSync(inRoot('closed'), 'x')
  chmodSync(inRoot('closed'), 0)
  assert.equal(faultOf(() => readFileBounded(inRoot('closed'), 1)).kind, 'FILE_NO_PERMISSION')
})

test('system errors that a test cannot cause have their own sentences', () => {
  const faultFor = (code: string): unknown =>
    fileFault('write', '/data/x', Object.assign(new Error('system words'), { code, errno: -1 }))
  const kindFor = (code: string): string => (faultFor(code) as Fault).kind
  assert.equal(kindFor('EACCES'), 'FILE_NO_PERMISSION')
  assert.equal(kindFor('EROFS'), 'FILE_NO_PERMISSION')
  assert.equal(kindFor('ENOSPC'), 'DISK_FULL')
  assert.equal(kindFor('EBUSY'), 'FILE_BUSY')
  assert.equal((faultFor('EIO') as Fault).message, 'Could not write /data/x: system words.')
  assert.ok(fileFault('write', '/data/x', new TypeError('bug')) instanceof TypeError)
})

test('a directory is created with its missing parents', () => {
  ensureDirectory(inRoot('d/e'))
  ensureDirectory(inRoot('d/e'))
  writeFileSync(inRoot('d/file'), '')
  assert.equal(faultOf(() => ensureDirectory(inRoot('d/file'))).kind, 'FILE_NOT_DIRECTORY')
  assert.deepEqual([isEmptyDirectory(inRoot('d/e')), isEmptyDirectory(inRoot('d'))], [true, false])
  assert.equal(kindOfPath(inRoot('d/e')), 'directory')
  assert.equal(kindOfPath(inRoot('d/file')), 'file')
  assert.equal(kindOfPath('/dev/null'), 'other')
  assert.equal(kindOfPath(inRoot('none')), undefined)
})
