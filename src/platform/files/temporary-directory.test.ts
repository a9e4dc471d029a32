import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryDirectory, removeAbandoned } from './temporary-directory.ts'

/** A process id that no process has. */
const GONE = 4_194_000
const PREFIX = 'cairn-test-'

function shared(t: { after(run: () => void): void }): string {
  const before = process.env.TMPDIR
  const folder = mkdtempSync(join(tmpdir(), 'cairn-shared-'))
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true })
  })
  return folder
}

function abandoned(folder: string, name: string, mode = 0o700): string {
  const path = join(folder, `${PREFIX}${GONE}-${name}`)
  mkdirSync(path)
  chmodSync(path, mode)
  utimesSync(path, 1, 1)
  return path
}

/** The directories that were opened to check whether they are in use. */
async function openedBy(): Promise<readonly string[]> {
  const opened: string[] = []
  await removeAbandoned(PREFIX, async (path) => {
    opened.push(path)
    return true
  })
  return opened
}

test('an abandoned directory of this user is removed', async (t) => {
  const path = abandoned(shared(t), 'own')
  assert.deepEqual(await openedBy(), [path])
  assert.equal(existsSync(path), false)
})

test('a directory that other users can write is neither opened nor removed', async (t) => {
  const folder = shared(t)
  const [path, grouped] = [abandoned(folder, 'open', 0o777), abandoned(folder, 'group', 0o770)]
  assert.deepEqual(await openedBy(), [])
  assert.deepEqual([existsSync(path), existsSync(grouped)], [true, true])
})

test('a link to a directory is neither followed nor removed', async (t) => {
  const folder = shared(t)
  const own = join(folder, 'precious')
  mkdirSync(own, { mode: 0o700 })
  utimesSync(own, 1, 1)
  const link = join(folder, `${PREFIX}${GONE}-link`)
  symlinkSync(own, link)
  assert.deepEqual(await openedBy(), [])
  assert.deepEqual([existsSync(own), existsSync(link)], [true, true])
})

test('a directory of another user is neither opened nor removed', {
  skip: process.getuid?.() !== 0,
}, async (t) => {
  const path = abandoned(shared(t), 'foreign')
  chownSync(path, 65534, 65534)
  assert.deepEqual(await openedBy(), [])
  assert.equal(existsSync(path), true)
})

test('a directory of a running process stays unchanged', async (t) => {
  shared(t)
  const made = createTemporaryDirectory(PREFIX)
  utimesSync(made.path, 1, 1)
  assert.deepEqual(await openedBy(), [])
  made.remove()
  assert.equal(existsSync(made.path), false)
})
