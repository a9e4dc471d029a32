import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findPlugins } from './find-plugins.ts'
import { verifyPlugin } from './verify-plugin.ts'

test('a plugin is verified if it is listed and every listed file matches', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-verify-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const sum = (text: string) => createHash('sha256').update(text).digest('hex')
  const list = join(folder, 'SHA256SUMS')
  writeFileSync(join(folder, 'one.ts'), 'one')
  writeFileSync(join(folder, 'part.js'), 'part')
  assert.throws(() => verifyPlugin(join(folder, 'one.ts')), /there is no .*SHA256SUMS/)
  writeFileSync(list, `${sum('part')}  part.js\n`)
  assert.throws(() => verifyPlugin(join(folder, 'one.ts')), /does not list it/)
  writeFileSync(list, `${sum('one')}  one.ts\n${sum('part')} *part.js\n`)
  verifyPlugin(join(folder, 'one.ts'))
  writeFileSync(join(folder, 'part.js'), 'other')
  assert.throws(() => verifyPlugin(join(folder, 'one.ts')), /part\.js is not as/)
})

test('plugins are those in the folder, or the named ones', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-find-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['b.mjs', 'a.ts', 'a.d.ts', 'notes.md', 'SHA256SUMS'])
    writeFileSync(join(folder, name), '')
  const names = (named?: readonly string[]) => findPlugins(folder, named).map(({ name }) => name)
  assert.deepEqual(names(), ['a', 'b'])
  assert.deepEqual(names(['b']), ['b'])
  assert.deepEqual(names([join(folder, 'a.ts'), 'b', 'b']), ['a', 'b'])
  assert.throws(() => names(['c']), /The plugin c was not found: .* it has a, b\./)
  assert.throws(() => names(['./c.ts']), /c\.ts was not found: there is no such file/)
  assert.deepEqual(findPlugins(join(folder, 'none'), undefined), [])
})
