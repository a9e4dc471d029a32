import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpOptions, websocketOptions } from '#api/options.ts'
import { buildingOptions } from '#chain/options.ts'
import { OptionIndex } from '#config/command-line.ts'
import { RENAMED, RETIRED } from '#config/former-options.ts'
import { isUsable } from '#config/option.ts'
import { engineOptions } from '#engine-api/options.ts'
import { readNodeList } from '#p2p/dns/read-node-list.ts'
import { peerOptions } from '#p2p/options.ts'
import { parseEnode } from '#types/enode.ts'
import { ALL_OPTIONS } from './all-options.ts'
import { nodeOptions } from './options.ts'
import { settingsOf } from './settings.fixture.ts'
import { validateOptions } from './validate-options.ts'

test('every name belongs to one option, and every option has a help text', () => {
  const index = new OptionIndex(ALL_OPTIONS)
  assert.ok([...index.names()].length > ALL_OPTIONS.length)
  for (const { flag, help } of ALL_OPTIONS) assert.match(help, /^[A-Z*].*\.$/, flag)
  // Names listed behind a colon do not count.
  const words = (help: string) => help.replace(/:.*/, '').split(' ').length
  const long = ALL_OPTIONS.filter((option) => isUsable(option) && words(option.help) > 12)
  assert.deepEqual(
    long.map(({ flag }) => flag),
    [],
    'details take what does not fit into 12 words',
  )
})

test('a reason is one sentence, and one with "yet" names the missing feature', () => {
  for (const { flag, inert, refused } of ALL_OPTIONS) {
    const reason = inert ?? refused
    if (reason === undefined) continue
    assert.match(reason.why, /^[A-Z][^.]*\.$/, flag)
    assert.ok(reason.until !== undefined || !/ yet\b/.test(reason.why), `${flag}: ${reason.why}`)
  }
})

test('a default equals its parsed text', () => {
  for (const option of ALL_OPTIONS) {
    if (option.default === undefined || option.default === null) continue
    assert.deepEqual(option.kind.parse(option.kind.format(option.default)), option.default, option.flag)
  }
})

test('an option that is part of a feature names its switch', () => {
  const index = new OptionIndex(ALL_OPTIONS)
  for (const { flag, inert } of ALL_OPTIONS) {
    if (inert?.partOf !== undefined) assert.equal(index.find(inert.partOf)?.kind.label, 'BOOLEAN', flag)
  }
})

test("an option that is off, or equals Cairn's behaviour, causes no warning", () => {
  const warningsOf = (...args: string[]) => settingsOf(...args).warnings.length
  assert.equal(
    warningsOf(
      '--graphql-http-enabled=false',
      '--graphql-http-host=127.0.0.1',
      '--graphql-http-cors-origins=all',
      '--engine-rpc-enabled=false',
      '--engine-rpc-port=8551',
      '--metrics-push-host=127.0.0.1',
      '--miner-enabled=false',
      '--sync-mode=FULL',
      '--Xchain-pruning-enabled=NONE',
      '--version-compatibility-protection',
      '--Xv5-discovery-enabled=false',
    ),
    0,
  )
  const asking = [
    '--graphql-http-enabled',
    '--graphql-http-port=1',
    '--sync-mode=SNAP',
    '--version-compatibility-protection=false',
    '--Xsecp256k1-native-enabled=false',
    '--cache-last-blocks=5',
  ]
  assert.equal(warningsOf(...asking), asking.length)
})

test('a former option name leads to an option, and is not an option itself', () => {
  const index = new OptionIndex(ALL_OPTIONS)
  for (const [former, name] of Object.entries(RENAMED)) {
    assert.equal(index.find(`--${former}`), undefined, former)
    assert.notEqual(index.find(`--${name}`), undefined, name)
  }
  for (const { why } of RETIRED) assert.match(why, /^[A-Z].*\.$/)
})

test('both names of the algorithm option are one option', () => {
  const index = new OptionIndex(ALL_OPTIONS)
  for (const transport of ['http', 'ws']) {
    const right = index.find(`--rpc-${transport}-authentication-jwt-algorithm`)
    assert.equal(index.find(`--rcp-${transport}-authentication-jwt-algorithm`), right)
    assert.notEqual(right, undefined)
  }
})

test('contradicting options are refused with both names', () => {
  for (const [args, sentence] of [
    [['--network=sepolia', '--genesis-file=g'], /--network option and --genesis-file option/],
    [['--network=dev', '--genesis-file=g'], /--network option and --genesis-file option/],
    [['--metrics-enabled', '--metrics-push-enabled'], /--metrics-push-enabled/],
    [
      ['--rpc-http-enabled', '--rpc-ws-enabled', '--rpc-ws-port=8545'],
      /Port number '8545'.*--rpc-http-port and --rpc-ws-port/,
    ],
    [
      ['--rpc-http-enabled', '--rpc-user-limits=requests=7,alice:requests=6'],
      /user 'alice', and without --rpc-http-authentication-enabled there are no users/,
    ],
  ] as const) {
    assert.throws(() => validateOptions(settingsOf(...args)), { name: 'Fault', message: sentence })
  }
  validateOptions(settingsOf('--network=dev'))
  validateOptions(settingsOf('--rpc-user-limits=alice:requests=6'))
  validateOptions(
    settingsOf('--rpc-http-enabled', '--rpc-ws-enabled', '--rpc-http-port=0', '--rpc-ws-port=0'),
  )
})

test('the development network implies settings, and given options win', () => {
  const settings = settingsOf('--network=dev', '--min-gas-price=7', '--rpc-ws-enabled=false')
  assert.equal(settings.get(httpOptions.enabled), true)
  assert.equal(settings.get(websocketOptions.enabled), false)
  assert.equal(settings.get(buildingOptions.minGasPrice), 7n)
  assert.equal(settingsOf('--network=dev').get(buildingOptions.minGasPrice), 0n)
  assert.equal(settingsOf('--profile=dev').get(nodeOptions.network), 'DEV')
  assert.equal(settingsOf('--genesis-file=g').get(httpOptions.enabled), false)
})

test('a public network implies the Engine API, its bootnodes and its node list, and given options win', () => {
  for (const [name, bootnodes] of [
    ['mainnet', 4],
    ['sepolia', 5],
    ['hoodi', 3],
    ['ephemery', 2],
  ] as const) {
    const settings = settingsOf(`--network=${name}`)
    assert.equal(settings.get(engineOptions.enabled), true)
    for (const url of settings.get(peerOptions.bootnodes) ?? []) assert.ok(parseEnode(url).tcpPort)
    assert.equal(settings.get(peerOptions.bootnodes)?.length, bootnodes)
    const domain = name === 'ephemery' ? undefined : `all.${name}.ethdisco.net`
    assert.equal(readNodeList(settings)?.address.domain, domain)
    assert.doesNotThrow(() => validateOptions(settings))
  }
  const alone = settingsOf('--network=hoodi', '--bootnodes=')
  assert.deepEqual(alone.get(peerOptions.bootnodes), [])
  assert.equal(readNodeList(alone), undefined)
  assert.throws(() => validateOptions(settingsOf('--network=lukso')), /work with --genesis-file/)
})

test('a node list needs an address with a key, and stays next to given bootnodes', () => {
  const url = 'enrtree://AKPYQIUQIL7PSIACI32J7FGZW56E5FKHEFCCOFHILBIMW3M6LWXS2@nodes.example.org'
  const given = settingsOf(
    `--discovery-dns-url=${url}`,
    '--Xp2p-dns-discovery-server=127.0.0.1:5353',
    '--bootnodes=',
  )
  assert.equal(readNodeList(given)?.address.domain, 'nodes.example.org')
  assert.equal(readNodeList(given)?.server, '127.0.0.1:5353')
  assert.equal(readNodeList(settingsOf('--discovery-dns-url=')), undefined)
  assert.throws(
    () => readNodeList(settingsOf('--discovery-dns-url=nodes.example.org')),
    /enrtree:\/\/KEY@DOMAIN/,
  )
})
