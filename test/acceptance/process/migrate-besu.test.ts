/**
 * Migrates a Besu network: key and genesis files from Besu's operator command, the permissions file of Besu's tests,
 * and the configuration of its quickstart. Only paths and addresses are replaced.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '#fleet/free-ports.ts'
import { packFolder } from '../../conformance/pack.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'

const NODES = 4
const WAIT_MAX_MS = 120_000
/** Paths in the quickstart's containers. */
const CONTAINER = { config: '/config', data: '/opt/besu/data' }

/** The quickstart's configuration, before addresses and paths are replaced. */
const QUICKSTART = `
logging="INFO"
data-path="/opt/besu/data"
host-whitelist=["*"]

# rpc
rpc-http-enabled=true
rpc-http-host="0.0.0.0"
rpc-http-port=8545
rpc-http-api=["ADMIN","ETH","NET","WEB3","IBFT","PERM","EEA","PRIV"]
rpc-http-cors-origins=["*"]

# ws
rpc-ws-enabled=true
rpc-ws-host="0.0.0.0"
rpc-ws-port=8546

# graphql
graphql-http-enabled=true
graphql-http-host="0.0.0.0"
graphql-http-port=8547
graphql-http-cors-origins=["*"]

# metrics
metrics-enabled=true
metrics-host="0.0.0.0"
metrics-port=9545

# permissions
permissions-nodes-config-file-enabled=true
permissions-nodes-config-file="/config/permissions_config.toml"
permissions-accounts-config-file-enabled=true
permissions-accounts-config-file="/config/permissions_config.toml"

# bootnodes
bootnodes=["enode://BOOTNODE@172.16.239.11:30303"]
`

const pack = (...path: string[]): string => readFileSync(join(packFolder(), ...path), 'utf8')

function ok(args: readonly string[], cwd: string): string {
  const { code, stdout, stderr } = cairn(args, { cwd })
  assert.equal(code, 0, stderr)
  return stdout + stderr
}

interface BesuNode {
  readonly directory: string
  readonly ports: {
    readonly p2p: number
    readonly http: number
    readonly ws: number
    readonly metrics: number
  }
  readonly publicKey: string
}

/** Creates the files of four Besu nodes in `cwd`; each has the directory layout of its container. */
async function makeBesuNetwork(cwd: string): Promise<BesuNode[]> {
  writeFileSync(join(cwd, 'operator.json'), pack('cli', 'operator', 'config_generate_keys.json'))
  ok(
    [
      'operator',
      'generate-blockchain-config',
      '--config-file=operator.json',
      '--to=besu',
      '--private-key-file-name=key',
    ],
    cwd,
  )
  const keys = readdirSync(join(cwd, 'besu', 'keys'))
  const ports = await freePorts('127.0.0.1', 21_000, NODES * 4)
  const nodes = keys.map((address, at) => {
    const directory = join(cwd, `besu-${at + 1}`)
    const [p2p, http, ws, metrics] = ports.slice(at * 4, at * 4 + 4) as [number, number, number, number]
    const from = join(cwd, 'besu', 'keys', address)
    mkdirSync(join(directory, 'config'), { recursive: true })
    mkdirSync(join(directory, 'data'))
    writeFileSync(join(directory, 'data', 'key'), readFileSync(join(from, 'key')))
    writeFileSync(join(directory, 'config', 'genesis.json'), readFileSync(join(cwd, 'besu', 'genesis.json')))
    return {
      directory,
      ports: { p2p, http, ws, metrics },
      publicKey: readFileSync(join(from, 'key.pub'), 'utf8').slice(2),
    }
  })
  const enodes = nodes.map(({ publicKey, ports: { p2p } }) => `enode://${publicKey}@127.0.0.1:${p2p}`)
  const permissions = pack('permissioning', 'permissioning_config.toml').replace(
    /^nodes-allowlist=.*$/m,
    `nodes-allowlist=${JSON.stringify(enodes)}`,
  )
  for (const { directory, ports: own } of nodes) {
    writeFileSync(join(directory, 'config', 'permissions_config.toml'), permissions)
    const config = QUICKSTART.replaceAll('"0.0.0.0"', '"127.0.0.1"')
      .replace(/enode:\/\/[^"]*/, enodes[0]!)
      .replace('rpc-http-port=8545', `rpc-http-port=${own.http}`)
      .replace('rpc-ws-port=8546', `rpc-ws-port=${own.ws}`)
      .replace('metrics-port=9545', `metrics-port=${own.metrics}`)
    const address = `p2p-host="127.0.0.1"\np2p-interface="127.0.0.1"\np2p-port=${own.p2p}\n`
    writeFileSync(join(directory, 'config', 'config.toml'), config + address)
  }
  return nodes
}

function start(t: TestContext, cwd: string): { output(): string } {
  let output = ''
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, '--config-file=config.toml'], { cwd })
  child.stdout!.on('data', (text) => {
    output += text
  })
  child.stderr!.on('data', (text) => {
    output += text
  })
  t.after(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return { output: () => output }
}

async function until(what: string, holds: () => Promise<boolean>, outputs: () => string): Promise<void> {
  const untilMs = performance.now() + WAIT_MAX_MS
  while (!(await holds().catch(() => false))) {
    assert(performance.now() < untilMs, `${what}\n${outputs()}`)
    await pause(200)
  }
}

test('four migrated Besu nodes produce blocks together', {
  timeout: 300_000,
}, async (t) => {
  const cwd = temporaryDirectory(t)
  const nodes = await makeBesuNetwork(cwd)
  for (const [at, { directory }] of nodes.entries()) {
    const said = ok(
      [
        ...['migrate', 'besu', join(directory, 'config', 'config.toml'), `--to=cairn-${at + 1}`],
        '--genesis-file=/config/genesis.json',
        `--path=${CONTAINER.config}=${join(directory, 'config')},${CONTAINER.data}=${join(directory, 'data')}`,
      ],
      cwd,
    )
    assert.match(said, /^host-whitelist +renamed +now host-allowlist$/m)
    assert.match(said, /^graphql-http-enabled +ignored +\S/m)
    assert.match(said, /^rpc-http-enabled +kept$/m)
    assert.match(said, /^node-private-key-file +replaced/m)
    const made = join(cwd, `cairn-${at + 1}`)
    assert.equal(statSync(join(made, 'key')).mode & 0o777, 0o600)
    for (const [name, from] of [
      ['genesis.json', 'config'],
      ['permissions_config.toml', 'config'],
      ['key', 'data'],
    ] as const) {
      assert.deepEqual(readFileSync(join(made, name)), readFileSync(join(directory, from, name)), name)
    }
  }
  const refused = cairn(
    ['migrate', 'besu', join(nodes[0]!.directory, 'config', 'config.toml'), '--to=cairn-1'],
    { cwd },
  )
  assert.notEqual(refused.code, 0, 'an existing target was overwritten')

  const running = nodes.map((_, at) => start(t, join(cwd, `cairn-${at + 1}`)))
  const outputs = (): string => running.map((each) => each.output().slice(-2_000)).join('\n')
  const clients = nodes.map(({ ports }) => openRpcClient(ports.http))
  t.after(() => {
    for (const client of clients) client.close()
  })
  for (const client of clients) {
    await until(
      'Every node has three peers and a block with the seals of others.',
      async () => {
        const [peers, block] = [await client.call('net_peerCount'), await client.call('eth_blockNumber')]
        return Number(peers.result) === NODES - 1 && Number(block.result) >= 2
      },
      outputs,
    )
  }
  const [one] = clients
  const { result: accounts } = await one!.call('perm_getAccountsAllowlist')
  assert.deepEqual(accounts, ['0x0000000000000000000000000000000000000009'])
  const { result: permitted } = await one!.call('perm_getNodesAllowlist')
  assert.equal((permitted as unknown[]).length, NODES)
  const { result: validators } = await one!.call('ibft_getValidatorsByBlockNumber', 'latest')
  assert.equal((validators as unknown[]).length, NODES)
})
