/** The metrics of the real program, as monitoring reads them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { BESU_PREFIX, metricName } from '#platform/metrics/metrics.ts'
import { METRIC_ROWS } from '../../../scripts/watching/metric-rows.ts'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'

const PACK = process.env.CAIRN_CONFORMANCE ?? join(CHECKOUT, '..', 'shared', 'conformance')

async function startGuarded(context: TestContext, ...args: string[]): Promise<RunningNode> {
  const credentials = join(temporaryDirectory(context), 'credentials.toml')
  const password = hashPassword('wonderland')
  writeFileSync(credentials, `[Users.alice]\npassword = "${password}"\npermissions = ["net:*"]\n`)
  const node = await startNode([
    ...['--metrics-enabled', '--rpc-http-enabled', '--rpc-ws-enabled', '--rpc-http-authentication-enabled'],
    `--rpc-http-authentication-credentials-file=${credentials}`,
    '--rpc-http-api-methods-no-auth=eth_blockNumber',
    ...args,
  ])
  context.after(() => node.kill())
  return node
}

/** promtool's exit code if it parses all metrics and only criticises names. */
const ONLY_STYLE = 3

async function scrape(node: RunningNode): Promise<string> {
  const [, address] = /Metrics service started and listening on (\S+:\d+)/.exec(node.output()) ?? []
  return await (await fetch(`http://${address}/metrics`)).text()
}

const post = (node: RunningNode, path: string, body: object) =>
  fetch(`http://127.0.0.1:${node.http}${path}`, { method: 'POST', body: JSON.stringify(body) })

test('metrics pass promtool, and count calls without a token and failed logins, which the log explains', {
  timeout: 120_000,
}, async (context) => {
  const node = await startGuarded(context)
  const ask = (method: string) => post(node, '/', { jsonrpc: '2.0', id: 1, method, params: [] })
  assert.equal((await ask('eth_blockNumber')).status, 200)
  assert.equal((await ask('eth_chainId')).status, 401)
  assert.equal((await post(node, '/login', { username: 'alice', password: 'wrong' })).status, 401)
  const text = await scrape(node)

  const { status, stdout, stderr, error } = spawnSync('promtool', ['check', 'metrics'], {
    input: text,
    encoding: 'utf8',
  })
  assert.equal(error, undefined, 'promtool is installed by .ci/install-tools')
  // Besu's metric name, which dashboards query: the only finding that promtool may report.
  const faults = `${stdout}${stderr}`.split('\n').filter((line) => /^\S+ \S/.test(line))
  assert.deepEqual(
    faults.map((line) => line.split(' ')[0]),
    ['ethereum_peer_count'],
    stdout + stderr,
  )
  assert.equal(status, ONLY_STYLE, stdout + stderr)

  assert.match(text, /^cairn_rpc_unauthorized_calls_total{reason="no token"} 1$/m)
  assert.match(text, /^cairn_rpc_failed_logins_total{reason="wrong password"} 1$/m)
  assert.match(text, /^cairn_rpc_errors_total{method="eth_chainId",error="UNAUTHORIZED"} 1$/m)
  assert.match(text, /^cairn_blockchain_chain_head_timestamp 0$/m)
  assert.match(text, /^cairn_blockchain_import_step_seconds_total{step="commit"} \d/m)
  assert.ok(Number(/^cairn_database_size_bytes (\d+)$/m.exec(text)?.[1]) > 0)
  assert.equal(node.output().match(/Selected EVM engine/g)?.length, 1, 'the engine is named once')
  assert.match(node.output(), /"method":"eth_chainId","reason":"no token"},"msg":"Refused call"/)
  assert.match(node.output(), /"reason":"wrong password","user":"alice"},"msg":"Refused login"/)
})

test('with the prefix of Besu, metrics that Besu has too are spelled as it spells them', {
  timeout: 120_000,
  skip: existsSync(PACK) ? false : 'the conformance pack is not here',
}, async (context) => {
  const node = await startGuarded(context, `--metrics-prefix=${BESU_PREFIX}`)
  await post(node, '/', { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const text = await scrape(node)
  const recorded = readFileSync(join(PACK, 'recorded', 'metrics-qbft-4-validators.txt'), 'utf8')
  const typeOf = (exposition: string, name: string) =>
    new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(exposition)?.[1]
  const shared = METRIC_ROWS.filter(({ besu }) => besu !== undefined)
  assert.ok(shared.length >= 10)
  for (const row of shared) {
    const name = metricName(row, BESU_PREFIX)
    assert.equal(typeOf(recorded, name), row.kind, `${name} in Besu`)
    if (row.kind !== 'counter') assert.equal(typeOf(text, name), row.kind, `${name} in Cairn`)
  }
  assert.match(text, /^besu_rpc_request_time_count{methodName="eth_blockNumber"} 1$/m)
})
