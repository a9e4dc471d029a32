import assert from 'node:assert/strict'
import {
  chmodSync,
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
import { EditedFile } from './edited-file.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-edited-'))
after(() => rmSync(root, { recursive: true }))
const MAX_BYTES = 100

function fileWith(name: string, content: string | Uint8Array): EditedFile {
  writeFileSync(join(root, name), content)
  return new EditedFile(join(root, name), MAX_BYTES)
}

async function kindOf(failing: Promise<unknown>): Promise<string> {
  const error = await failing.then(
    () => assert.fail('it failed'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Fault)
  return error.kind
}

test('a file is replaced completely, with its mode, and no other file is left', async () => {
  const file = fileWith('whole', 'old')
  chmodSync(file.path, 0o640)
  assert.equal(await file.replace('old', 'new'), 'replaced')
  assert.equal(await file.read(), 'new')
  assert.equal(statSync(file.path).mode & 0o777, 0o640)
  assert.deepEqual(
    readdirSync(root).filter((name) => name.includes('whole')),
    ['whole'],
  )
})

test('a file changed by another writer stays unchanged', async () => {
  const file = fileWith('shared', 'by hand')
  assert.equal(await file.replace('old', 'new'), 'changed')
  assert.equal(readFileSync(file.path, 'utf8'), 'by hand')
  assert.ok(!readdirSync(root).some((name) => name.includes('.tmp')))
})

test('a link stays a link, and its target is replaced', async () => {
  fileWith('target', 'old')
  symlinkSync(join(root, 'target'), join(root, 'link'))
  await new EditedFile(join(root, 'link'), MAX_BYTES).replace('old', 'new')
  assert.equal(readFileSync(join(root, 'target'), 'utf8'), 'new')
})

test('a file that this user may not write is not replaced, even if its folder would allow it', {
  skip: process.getuid?.() === 0 && 'root may write everything',
}, async () => {
  const file = fileWith('read-only', 'old')
  chmodSync(file.path, 0o444)
  assert.equal(await kindOf(file.replace('old', 'new')), 'FILE_NO_PERMISSION')
  assert.equal(await kindOf(file.requireWritable()), 'FILE_NO_PERMISSION')
})

test('a missing file, a file that is too large and a binary file are faults', async () => {
  const away = new EditedFile(join(root, 'away'), MAX_BYTES)
  assert.equal(await kindOf(away.read()), 'FILE_NOT_FOUND')
  assert.equal(await kindOf(away.replace('', 'new')), 'FILE_NOT_FOUND')
  assert.equal(await away.stamp(), undefined)
  const large = fileWith('large', 'x'.repeat(MAX_BYTES + 1))
  assert.equal(await kindOf(large.read()), 'FILE_TOO_LARGE')
  assert.equal(await kindOf(fileWith('small', '').replace('', 'x'.repeat(MAX_BYTES + 1))), 'FILE_TOO_LARGE')
  assert.equal(await kindOf(fileWith('bytes', new Uint8Array([0xff])).read()), 'FILE_NOT_TEXT')
  assert.equal((await fileWith('full', 'x'.repeat(MAX_BYTES)).read()).length, MAX_BYTES)
})

test('the stamp changes after every write, however small and quick', async () => {
  const file = fileWith('stamped', 'a')
  const first = await file.stamp()
  assert.equal(await file.stamp(), first)
  await file.replace('a', 'b')
  assert.notEqual(await file.stamp(), first)
})
