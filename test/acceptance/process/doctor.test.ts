/**
 * `cairn doctor` on a real network of two validators: no finding on a healthy node, and a finding for every planted
 * fault.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'smol-toml'
import type { DoctorLimits } from '#doctor/check.ts'
import { DOCTOR_CHECKS, diagnose } from '#doctor/diagnose.ts'
import { askNode } from '#fleet/ask-node.ts'
import { describeNetwork } from '#fleet/new-network.ts'
import { createNode } from '#node/create-node.ts'
import { settingsOf } from '#node/settings.fixture.ts'
import { systemClock } from '#platform/clock.ts'
import { hasOpenSsl, makeCertificate, makeKeystore, passwordFile } from '#serve/tls/tls.fixture.ts'
import { PROGRAM, temporaryDirectory } from '../../support/program.ts'
import { mountSmallDisk } from './fill-disk.ts'

type Config = Record<string, string | number | boolean | readonly string[] | undefined>

interface Plant {
  /** Names of the checks that must report the fault; no other may. */
  readonly finds: readonly string[]
  readonly changes?: Config
  readonly limits?: Partial<DoctorLimits>
  readonly wallMs?: () => number
  readonly against?: string
  readonly skip?: boolean
}

test('more than twenty faults are named, and a healthy node has no finding', async (context) => {
  const folder = temporaryDirectory(context)
  const write = (name: string, content: string, mode = 0o644): string => {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode })
    return path
  }
  const wishes = { validators: 2, observers: 0, chainId: 1337, blockPeriodSeconds: 1 }
  const network = await describeNetwork({ ...wishes, hasPermissions: false, password: undefined })
  for (const { path, content, isSecret } of network.files) write(path, content, isSecret ? 0o600 : 0o644)
  const configOf = (name: string): Config => {
    const config = parse(readFileSync(join(folder, name, 'config.toml'), 'utf8')) as Config
    const places = ['data-path', 'genesis-file', 'node-private-key-file', 'static-nodes-file']
    return {
      ...config,
      ...Object.fromEntries(places.map((key) => [key, join(folder, name, String(config[key]))])),
    }
  }
  const nodes = await Promise.all(
    network.nodes.map(({ name }) => {
      const { 'data-path': dataPath, 'genesis-file': genesis, ...options } = configOf(name)
      return createNode({
        genesis: readFileSync(String(genesis), 'utf8'),
        dataPath: String(dataPath),
        options: { ...options, 'p2p-enabled': true, 'rpc-engine-threads': 0 },
      })
    }),
  )
  context.after(() => Promise.all(nodes.map((node) => node.stop())))
  const [first, second] = network.nodes.map(({ name }) => configOf(name)) as [Config, Config]
  const url = `http://127.0.0.1:${second['rpc-http-port']}`
  for (let waited = 0; waited < 300; waited += 1) {
    const [answer] = await askNode({ url }, [{ method: 'eth_blockNumber' }])
    if (Number(answer?.result) >= 2) break
    await new Promise<void>((resolve) => void systemClock.after(100, resolve))
  }

  /** Ignores faults of this machine, unless the test plants them. */
  const calm: Partial<DoctorLimits> = {
    syncMs: 60_000,
    freeBytesWarning: 1_024,
    freeBytesError: 1_024,
    openFiles: 64,
    controlGroups: folder,
  }
  const look = async (config: Config, { limits, wallMs, against = url }: Partial<Plant> = {}) => {
    const named = Object.entries(config).filter(([, value]) => value !== undefined)
    const args = named.map(([key, value]) => `--${key}=${value}`)
    const findings = await diagnose(settingsOf(...args), {
      against: { url: against, ask: (calls) => askNode({ url: against }, calls) },
      limits: { ...calm, ...limits },
      ...(wallMs && { clock: { ...systemClock, wallMs } }),
    })
    for (const { problem, remedy } of findings) {
      assert.match(problem, /\S.*\.$/s)
      assert.match(remedy, /\S.*\.$/s)
    }
    return findings.map(({ id }) => id)
  }

  assert.deepEqual(await look(first), [], 'next to a running node')
  const stopped: Config = {
    ...first,
    'data-path': join(folder, 'stopped'),
    'p2p-port': 0,
    'rpc-http-port': 0,
    'rpc-ws-enabled': false,
    'rpc-ws-host': undefined,
    'rpc-ws-port': undefined,
    'rpc-ws-api': undefined,
    'metrics-port': 0,
  }
  assert.deepEqual(await look(stopped), [], 'without one')

  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  context.after(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const disk = mountSmallDisk(context)
  const genesis = (
    change: (genesis: { config: Record<string, unknown>; gasLimit: string }) => void,
    name: string,
  ) => {
    const parsed = JSON.parse(readFileSync(String(first['genesis-file']), 'utf8'))
    change(parsed)
    return write(name, JSON.stringify(parsed))
  }
  const enodes = readFileSync(String(first['static-nodes-file']), 'utf8')
  const otherHost = (host: string) => enodes.replace('127.0.0.1', host)
  const openKey = write('open.key', readFileSync(String(first['node-private-key-file']), 'utf8'), 0o600)
  chmodSync(openKey, 0o640)
  const keystore = hasOpenSsl ? makeKeystore('doctor.p12', makeCertificate('doctor')) : ''
  for (const file of hasOpenSsl ? [keystore, passwordFile] : []) chmodSync(file, 0o600)
  const tls = {
    'rpc-http-tls-enabled': true,
    'rpc-http-tls-keystore-file': keystore,
    'rpc-http-tls-keystore-password-file': passwordFile,
  }

  for (const name of ['IDENTITY', 'OPTIONS-000007', 'CURRENT']) write(join('besu', 'database', name), 'x')
  write('damaged/database/segments/000000008192.segment.damaged', '')
  write('audited/audit.jsonl', '{"line":1}\n')
  write('memory.high/memory.max', `${256 * 1024 ** 2}\n`)

  const plants: Readonly<Record<string, Plant>> = {
    'an option without effect': { finds: ['options'], changes: { 'Xplugin-rocksdb-max-open-files': 5 } },
    'two options that exclude each other': { finds: ['options'], changes: { 'metrics-push-enabled': true } },
    'no genesis file': { finds: ['genesis'], changes: { 'genesis-file': join(folder, 'none.json') } },
    'a genesis file with a mistake': {
      finds: ['genesis'],
      changes: {
        'genesis-file': genesis((each) => {
          each.gasLimit = 'much'
        }, 'mistake.json'),
      },
    },
    'a key file with something else in it': {
      finds: ['node-key'],
      changes: { 'node-private-key-file': write('garbage.key', 'no key', 0o600) },
    },
    'an encrypted key without its password': {
      finds: ['node-key'],
      changes: { 'node-private-key-file': write('encrypted.key', '{"version":3}', 0o600) },
    },
    'a signer that is not there': {
      finds: ['node-key'],
      changes: { 'node-private-key-file': undefined, 'node-signer-url': 'http://127.0.0.1:1' },
    },
    'a key that others can read': { finds: ['secret-modes'], changes: { 'node-private-key-file': openKey } },
    'a key outside the validator set': {
      finds: ['validator'],
      changes: { 'node-private-key-file': write('stranger.key', `0x${'12'.repeat(32)}`, 0o600) },
    },
    'a credentials file that cannot be read': {
      finds: ['credentials'],
      changes: {
        'rpc-http-authentication-enabled': true,
        'rpc-http-authentication-credentials-file': write('credentials.toml', '[Users', 0o600),
      },
    },
    'operator APIs without authentication': {
      finds: ['exposed-apis'],
      changes: { 'rpc-http-host': '0.0.0.0' },
    },
    'a certificate that expires soon': { finds: ['certificate'], changes: tls, skip: !hasOpenSsl },
    'an invalid keystore': {
      finds: ['certificate'],
      changes: { ...tls, 'rpc-http-tls-keystore-file': write('none.p12', 'x', 0o600) },
      skip: !hasOpenSsl,
    },
    'a permissions file that cannot be read': {
      finds: ['permissions-file'],
      changes: {
        'permissions-accounts-config-file-enabled': true,
        'permissions-accounts-config-file': write('accounts.toml', 'accounts-allowlist=[1'),
      },
    },
    'a static node that is not allowed': {
      finds: ['permissions-file'],
      changes: {
        'permissions-nodes-config-file-enabled': true,
        'permissions-nodes-config-file': write('nodes.toml', 'nodes-allowlist=[]\n'),
      },
    },
    'an empty node allowlist': {
      finds: ['allowed-peers', 'peers'],
      changes: {
        'permissions-nodes-config-file-enabled': true,
        'permissions-nodes-config-file': write('nodes.toml', 'nodes-allowlist=[]\n'),
        'static-nodes-file': write('nobody.json', '[]'),
      },
    },
    'a host that DNS does not resolve': {
      finds: ['known-nodes'],
      changes: {
        'static-nodes-file': write('names.json', otherHost('no-such-host.invalid')),
        'Xdns-enabled': true,
      },
    },
    'a static nodes file that is not JSON': {
      finds: ['known-nodes'],
      changes: { 'static-nodes-file': write('broken.json', '[') },
    },
    'an address that peers cannot reach': {
      finds: ['p2p-host'],
      changes: { 'static-nodes-file': write('far.json', otherHost('10.1.2.3')) },
    },
    'a minimum gas price on a free-gas network': { finds: ['free-gas'], changes: { 'min-gas-price': 1_000 } },
    'a changed audit log': { finds: ['audit-log'], changes: { 'data-path': join(folder, 'audited') } },
    'a damaged history segment': {
      finds: ['data-directory', 'history'],
      changes: { 'data-path': join(folder, 'damaged') },
    },
    'the database of another program': {
      finds: ['data-directory'],
      changes: { 'data-path': join(folder, 'besu') },
    },
    'a full disk': {
      finds: ['disk-space'],
      changes: { 'data-path': join(disk ?? '', 'data') },
      limits: { freeBytesError: 1024 ** 3, freeBytesWarning: 1024 ** 3 },
      skip: disk === undefined,
    },
    'a slow disk': { finds: ['disk-sync'], limits: { syncMs: 0 } },
    'a memory cap below the caches': {
      finds: ['memory'],
      limits: { controlGroups: join(folder, 'memory.high') },
    },
    'a JSON-RPC port in use': { finds: ['ports'], changes: { 'rpc-http-port': port } },
    'a peers port in use': { finds: ['ports'], changes: { 'p2p-port': port } },
    'a metrics port in use': { finds: ['ports'], changes: { 'metrics-port': port } },
    'a node without a way to find peers': {
      finds: ['peers'],
      changes: { 'static-nodes-file': write('empty.json', '[]') },
    },
    'another genesis': {
      finds: ['same-genesis'],
      changes: {
        'genesis-file': genesis((each) => {
          each.gasLimit = '0x47b760'
        }, 'gas.json'),
      },
    },
    'a different future fork': {
      finds: ['same-forks'],
      changes: {
        'genesis-file': genesis((each) => {
          each.config.cancunTime = 9_999_999_999
        }, 'forks.json'),
      },
    },
    'a different network id': { finds: ['same-network-id'], changes: { 'network-id': 5 } },
    'a different message encoding': {
      finds: ['wire-generation'],
      changes: { 'Xbft-legacy-protocol-encoding': true },
    },
    'a slow clock': { finds: ['clock'], wallMs: () => systemClock.wallMs() - 3_600_000 },
    'a fast clock': { finds: ['clock'], wallMs: () => systemClock.wallMs() + 3_600_000 },
    'another node that does not answer': { finds: ['other-node'], against: 'http://127.0.0.1:1' },
  }
  for (const [name, plant] of Object.entries(plants)) {
    const { finds, changes, skip = false } = plant
    await context.test(name, { skip }, async () => {
      assert.deepEqual(await look({ ...stopped, ...changes }, plant), finds)
    })
  }

  await context.test('a running node that accepts no connections at its announced address', async () => {
    assert.deepEqual(await look({ ...first, 'p2p-host': '127.0.0.2' }), ['reachable'])
  })

  await context.test('few files, and the slow engine: the command, its exit code and its JSON', async () => {
    const given = Object.entries(stopped).filter(([, value]) => value !== undefined)
    const lines = given.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    const file = write('stopped.toml', lines.join(''))
    const command = `ulimit -n 200; exec "${process.execPath}" "${PROGRAM}" doctor --config-file="${file}" --against="${url}" --json`
    const env = { ...process.env, CAIRN_ENGINE: 'js' }
    const { promise, resolve } = Promise.withResolvers<{
      stdout: string
      stderr: string
      code: number | null
    }>()
    const child = execFile('sh', ['-c', command], { env }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr, code: child.exitCode }),
    )
    const { stdout, stderr, code } = await promise
    assert.equal(code, 1, stderr)
    const report = JSON.parse(stdout) as { checks: number; findings: { id: string; severity: string }[] }
    assert.equal(report.checks, DOCTOR_CHECKS.length)
    const found = report.findings.map(({ id, severity }) => `${severity} ${id}`)
    assert.ok(found.includes('error file-limit'), stdout)
    assert.ok(found.includes('warning engine'), stdout)
  })

  const planted = new Set([
    ...Object.values(plants).flatMap(({ finds }) => finds),
    'reachable',
    'file-limit',
    'engine',
  ])
  assert.deepEqual(
    DOCTOR_CHECKS.map(({ id }) => id).filter((id) => !planted.has(id)),
    [],
    'every check has its plant',
  )
})
