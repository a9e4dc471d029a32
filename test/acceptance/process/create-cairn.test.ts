/** The program behind `npm create cairn`. known-ports/tarball.test.ts tests and deploys a project from the packed files. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { temporaryDirectory } from '../../support/program.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

function create(cwd: string, ...args: string[]) {
  const program = join(CHECKOUT, 'create', 'create-cairn.js')
  return spawnSync(process.execPath, [program, ...args], { cwd, encoding: 'utf8' })
}

function readManifest(...path: string[]): Manifest {
  return JSON.parse(readFileSync(join(...path, 'package.json'), 'utf8')) as Manifest
}

test('a new project has the versions of this checkout', () => {
  const own = readManifest(CHECKOUT)
  const { solc, viem } = own.devDependencies
  assert.equal(readManifest(CHECKOUT, 'create').version, own.version)
  const { dependencies } = readManifest(CHECKOUT, 'create', 'template')
  assert.deepEqual(dependencies, { 'cairn-node': own.version, solc, viem })
})

test('the project is complete, in a new or an empty directory', (context) => {
  const cwd = temporaryDirectory(context)
  mkdirSync(join(cwd, 'empty'))
  for (const name of ['deep/er/new', 'empty']) {
    const { status, stdout } = create(cwd, name)
    assert.equal(status, 0)
    assert.ok(stdout.includes(`cd ${name}\n`), stdout)
    assert.deepEqual(readdirSync(join(cwd, name)).sort(), [
      '.gitignore',
      'README.md',
      'contracts',
      'package.json',
      'scripts',
      'test',
    ])
  }
  assert.equal(create(cwd).status, 0)
  assert.equal(readManifest(cwd, 'cairn-project').name, 'cairn-project')
})

test('a directory with files is refused and stays as it is', (context) => {
  const cwd = temporaryDirectory(context)
  mkdirSync(join(cwd, 'full'))
  writeFileSync(join(cwd, 'full', '.hidden'), 'mine')
  const { status, stderr } = create(cwd, 'full')
  assert.equal(status, 1)
  assert.match(stderr, /full is not empty\. Name a new directory/)
  assert.deepEqual(readdirSync(join(cwd, 'full')), ['.hidden'])
})

test('a file in the place of the directory is refused with the reason', (context) => {
  const cwd = temporaryDirectory(context)
  writeFileSync(join(cwd, 'file'), 'mine')
  for (const name of ['file', 'file/below']) {
    const { status, stderr } = create(cwd, name)
    assert.equal(status, 1)
    assert.match(stderr, /was not created: ENOTDIR/)
  }
  assert.equal(readFileSync(join(cwd, 'file'), 'utf8'), 'mine')
})

test('options and further arguments are refused', (context) => {
  const cwd = temporaryDirectory(context)
  for (const args of [['--template'], ['one', 'two'], ['']]) {
    const { status, stderr } = create(cwd, ...args)
    assert.equal(status, 1)
    assert.match(stderr, /^Usage: /)
  }
  assert.equal(create(cwd, '--help').status, 0)
  assert.deepEqual(readdirSync(cwd), [])
})

test('npm accepts the name of the project, whatever the directory is called', (context) => {
  const cwd = temporaryDirectory(context)
  const names = { "It's Mine": 'it-s-mine', 'ünïcode.': 'n-code', 日本: 'cairn-project', _private: 'private' }
  for (const [directory, name] of Object.entries(names)) {
    assert.equal(create(cwd, directory).status, 0)
    assert.equal(readManifest(cwd, directory).name, name)
  }
  assert.match(create(cwd, "It's new").stdout, /cd 'It'\\''s new'\n/)
})
