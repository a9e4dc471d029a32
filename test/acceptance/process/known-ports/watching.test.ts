/* Dashboards and alert rules in deploy/, against the real Prometheus and a network of real nodes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LIMIT_REFUSALS } from '#jsonrpc/limits/call-limits.ts'
import type { MetricRow } from '#platform/metrics/metrics.ts'
import { RULES_FILE } from '../../../../scripts/watching/alert-rules.ts'
import { ALERTS, type Alert } from '../../../../scripts/watching/alerts.ts'
import { BESU_OVERVIEW } from '../../../../scripts/watching/besu-overview.ts'
import { DASHBOARDS } from '../../../../scripts/watching/grafana.ts'
import { METRIC_ROWS } from '../../../../scripts/watching/metric-rows.ts'
import { nameOf } from '../../../../scripts/watching/panel.ts'
import { CommandNetwork, QUICK } from '../../../support/command-network.ts'
import { CHECKOUT } from '../../../support/copy-checkout.ts'
import { temporaryDirectory } from '../../../support/program.ts'
import { openRpcClient } from '../../../support/rpc-client.ts'
import { ALERT_CASES, type AlertCase } from '../alert-cases.ts'
import { Prometheus, type Sample, withoutPrometheus } from '../prometheus.ts'

const rules = join(CHECKOUT, RULES_FILE)
const skip = withoutPrometheus() ?? false
const NODE = { instance: 'node:9545', job: 'cairn' }
const ENOUGH_SCRAPES = 3

function promtool(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' })
  assert.equal(error, undefined, 'promtool is installed by .ci/install-tools')
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** Adds the node's labels to the series. */
function seriesOf(name: string, values: string): { series: string; values: string } {
  const own = Object.entries(NODE).map(([label, text]) => `${label}="${text}"`)
  const [, metric, more] = /^(\w+)(?:{(.*)})?$/.exec(name)!
  return { series: `${metric}{${[...own, ...(more === undefined ? [] : [more])].join(',')}}`, values }
}

function ruleTest(
  alert: Alert,
  { at, labels, named }: AlertCase,
  series: AlertCase['fires'],
  isFired: boolean,
) {
  const all: Record<string, string> = { ...NODE, ...labels }
  const nodes = named === undefined ? '' : ` (${named})`
  const summary = alert.summary.replace(
    /{{ \$labels\.(\w+) }}/g,
    (_, label) => all[label]! + (label === 'validator' ? nodes : ''),
  )
  const fired = {
    exp_labels: { ...all, severity: alert.severity },
    exp_annotations: { summary, description: alert.whatToDo },
  }
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => seriesOf(name, values)),
    alert_rule_test: [{ eval_time: at, alertname: alert.name, exp_alerts: isFired ? [fired] : [] }],
  }
}

test('every alert fires when it should, and not otherwise', { skip, timeout: 120_000 }, (context) => {
  assert.deepEqual(
    Object.keys(ALERT_CASES),
    ALERTS.map(({ name }) => name),
  )
  promtool('check', 'rules', rules)
  const tests = ALERTS.flatMap((alert) => {
    const each = ALERT_CASES[alert.name]!
    return [ruleTest(alert, each, each.fires, true), ruleTest(alert, each, each.quiet, false)]
  })
  const file = join(temporaryDirectory(context), 'cases.yml')
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
  promtool('test', 'rules', file)
  promtool('check', 'config', '--syntax-only', join(CHECKOUT, 'deploy', 'prometheus', 'prometheus.yml'))
})

const metricsOf = (network: CommandNetwork, name: string) =>
  `127.0.0.1:${/metrics-port = (\d+)/.exec(readFileSync(network.file(`${name}/config.toml`), 'utf8'))![1]}`

/** Replaces variables as Grafana does. */
const filledIn = (expr: string) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')

test('Prometheus scrapes a network: every expression has data, every rule evaluates', {
  skip,
  timeout: 240_000,
}, async (context) => {
  const network = new CommandNetwork(context, QUICK, '--permissions', '--observers=1')
  const names = [1, 2, 3, 4].map((number) => `validator-${number}`)
  // The fifth node uses Besu's metric prefix, as after a migration.
  appendFileSync(network.file('observer-1/config.toml'), 'metrics-prefix = "besu_"\n')
  network.run('up', '--detach')
  const client = openRpcClient(network.port('validator-1'))
  context.after(() => client.close())
  await network.mine(0)
  assert.ok((await client.call('eth_getBalance', 'nobody', 'latest')).error)
  // Engine threads start on demand.
  assert.ok((await client.call('debug_traceBlockByNumber', '0x1')).result)

  const validators = names.map((name) => metricsOf(network, name))
  const jobs = { cairn: validators, besu: [metricsOf(network, 'observer-1')] }
  const prometheus = await Prometheus.start(context, jobs, rules)
  await prometheus.until(async () => {
    const scraped = await prometheus.query(`sum_over_time(up[1m]) >= ${ENOUGH_SCRAPES}`)
    const mined = await prometheus.query('cairn_blockchain_transactions_total > 0')
    return scraped.length === validators.length + 1 && mined.length === validators.length
  })

  await context.test('every expression of every dashboard returns data of every node', async () => {
    const panels = DASHBOARDS.flatMap(({ sections }) => sections).flatMap(({ panels }) => panels)
    const empty: string[] = []
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const found = await prometheus.query(filledIn(expr))
        const nodes = new Set(found.map(({ metric }) => metric.instance))
        const needed = expr.includes('by (instance)') || expr.startsWith('cairn') ? validators.length : 1
        // A failure metric has a series for each node that failed, or one for all nodes.
        const least = expr.endsWith('vector(0)') ? 1 : needed
        if (nodes.size < least) empty.push(`${title}: ${expr}`)
      }
    }
    assert.ok(panels.length > 50)
    assert.deepEqual(empty, [])
  })

  await context.test('every metric that is declared is served', async () => {
    const served = await prometheus.get<Record<string, unknown>>('metadata')
    // Plugin metrics exist if there is a plugin, and limit metrics if limits are set.
    const isOnWish = (row: MetricRow) => row.category === 'plugins' || row.name === LIMIT_REFUSALS.name
    const missing = METRIC_ROWS.filter((row) => !isOnWish(row))
      .map(nameOf)
      .filter((name) => served[name] === undefined)
    assert.deepEqual(missing, [])
  })

  await context.test('every alert rule evaluates, and none fires', async () => {
    const { groups } = await prometheus.get<{
      groups: { rules: { name: string; health: string; lastError?: string }[] }[]
    }>('rules')
    const found = groups.flatMap((group) => group.rules)
    assert.deepEqual(
      found.filter(({ health }) => health !== 'ok'),
      [],
    )
    assert.deepEqual(
      found.map(({ name }) => name),
      ALERTS.map(({ name }) => name),
    )
    assert.deepEqual(await prometheus.query('ALERTS{alertstate="firing"}'), [])
  })

  await context.test("Besu's overview dashboard finds what it asks for", async () => {
    for (const { panel, asks, isEmpty = false } of BESU_OVERVIEW) {
      for (const name of asks) {
        const found = await prometheus.query(`${name}{job="besu"}`)
        assert.equal(found.length === 0, isEmpty, `${panel}: ${name}`)
      }
    }
  })

  await context.test('a validator that is killed is about to wake somebody', async () => {
    network.run('kill', 'validator-4')
    const pending = (name: string) => prometheus.query(`ALERTS{alertname="${name}"}`)
    const instances = (samples: readonly Sample[]) => samples.map(({ metric }) => metric.instance).sort()
    await prometheus.until(async () => (await pending('CairnNodeDown')).length > 0)
    assert.deepEqual(instances(await pending('CairnNodeDown')), validators.slice(3))
    await prometheus.until(async () => (await pending('CairnNoSpareValidator')).length === 3)
    assert.deepEqual(instances(await pending('CairnNoSpareValidator')), validators.slice(0, 3).sort())
    assert.deepEqual(await pending('CairnValidatorsBelowQuorum'), [])
  })
})
