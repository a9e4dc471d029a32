import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findForbidden } from './crates.ts'

const LOCK = 'source = "registry+https://github.com/rust-lang/crates.io-index"\n'
const ALLOWED = ['MIT', 'Apache-2.0', 'ISC']
const find = (tree: string, lock = LOCK): string[] => findForbidden(lock, tree, ALLOWED)

test('crates of the registry with allowed licences pass, however the licence is written', () => {
  const licences = ['MIT', 'GPL-3.0 OR MIT', 'GPL-3.0/MIT', 'ISC AND (GPL-3.0 OR Apache-2.0) AND MIT']
  assert.deepEqual(find(licences.map((licence, index) => `crate${index} v1.0.0|${licence}`).join('\n')), [])
  assert.deepEqual(find('syn v1.0.0|MIT\nsyn v2.0.0|MIT\nrevm v1.0.0|MIT\nrevm v1.0.0|MIT (*)\n'), [])
})

test('a missing or disallowed licence is reported with its crate', () => {
  for (const licence of ['GPL-3.0', 'MIT AND GPL-3.0', 'MIT AND (GPL-3.0 OR MPL-2.0)', '']) {
    assert.deepEqual(find(`crate v1.0.0|${licence}`), [
      `crate v1.0.0 has the licence "${licence}" (deny.toml).`,
    ])
  }
})

test('a crate from another source and a second version of revm are reported', () => {
  assert.deepEqual(find('crate v1.0.0|MIT', `${LOCK}source = "git+https://example.org/crate"\n`), [
    'Cargo.lock has a crate from git+https://example.org/crate.',
  ])
  assert.deepEqual(find('revm v1.0.0|MIT\nrevm v2.0.0|MIT'), ['revm is linked in more than one version.'])
})
