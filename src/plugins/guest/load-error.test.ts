import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { describeLoadError } from './load-error.ts'

function write(t: TestContext, files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn load '))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const describe = async (...names: readonly string[]): Promise<string> => {
    const urls = names.map((name) => pathToFileURL(join(folder, name)).href)
    const error = await import(urls[0]!).catch((thrown: unknown) => thrown)
    return describeLoadError(error, urls).replaceAll(folder, '')
  }
  return describe
}

test('a syntax error in TypeScript is shown with file, line and code', async (t) => {
  const describe = write(t, { 'a.ts': 'const x: number = 1\nconst y = = 2\nexport default x\n' })
  assert.equal(
    await describe('a.ts'),
    'Expression expected\n  /a.ts:2\n  const x: number = 1\n  const y = = 2\n            ^\n  export default x',
  )
})

test('a syntax error in JavaScript is shown with file, line and code, also in an imported file', async (t) => {
  const describe = write(t, {
    'a.js': 'export default (\n',
    'b.mjs': "import { z } from './part.mjs'\nexport default z\n",
    'part.mjs': 'export const z = 1\nlet q = = 2\n',
  })
  assert.match(await describe('a.js'), /^Unexpected end of input\n {2}\/a\.js:\d\n {2}export default \(/)
  assert.match(
    await describe('b.mjs', 'part.mjs'),
    /^Unexpected token '='\n {2}\/part\.mjs:2\n[\s\S]* {2}let q = = 2\n {10}\^/,
  )
})

test('a missing export and unsupported TypeScript are shown with file and line', async (t) => {
  const describe = write(t, {
    'a.mjs': "import { nothing } from './part.mjs'\n",
    'part.mjs': 'export const z = 1\n',
    'b.ts': 'enum A { B }\nexport default A\n',
  })
  assert.match(await describe('a.mjs'), /does not provide an export named 'nothing'\n {2}\/a\.mjs:1\n/)
  assert.match(
    await describe('b.ts'),
    /enum is not supported in strip-only mode\n {2}\/b\.ts:1\n {2}enum A \{ B \}/,
  )
})

test('an exception while a module runs is shown with its place', async (t) => {
  const describe = write(t, { 'a.mjs': "const a = 1\n  throw new Error('No luck.')\n" })
  assert.equal(await describe('a.mjs'), 'No luck. (/a.mjs:2:9)')
})

test('what is not an error, or has no place, is described by its text', () => {
  assert.equal(describeLoadError('just text', []), 'just text')
  assert.equal(describeLoadError(undefined, []), 'undefined')
  assert.equal(describeLoadError(Object.assign(new Error('x'), { stack: undefined }), []), 'x')
  assert.equal(describeLoadError(new SyntaxError('y'), ['file:///nowhere/a.js']), 'y')
})

test('a line of a bundled file is cut', async (t) => {
  const describe = write(t, { 'a.js': `export default ${'a+'.repeat(100_000)} = = 1\n` })
  assert.ok((await describe('a.js')).length < 2_000)
})
