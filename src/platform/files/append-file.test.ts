import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { openAppendFile } from './append-file.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-append-'))
after(() => rmSync(root, { recursive: true }))
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('records are there when the promise resolves, one after another', async () => {
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

test('what is to be kept stays, and what follows it is overwritten', async () => {
  const path = join(root, 'kept')
  writeFileSync(path, 'good-bad')
  const file = await openAppendFile(path, 5)
  await file.append(bytes('new'))
  await file.close()
  assert.equal(readFileSync(path, 'utf8'), 'good-new')
})

test('a replaced file has the new content alone, and grows from there', async () => {
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

test('a folder that is not there is a fault that says so', async () => {
  await assert.rejects(openAppendFile(join(root, 'no', 'file'), 0), { kind: 'FILE_NOT_FOUND' })
})

test('a file that cannot be replaced says so, and one that is closed takes nothing', async () => {
  const path = join(root, 'blocked')
  const file = await openAppendFile(path, 0)
  rmSync(path)
  mkdirSync(join(path, 'in the way'), { recursive: true })
  await assert.rejects(file.replace(bytes('new')), (error) => error instanceof Fault)
  await file.close()
  await assert.rejects(file.append(bytes('late')))
})
