import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildingOptions } from '#chain/options.ts'
import { OptionIndex } from '#config/command-line.ts'
import { httpOptions, websocketOptions } from '#rpc/settings/options.ts'
import { ALL_OPTIONS } from './all-options.ts'
import { nodeOptions } from './options.ts'
import { settingsOf } from './settings.fixture.ts'
import { validateOptions } from './validate-options.ts'

test('every name belongs to one option, and every option says what it is for', () => {
  const index = new OptionIndex(ALL_OPTIONS)
  assert.ok([...index.names()].length > ALL_OPTIONS.length)
  for (const { flag, help } of ALL_OPTIONS) assert.match(help, /^[A-Z*].*\.$/, flag)
})

test('a reason is one sentence, and one that says "yet" names what it waits for', () => {
  for (const { flag, inert, refused } of ALL_OPTIONS) {
    const reason = inert ?? refused
    if (reason === undefined) continue
    assert.match(reason.why, /^[A-Z][^.]*\.$/, flag)
    assert.ok(reason.until !== undefined || !/ yet\b/.test(reason.why), `${flag}: ${reason.why}`)
  }
})

test('a default is what its own text means', () => {
  for (const option of ALL_OPTIONS) {
    if (option.default === undefined || option.default === null) continue
    assert.deepEqual(option.kind.parse(option.kind.format(option.default)), option.default, option.flag)
  }
})

test('both spellings of the algorithm option are one option', () => {
  const index = new OptionIndex(ALL_OPTIONS)
  for (const transport of ['http', 'ws']) {
    const right = index.find(`--rpc-${transport}-authentication-jwt-algorithm`)
    assert.equal(index.find(`--rcp-${transport}-authentication-jwt-algorithm`), right)
    assert.notEqual(right, undefined)
  }
})

test('options that contradict each other are refused with both names', () => {
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

test('the development network brings its settings along, and what is given is stronger', () => {
  const settings = settingsOf('--network=dev', '--min-gas-price=7', '--rpc-ws-enabled=false')
  assert.equal(settings.get(httpOptions.enabled), true)
  assert.equal(settings.get(websocketOptions.enabled), false)
  assert.equal(settings.get(buildingOptions.minGasPrice), 7n)
  assert.equal(settingsOf('--network=dev').get(buildingOptions.minGasPrice), 0n)
  assert.equal(settingsOf('--profile=dev').get(nodeOptions.network), 'DEV')
  assert.equal(settingsOf('--genesis-file=g').get(httpOptions.enabled), false)
})
