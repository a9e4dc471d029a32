/** A user who can write compiled code decides which code runs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../bin/cairn', import.meta.url))

/** The program's temporary directory, and its folder for compiled code. */
function places(t: { after(run: () => void): void }): { folder: string; cache: string } {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-compiled-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return { folder, cache: join(folder, `cairn-compile-cache-${process.getuid?.()}`) }
}

function run(folder: string): void {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  execFileSync(process.execPath, [PROGRAM, '--version'], { env: { ...env, TMPDIR: folder } })
}

const skip = process.platform === 'win32'

test('compiled code is kept in a directory that only this user can access', { skip }, (t) => {
  const { folder, cache } = places(t)
  run(folder)
  assert.equal(statSync(cache).mode & 0o777, 0o700)
  assert.notEqual(readdirSync(cache).length, 0)
  assert.deepEqual(readdirSync(folder), [`cairn-compile-cache-${process.getuid?.()}`])
})

test('compiled code is neither read from nor written to a directory that others can write', { skip }, (t) => {
  const { folder, cache } = places(t)
  mkdirSync(cache)
  chmodSync(cache, 0o777)
  run(folder)
  assert.deepEqual(readdirSync(cache), [])
})

test('compiled code does not follow a link', { skip }, (t) => {
  const { folder, cache } = places(t)
  const target = join(folder, 'elsewhere')
  mkdirSync(target, { mode: 0o700 })
  symlinkSync(target, cache)
  run(folder)
  assert.deepEqual(readdirSync(target), [])
  assert.equal(existsSync(join(folder, 'node-compile-cache')), false)
})
