import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Given, OptionIndex, parseArguments } from './command-line.ts'
import {
  boolean,
  integer,
  listOf,
  oneOf,
  pairs,
  percentage,
  port,
  secretText,
  text,
  unsigned,
} from './kinds.ts'
import { defineOptions } from './option.ts'
import { sourceOptions } from './options.ts'
import { formatOverview, loadSettings, type Settings } from './settings.ts'

const options = defineOptions('Test', {
  port: { flag: '--rpc-http-port', kind: port(), default: 8545, help: 'Port.' },
  apis: {
    flag: '--rpc-http-api',
    aliases: ['--rpc-http-apis'],
    kind: listOf(text),
    default: ['ETH'],
    help: 'APIs.',
  },
  enabled: { flag: '--rpc-http-enabled', kind: boolean, default: false, help: 'On.' },
  password: { flag: '--keystore-password', kind: secretText, help: 'Secret.' },
  old: { flag: '--old', kind: integer(), help: 'Old.', inert: { why: 'It tunes what Cairn does not have.' } },
  feature: { flag: '--feature', kind: boolean, help: 'On.', inert: { why: 'None.', isMet: (on) => !on } },
  featurePort: {
    flag: '--feature-port',
    kind: port(),
    help: 'P.',
    inert: { why: 'None.', partOf: '--feature' },
  },
  guard: {
    flag: '--guard',
    kind: boolean,
    help: 'Guard.',
    refused: { why: 'Nobody guards.', accepts: (isOn) => !isOn },
  },
  mode: { flag: '--sync-mode', kind: oneOf(['FULL', 'SNAP'], { FAST: 'SNAP' }), help: 'Mode.' },
})
const all = [...Object.values(sourceOptions), ...Object.values(options)]

interface From {
  args?: string[]
  environment?: Record<string, string>
  files?: Record<string, string>
}

function load({ args = [], environment = {}, files = {} }: From): Settings {
  const commandLine: Given[] = parseArguments(args, new OptionIndex(all)).given
  return loadSettings({ options: all, commandLine, environment, readText: (path) => files[path] })
}

const refuses = (from: From, sentence: RegExp) =>
  assert.throws(() => load(from), { name: 'Fault', message: sentence })

test('an option that is not given has its default', () => {
  assert.equal(load({}).get(options.port), 8545)
  assert.equal(load({}).isGiven(options.port), false)
})

test('the command line wins over environment, file and profile, in this order', () => {
  const files = { 'c.toml': 'rpc-http-port = 3\nprofile = "mine"', 'profiles/mine.toml': 'rpc-http-port = 4' }
  const environment = { CAIRN_RPC_HTTP_PORT: '2' }
  const file = ['--config-file=c.toml']
  assert.equal(load({ args: [...file, '--rpc-http-port=1'], environment, files }).get(options.port), 1)
  assert.equal(load({ args: file, environment, files }).get(options.port), 2)
  assert.equal(load({ args: file, files }).get(options.port), 3)
  assert.equal(load({ args: ['--profile=mine'], files }).get(options.port), 4)
})

test('every accepted name means the same option', () => {
  for (const args of [
    ['--rpc-http-apis', 'NET,WEB3'],
    ['--rpc-http-api=NET', '--rpc-http-api=WEB3'],
  ]) {
    assert.deepEqual(load({ args }).get(options.apis), ['NET', 'WEB3'])
  }
  for (const prefix of ['CAIRN_', 'BESU_', 'PANTHEON_']) {
    assert.equal(load({ environment: { [`${prefix}RPC_HTTP_PORT`]: '7' } }).get(options.port), 7)
  }
  const files = { 'c.toml': '[rpc]\nrpc-http-apis = ["NET", "WEB3"]' }
  assert.deepEqual(load({ args: ['--config-file', 'c.toml'], files }).get(options.apis), ['NET', 'WEB3'])
})

test('a bare switch is on, and takes the next word only if it is true or false', () => {
  assert.equal(load({ args: ['--rpc-http-enabled'] }).get(options.enabled), true)
  assert.equal(load({ args: ['--rpc-http-enabled', 'false'] }).get(options.enabled), false)
  const { words } = parseArguments(['--rpc-http-enabled', 'rlp'], new OptionIndex(all), { stopAtWord: true })
  assert.deepEqual(words, ['rlp'])
})

test('a refused value names the option, the value and its origin', () => {
  refuses(
    { args: ['--rpc-http-port=abc'] },
    /'--rpc-http-port': 'abc' is not an int \(from the command line\)/,
  )
  refuses({ environment: { BESU_RPC_HTTP_PORT: 'abc' } }, /environment variable BESU_RPC_HTTP_PORT/)
  refuses(
    { args: ['--config-file=c.toml'], files: { 'c.toml': 'rpc-http-port="abc"' } },
    /config file c\.toml/,
  )
  refuses({ args: ['--rpc-http-port=70000'] }, /a port is 0 to 65535/)
  refuses({ args: ['--sync-mode=x'] }, /expected one of \[FULL, SNAP\]/)
})

test('an unknown option or key is refused with the nearest known name', () => {
  refuses(
    { args: ['--rpc-http-prot=1'] },
    /Unknown option: '--rpc-http-prot=1'\. Did you mean --rpc-http-port/,
  )
  refuses(
    { args: ['--config-file=c.toml'], files: { 'c.toml': 'rpc-http-prot=1' } },
    /c\.toml: rpc-http-prot\. Did you mean rpc-http-port/,
  )
  const environment = { CAIRN_RPC_HTTP_PROT: '1', CAIRN_ENGINE: 'js', BESU_OPTS: '-Xmx1g' }
  const [warning, ...more] = load({ environment }).warnings
  assert.match(warning!, /CAIRN_RPC_HTTP_PROT .* Did you mean CAIRN_RPC_HTTP_PORT/)
  assert.deepEqual(more, [])
})

test('a name of an earlier version of Besu is answered with what became of it', () => {
  refuses(
    { args: ['--host-whitelist=*'] },
    /'--host-whitelist=\*'\. Besu renamed it: use --host-allowlist\.$/,
  )
  refuses(
    { args: ['--permissions-nodes-contract-address=0x1'] },
    /Cairn reads permissions from a file, not from a contract; .* Remove the option\.$/,
  )
  refuses(
    { args: ['--config-file=c.toml'], files: { 'c.toml': 'host-whitelist="*"' } },
    /c\.toml: host-whitelist\. Besu renamed it: use host-allowlist\.$/,
  )
  refuses(
    {
      args: ['--config-file=c.toml'],
      files: { 'c.toml': 'permissions-accounts-contract-enabled=true\nrpc-http-prot=1' },
    },
    /permissions-accounts-contract-enabled: Cairn reads permissions .* Did you mean rpc-http-port\?$/,
  )
  const environment = {
    BESU_HOST_WHITELIST: '*',
    CAIRN_XHISTORY_EXPIRY_PRUNE: 'true',
    BESU_PERMISSIONS_NODES_CONTRACT_ENABLED: 'false',
    BESU_OPTS: '-Xmx1g',
  }
  assert.deepEqual(
    load({ environment }).warnings.map((sentence) => sentence.replace(/\. [CB].*/, '')),
    Object.keys(environment)
      .slice(0, 3)
      .map((name) => `The environment variable ${name} is ignored`),
  )
  refuses(
    { environment: { BESU_PERMISSIONS_ACCOUNTS_CONTRACT_ENABLED: 'true' } },
    /BESU_PERMISSIONS_ACCOUNTS_CONTRACT_ENABLED is refused\. Cairn reads permissions/,
  )
})

test('a file full of unknown keys is refused at once', () => {
  const toml = Array.from({ length: 20_000 }, (_, index) => `rpc-http-prot${index}=1`).join('\n')
  // Processor time, because a busy machine says nothing about the work.
  const before = process.cpuUsage()
  refuses({ args: ['--config-file=c.toml'], files: { 'c.toml': toml } }, /rpc-http-prot9 and 19990 more\./)
  assert.ok(process.cpuUsage(before).user < 1_000_000)
})

test('an option given twice, or in two contradicting ways, is refused', () => {
  refuses({ args: ['--rpc-http-port=1', '--rpc-http-port=2'] }, /only once/)
  refuses(
    { environment: { CAIRN_RPC_HTTP_PORT: '1', BESU_RPC_HTTP_PORT: '2' } },
    /different values; unset one/,
  )
  const files = { a: 'rpc-http-port=1' }
  refuses(
    { args: ['--config-file=a'], environment: { BESU_CONFIG_FILE: 'a' }, files },
    /Please specify only one/,
  )
})

test('a missing value, file or profile is refused with a remedy', () => {
  refuses({ args: ['--rpc-http-port'] }, /write --rpc-http-port=<PORT>/)
  refuses({ args: ['--config-file=none.toml'] }, /file not found: none\.toml/)
  refuses({ args: ['--config-file=e'], files: { e: ' \n' } }, /empty TOML configuration file e/)
  refuses({ args: ['--config-file=b'], files: { b: 'a=1\nb=' } }, /b, line 2, column/)
  refuses({ args: ['--profile=enterprize'] }, /Did you mean enterprise/)
})

test('an option without effect is read, checked and named in one warning', () => {
  assert.deepEqual(load({ args: ['--old=3'] }).warnings, [
    '--old (from the command line) has no effect: It tunes what Cairn does not have.',
  ])
  refuses({ args: ['--old=x'] }, /not an int/)
})

test('a feature that Cairn does not have needs no warning while it is off', () => {
  const warned = (...args: string[]) => load({ args }).warnings.map((sentence) => sentence.split(' ')[0])
  assert.deepEqual(warned('--feature=false', '--feature-port=1'), [])
  assert.deepEqual(warned('--feature-port=1'), [])
  assert.deepEqual(warned('--feature', '--feature-port=1'), ['--feature', '--feature-port'])
  const files = { c: 'feature=true\nfeature-port=1' }
  assert.deepEqual(load({ args: ['--feature=false', '--config-file=c'], files }).warnings, [])
  assert.deepEqual(
    load({ args: ['--feature-port=1'], environment: { BESU_FEATURE: 'true' } }).warnings.length,
    2,
  )
})

test('a refused option is named with its origin, unless its value needs nothing', () => {
  assert.deepEqual(load({ args: ['--guard'] }).refusals(), [
    '--guard=true is refused: Nobody guards. It was given from the command line.',
  ])
  const files = { 'profiles/safe.toml': 'guard=true' }
  assert.equal(load({ args: ['--profile=safe'], files }).refusals().length, 1)
  assert.deepEqual(load({ args: ['--guard=false'] }).refusals(), [])
  assert.deepEqual(load({}).refusals(), [])
})

test('the overview shows the options in force with their origin, and no secret', () => {
  const settings = load({ args: ['--keystore-password=hunter2'], environment: { BESU_RPC_HTTP_PORT: '1' } })
  assert.deepEqual(formatOverview(settings, [options.enabled]), [
    '--rpc-http-enabled=false (by default)',
    '--rpc-http-port=1 (from the environment variable BESU_RPC_HTTP_PORT)',
    '--keystore-password=[secret] (from the command line)',
  ])
})

test('kinds accept the texts that operators write', () => {
  assert.equal(unsigned.parse('2000000000000000000'), 2_000_000_000_000_000_000n)
  assert.throws(() => unsigned.parse('-1'), /cannot convert '-1'/)
  assert.equal(percentage.parse('75%'), 75)
  assert.throws(() => percentage.parse('101'), /0 to 100/)
  assert.deepEqual(
    [...pairs.parse('BLOB=10, FRONTIER=100')],
    [
      ['BLOB', '10'],
      ['FRONTIER', '100'],
    ],
  )
  assert.throws(() => pairs.parse('BLOB'), /NAME=VALUE/)
  assert.throws(() => boolean.parse('yes'), /true or false/)
})
