import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLockfile, shrinkwrapOf } from './shrinkwrap.ts'

test('the package pins all its dependencies by version and hash, and none for development', () => {
  const { packages } = shrinkwrapOf(readLockfile())
  const below = Object.entries(packages).filter(([place]) => place !== '')
  assert.ok(below.length > 50, `${below.length} packages`)
  for (const [place, { version, integrity }] of below) {
    assert.ok(version !== undefined && integrity?.startsWith('sha512-'), place)
  }
  assert.equal(packages['node_modules/typescript'], undefined)
  assert.equal(packages['']?.devDependencies, undefined)
})

test('a package without a hash is refused', () => {
  const lockfile = { packages: { '': { version: '1' }, 'node_modules/a': { version: '1' } } }
  assert.throws(() => shrinkwrapOf(lockfile), /no integrity of node_modules\/a/)
})
