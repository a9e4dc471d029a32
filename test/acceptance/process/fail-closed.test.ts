/** The real program does not start with protective options that are not implemented. */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'

/** Values that request a missing feature. */
const VALUES: Readonly<Record<string, string>> = {
  '--key-value-storage': 'rocksdb-enc',
  '--kzg-trusted-setup': 'setup.txt',
  '--metrics-protocol': 'OPENTELEMETRY',
  '--metrics-push-enabled': 'true',
  '--network': 'LUKSO',
  '--override-genesis-config': 'chainId=7',
  '--required-blocks': `1=0x${'ab'.repeat(32)}`,
}

/** Options that Besu reads without any effect. */
const HARMLESS = [
  '--key-value-storage=rocksdb',
  '--metrics-protocol=NONE',
  '--metrics-push-enabled=false',
  '--plugins-verification-mode=NONE',
  '--security-module=localfile',
]

test('every option that refuses is tried here', () => {
  const refusing = ALL_OPTIONS.filter(({ refused }) => refused !== undefined).map(({ flag }) => flag)
  assert.deepEqual(refusing.sort(), Object.keys(VALUES))
})

for (const [flag, value] of Object.entries(VALUES)) {
  test(`${flag}=${value} stops the start with a sentence`, (context) => {
    const cwd = temporaryDirectory(context)
    writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
    const genesis = flag === '--network' ? [] : ['--genesis-file=genesis.json']
    const { code, stderr } = cairn(['--data-path=data', ...genesis, `${flag}=${value}`], { cwd })
    assert.equal(code, 2, stderr)
    const { level, msg } = JSON.parse(stderr.split('\n')[0]!)
    assert.equal(level, 'ERROR', 'a failure is JSON if the log is JSON')
    assert.match(msg, new RegExp(`^${flag}=.* is refused: [A-Z].*; .*given from the command line\\.$`))
    assert.doesNotMatch(stderr, /Cairn is up/)
    assert.equal(existsSync(join(cwd, 'data')), false, 'nothing was written')
  })
}

test('a refused option is found wherever it was given, and all of them are named at once', (context) => {
  const cwd = temporaryDirectory(context)
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  const toml = 'genesis-file="genesis.json"\nkey-value-storage="hsm"\nkzg-trusted-setup="A"\n'
  writeFileSync(join(cwd, 'besu.toml'), toml)
  const started = cairn(['--config-file=besu.toml'], { cwd })
  assert.equal(started.code, 2)
  assert.match(started.stderr, /--key-value-storage=hsm is refused.*from the config file besu\.toml/)
  assert.match(started.stderr, /--kzg-trusted-setup=A is refused/)
  const validated = cairn(['validate-config', '--config-file=besu.toml'], { cwd })
  assert.deepEqual([validated.code, validated.stdout], [1, ''])
  assert.match(validated.stderr, /--key-value-storage=hsm is refused/)
  const imported = cairn(['--config-file=besu.toml', 'blocks', 'import', 'blocks.bin'], { cwd })
  assert.equal(imported.code, 2)
  assert.match(imported.stderr, /--kzg-trusted-setup=A is refused/)
})

test('values that need nothing are accepted, and a key can be exported despite a refused option', (context) => {
  const cwd = temporaryDirectory(context)
  const { code, stderr } = cairn([...HARMLESS, '--data-path=data'], { cwd })
  assert.equal(code, 2)
  assert.doesNotMatch(stderr, /is refused/)
  assert.match(stderr, /No network is named: give its genesis file with --genesis-file/)
  assert.equal(cairn(['--key-value-storage=hsm', 'public-key', 'export'], { cwd }).code, 0)
})

test('an unknown network is refused with the known ones', () => {
  const { code, stderr } = cairn(['--network=mainet'])
  assert.equal(code, 2)
  assert.match(stderr, /'--network'.*MAINNET, SEPOLIA/)
})
