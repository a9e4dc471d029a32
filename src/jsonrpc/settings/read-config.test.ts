import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { OptionIndex, parseArguments } from '#config/command-line.ts'
import type { Option } from '#config/option.ts'
import { loadSettings, type Settings } from '#config/settings.ts'
import { MethodNames } from '#jsonrpc/registry/method-names.ts'
import { createTransportOptions, rpcOptions, userLimitOptions } from './options.ts'
import { readHttpConfig, readWebSocketConfig, unknownLimitedUsers } from './read-config.ts'
import { httpTlsOptions, websocketTlsOptions } from './tls-options.ts'

const OPTIONS = createTransportOptions(
  new MethodNames({
    served: ['admin_peers', 'eth_blockNumber', 'net_version', 'txpool_status', 'web3_sha3'],
    known: new Set(),
    retiredApis: ['PRIV'],
  }),
)
const { http, websocket } = OPTIONS
const TABLES = [rpcOptions, userLimitOptions, http, websocket, httpTlsOptions, websocketTlsOptions]
const ALL = TABLES.flatMap((table) => Object.values(table) as Option[])

function load(...args: string[]): Settings {
  const { given } = parseArguments(args, new OptionIndex(ALL))
  return loadSettings({ options: ALL, commandLine: given, environment: {}, readText: () => undefined })
}

const silent = () => {}

test('a transport that is off has no configuration', () => {
  const settings = load('--rpc-http-port=1', '--rpc-http-cors-origins=*', '--rpc-ws-enabled')
  assert.equal(readHttpConfig(settings, OPTIONS, silent), null)
})

test('a transport is served as its options say', () => {
  const http = readHttpConfig(
    load('--rpc-http-enabled', '--rpc-http-api=NET', '--Xhttp-timeout-seconds=5'),
    OPTIONS,
    silent,
  )
  assert.deepEqual(
    [http?.apis, http?.timeoutMs, http?.maxBatchSize, http?.authentication],
    [['NET'], 5000, 1024, { mode: 'off' }],
  )
  const websocket = readWebSocketConfig(
    load('--rpc-ws-enabled', '--rpc-ws-max-frame-size=9'),
    OPTIONS,
    silent,
  )
  assert.deepEqual([websocket?.port, websocket?.maxFrameBytes], [8546, 9])
  const origins = load('--rpc-ws-enabled', '--rpc-http-cors-origins=https://app.example')
  assert.deepEqual(readWebSocketConfig(origins, OPTIONS, silent)?.corsOrigins, ['https://app.example'])
})

test('an API that no longer exists is left out with a warning, an unknown one refused with the nearest name', () => {
  const warnings: string[] = []
  const config = readHttpConfig(load('--rpc-http-enabled', '--rpc-http-api=ETH,PRIV'), OPTIONS, (text) =>
    warnings.push(text),
  )
  assert.deepEqual(config?.apis, ['ETH'])
  assert.match(warnings[0]!, /PRIV/)
  assert.throws(
    () => load('--rpc-http-api=ETH,TXPOL'),
    /invalid entries found \[TXPOL\]; APIs are ADMIN, .*\. Did you mean TXPOOL/,
  )
  assert.throws(
    () => load('--rpc-http-api-methods-no-auth=eth_blockNumbr'),
    /valid RPC methods.*eth_blockNumber/,
  )
})

test('hosts and origins are names, all or none', () => {
  const hosts = (text: string) => load(`--host-allowlist=${text}`).get(rpcOptions.hostAllowlist)
  assert.deepEqual([hosts('a,b'), hosts('all'), hosts('*'), hosts('none')], [['a', 'b'], ['*'], ['*'], []])
  assert.throws(() => hosts('*,a'), /can't be used with other hostnames/)
  assert.throws(() => load('--rpc-http-cors-origins=none,a'), /can't be used with other origins/)
})

test('authentication and TLS without their files are refused with the options to give', () => {
  const http = (...args: string[]) => readHttpConfig(load('--rpc-http-enabled', ...args), OPTIONS, silent)
  const websocket = (...args: string[]) =>
    readWebSocketConfig(load('--rpc-ws-enabled', ...args), OPTIONS, silent)
  assert.throws(
    () => http('--rpc-http-authentication-enabled'),
    /HTTP endpoint without a supplied credentials file/,
  )
  assert.throws(
    () => websocket('--rpc-ws-authentication-enabled'),
    /WebSocket endpoint.*--rpc-ws-authentication-credentials-file/,
  )
  assert.throws(() => http('--rpc-http-tls-enabled'), /--rpc-http-tls-keystore-file/)
  assert.throws(
    () => http('--rpc-http-tls-enabled', '--rpc-http-tls-keystore-file=k'),
    /keystore-password-file/,
  )
  assert.throws(() => websocket('--rpc-ws-ssl-enabled', '--rpc-ws-ssl-key-file=k'), /go together/)
  assert.throws(() => websocket('--rpc-ws-ssl-enabled', '--rpc-ws-ssl-keystore-type=JKS'), /keytool/)
})

test('a password on the command line reaches the thread and nothing else', () => {
  const settings = load(
    '--rpc-ws-enabled',
    '--rpc-ws-ssl-enabled',
    '--rpc-ws-ssl-keystore-file=k',
    '--rpc-ws-ssl-keystore-password=pw',
  )
  assert.deepEqual(readWebSocketConfig(settings, OPTIONS, silent)?.tls?.identity, {
    kind: 'pkcs12',
    file: 'k',
    password: { secret: 'pw' },
  })
  assert.doesNotMatch(JSON.stringify(settings.given().map(({ value }) => value)), /pw/)
})

test('a limit of a user that no credentials file names is reported', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-users-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'users.toml')
  writeFileSync(file, '[Users.alice]\n')
  const settings = load('--rpc-user-limits=alice:requests=6,bob:requests=6,10.0.0.7:requests=6')
  const credentials = {
    authentication: { mode: 'credentials', file, tokenKeyPem: '', noAuthMethods: [] },
  } as const
  assert.deepEqual(unknownLimitedUsers(settings, [credentials, null]), [
    `--rpc-user-limits limits the user 'bob', which ${file} does not name.`,
  ])
  const anyIssuer = {
    authentication: { mode: 'publicKey', file, algorithm: 'RS256', noAuthMethods: [] },
  } as const
  assert.deepEqual(unknownLimitedUsers(settings, [credentials, anyIssuer]), [])
})
