import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Option } from '#config/option.ts'
import { ALL_OPTIONS } from './all-options.ts'
import { DEPENDENCIES, findWithoutEffect } from './dependent-options.ts'
import { settingsOf } from './settings.fixture.ts'
import { optionWarnings, validateOptions } from './validate-options.ts'

/** Values that the kinds of these options accept. */
const SAMPLES = [
  'true',
  'RS256',
  'FULL',
  '127.0.0.1',
  '1',
  'x',
  '0x0000000000000000000000000000000000000001',
  'eth_chainId',
  'ETH',
  'DEV',
  'AUTO',
  'other=http://127.0.0.1:8545',
]

function given(option: Option): string {
  const value = SAMPLES.find((text) => {
    try {
      option.kind.parse(text)
      return true
    } catch {
      return false
    }
  })
  assert.ok(value !== undefined, `no sample is a value of ${option.flag}`)
  return `${option.flag}=${value}`
}

/** Turns on all needs of the rows before this one, so only this row applies. */
function outerSwitches(row: number): string[] {
  const { option } = DEPENDENCIES[row]!
  return DEPENDENCIES.slice(0, row)
    .filter((other) => other.option === option)
    .map(({ needs }) => given(needs[0]!))
}

const off = (option: Option): string[] => (option.default === true ? [`${option.flag}=false`] : [])

for (const [row, { option, needs, isSecurity }] of DEPENDENCIES.entries()) {
  const switches = needs.map(({ flag }) => flag).join(' or ')
  test(`${option.flag} without ${switches} ${isSecurity ? 'stops the start' : 'is ignored with a warning'}`, () => {
    const args = [...outerSwitches(row), given(option)]
    const isOnByDefault = needs.some((other) => other.default === true)
    const settings = settingsOf(...args, ...needs.flatMap(off))
    const { refusals, warnings } = findWithoutEffect(settings)
    const about = (sentences: readonly string[]) =>
      sentences.filter((sentence) => sentence.startsWith(`${option.flag} `))
    if (isSecurity && !isOnByDefault) {
      assert.equal(about(refusals).length, 1)
      assert.ok(about(refusals)[0]!.includes(switches))
      assert.throws(() => validateOptions(settings), { kind: 'USAGE' })
    } else {
      assert.deepEqual(about(refusals), [])
      assert.ok(about(warnings)[0]?.includes(switches), about(optionWarnings(settings)).join())
    }
    const isLast = !DEPENDENCIES.slice(row + 1).some((other) => other.option === option)
    const complete = findWithoutEffect(settingsOf(...args, given(needs[0]!)))
    if (isLast) assert.deepEqual(about([...complete.refusals, ...complete.warnings]), [])
  })
}

test('only a development network serves requests on the main thread', () => {
  assert.throws(() => validateOptions(settingsOf('--genesis-file=g.json', '--rpc-threads=0')), {
    kind: 'USAGE',
    message: /only --network=DEV allows/,
  })
  validateOptions(settingsOf('--network=dev', '--rpc-threads=0'))
})

test('a security option of a service either works alone or is in the list', () => {
  const protects = /tls|ssl|auth|permission|signer|security|audit|known-clients|password|secret/
  const alone = /-enabled$|^--(security-module|node-)|public-key/
  const inTable = new Set(DEPENDENCIES.map(({ option }) => option))
  const missing = ALL_OPTIONS.filter(
    (option) =>
      option.inert === undefined &&
      option.refused === undefined &&
      protects.test(option.flag) &&
      !alone.test(option.flag) &&
      !inTable.has(option),
  )
  assert.deepEqual(
    missing.map(({ flag }) => flag),
    [],
  )
})

test('the refusal names every security option at once with its missing switch', () => {
  const settings = settingsOf(
    '--rpc-http-enabled',
    '--rpc-ws-enabled',
    '--rpc-http-tls-keystore-file=a',
    '--rpc-ws-ssl-client-auth-enabled',
    '--rpc-http-authentication-credentials-file=b',
    '--permissions-accounts-config-file=c',
  )
  assert.throws(
    () => validateOptions(settings),
    ({ message }: Error) => {
      for (const flag of [
        '--rpc-http-tls-enabled',
        '--rpc-ws-ssl-enabled',
        '--rpc-http-authentication-enabled',
        '--permissions-accounts-config-file-enabled',
      ])
        assert.ok(message.includes(`without ${flag},`), flag)
      return true
    },
  )
})

test('a switch that is turned off explicitly is a warning, a missing one is a refusal', () => {
  const options = [
    '--rpc-http-enabled',
    '--rpc-http-tls-keystore-file=a',
    '--rpc-http-tls-known-clients-file=b',
  ]
  assert.equal(findWithoutEffect(settingsOf(...options)).refusals.length, 2)
  const named = findWithoutEffect(settingsOf(...options, '--rpc-http-tls-enabled=false'))
  assert.deepEqual(named.refusals, [])
  assert.deepEqual(named.warnings, [
    '--rpc-http-tls-keystore-file has been ignored because --rpc-http-tls-enabled is off.',
    '--rpc-http-tls-known-clients-file has been ignored because --rpc-http-tls-enabled is off.',
  ])
})

test('a value that needs nothing needs no switch', () => {
  const args = [
    '--rpc-http-enabled',
    '--rpc-http-tls-client-auth-enabled=false',
    '--rpc-http-api-methods-no-auth=',
  ]
  assert.deepEqual(findWithoutEffect(settingsOf(...args)), { refusals: [], warnings: [] })
})

test('options of a disabled service are ignored with a warning', () => {
  const settings = settingsOf(
    '--rpc-http-port=1',
    '--rpc-http-cors-origins=*',
    '--rpc-ws-enabled',
    '--rpc-http-tls-keystore-file=a',
  )
  assert.deepEqual(findWithoutEffect(settings), {
    refusals: [],
    warnings: [
      '--rpc-http-port has been ignored because --rpc-http-enabled was not given.',
      '--rpc-http-tls-keystore-file has been ignored because --rpc-http-enabled or --console-enabled was not given.',
    ],
  })
})
