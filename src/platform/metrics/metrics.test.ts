import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CounterRow,
  createMetrics,
  type GaugeRow,
  type HistogramRow,
  type Metrics,
  metricName,
  type SummaryRow,
} from './metrics.ts'

const REQUESTS: CounterRow<'method'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'requests',
  help: 'Requests.',
  labels: ['method'],
}
const PEERS: GaugeRow = { kind: 'gauge', category: 'ethereum', name: 'peer_count', help: 'Peers.' }
const LATENCY: SummaryRow = { kind: 'summary', category: 'rpc', name: 'latency_seconds', help: 'Time.' }
const SIZES: HistogramRow = {
  kind: 'histogram',
  category: 'rpc',
  name: 'size_bytes',
  help: 'Size.',
  buckets: [10, 100],
}
const HIGHEST: GaugeRow = { kind: 'gauge', category: 'chain', name: 'highest', help: 'Height.', merge: 'max' }

const failOnError = (source: string, error: unknown): void => assert.fail(`${source}: ${error}`)
const create = (): Metrics => createMetrics({ prefix: 'besu_', onSourceError: failOnError })
const linesOf = async (metrics: Metrics): Promise<string[]> => (await metrics.exposition()).body.split('\n')

test('a name is prefix, category, name, and _total for counters; three categories have no prefix', () => {
  assert.equal(metricName(REQUESTS, 'besu_'), 'besu_rpc_requests_total')
  assert.equal(metricName(PEERS, 'besu_'), 'ethereum_peer_count')
  assert.equal(metricName({ ...PEERS, category: 'jvm' }, 'besu_'), 'jvm_peer_count')
})

test('each kind of metric is shown in the text format', async () => {
  const metrics = create()
  const requests = metrics.counter(REQUESTS)
  requests.inc({ method: 'eth_call' })
  requests.add(2, { method: 'eth_call' })
  metrics.gaugeOf(PEERS, () => 7)
  metrics.summary(LATENCY).observe(0.5)
  metrics.histogram(SIZES).observe(50)
  const { contentType } = await metrics.exposition()
  const lines = await linesOf(metrics)
  assert.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8')
  for (const line of [
    '# HELP besu_rpc_requests_total Requests.',
    '# TYPE besu_rpc_requests_total counter',
    'besu_rpc_requests_total{method="eth_call"} 3',
    'ethereum_peer_count 7',
    ...[0.2, 0.5, 0.8, 0.95, 0.99, 1].map((q) => `besu_rpc_latency_seconds{quantile="${q}"} 0.5`),
    'besu_rpc_latency_seconds_sum 0.5',
    'besu_rpc_latency_seconds_count 1',
    'besu_rpc_size_bytes_bucket{le="10"} 0',
    'besu_rpc_size_bytes_bucket{le="100"} 1',
    'besu_rpc_size_bytes_bucket{le="+Inf"} 1',
  ]) {
    assert.ok(lines.includes(line), `${line}\nis missing in\n${lines.join('\n')}`)
  }
})

test('a read gauge with labels drops combinations that are no longer returned', async () => {
  const metrics = create()
  const row: GaugeRow<'peer'> = {
    kind: 'gauge',
    category: 'p2p',
    name: 'late',
    help: 'Late.',
    labels: ['peer'],
  }
  let late = new Map([
    ['a', 1],
    ['b', 2],
  ])
  metrics.gaugesOf(row, () => [...late].map(([peer, value]) => [{ peer }, value] as const))
  assert.ok((await linesOf(metrics)).includes('besu_p2p_late{peer="b"} 2'))
  late = new Map([['a', 3]])
  const lines = await linesOf(metrics)
  assert.deepEqual(
    lines.filter((line) => line.startsWith('besu_p2p_late')),
    ['besu_p2p_late{peer="a"} 3'],
  )
})

test("a former Besu name is served next to the new one, only with Besu's prefix", async () => {
  const row: GaugeRow = { ...PEERS, category: 'p2p', besu: { name: 'peers', formerName: 'peers_total' } }
  const shown = async (prefix: string) => {
    const metrics = createMetrics({ prefix, onSourceError: failOnError })
    metrics.gaugeOf(row, () => 7)
    return (await linesOf(metrics)).filter((line) => line.endsWith(' 7'))
  }
  assert.deepEqual(await shown('besu_'), ['besu_p2p_peers 7', 'besu_p2p_peers_total 7'])
  assert.deepEqual(await shown('cairn_'), ['cairn_p2p_peer_count 7'])
})

test('a gauge removes a combination of labels', async () => {
  const metrics = create()
  const { kind, category, name, help } = PEERS
  const gauge = metrics.gauge<'id'>({ kind, category, name, help, labels: ['id'] })
  gauge.set(1, { id: 'a' })
  gauge.set(2, { id: 'b' })
  gauge.remove({ id: 'a' })
  const lines = await linesOf(metrics)
  assert.ok(!lines.some((line) => line.includes('id="a"')))
  assert.ok(lines.includes('ethereum_peer_count{id="b"} 2'))
})

test('metrics of a disabled category can be updated and are not shown', async () => {
  const metrics = createMetrics({ prefix: '', categories: new Set(['chain']), onSourceError: failOnError })
  metrics.counter(REQUESTS).inc({ method: 'x' })
  metrics.gauge(HIGHEST).set(1)
  const lines = await linesOf(metrics)
  assert.ok(!lines.some((line) => line.includes('rpc_requests')))
  assert.ok(lines.includes('chain_highest 1'))
})

test("other threads' metrics of a disabled category are not shown, nor are process metrics", async () => {
  const other = createMetrics({ prefix: '', onSourceError: failOnError })
  other.counter(REQUESTS).inc({ method: 'x' })
  other.gauge(HIGHEST).set(1)
  const categories = new Set(['chain'])
  const metrics = createMetrics({ prefix: '', process: true, categories, onSourceError: failOnError })
  metrics.collectFrom('other', () => other.sample())
  const names = (await linesOf(metrics)).filter((line) => line.startsWith('# TYPE'))
  assert.deepEqual(names, ['# TYPE chain_highest gauge'])
})

test('process metrics are shown on request', async () => {
  const metrics = createMetrics({ prefix: 'besu_', process: true, onSourceError: failOnError })
  const lines = await linesOf(metrics)
  assert.ok(lines.some((line) => line.startsWith('process_resident_memory_bytes ')))
})

test('merging threads adds up counts and takes the largest quantile and max gauge', async () => {
  const main = create()
  const server = create()
  for (const [metrics, by] of [
    [main, 1],
    [server, 10],
  ] as const) {
    metrics.counter(REQUESTS).add(by, { method: 'a' })
    metrics.summary(LATENCY).observe(by)
    metrics.histogram(SIZES).observe(by)
    metrics.gauge(HIGHEST).set(by)
  }
  main.collectFrom('server-1', async () => structuredClone(await server.sample()))
  const lines = await linesOf(main)
  for (const line of [
    'besu_rpc_requests_total{method="a"} 11',
    'besu_rpc_latency_seconds{quantile="0.5"} 10',
    'besu_rpc_latency_seconds_sum 11',
    'besu_rpc_latency_seconds_count 2',
    'besu_rpc_size_bytes_bucket{le="10"} 2',
    'besu_chain_highest 10',
  ]) {
    assert.ok(lines.includes(line), `${line}\nis missing in\n${lines.join('\n')}`)
  }
})

test('totals do not fall when a thread is slow, replaced or gone', async () => {
  const errors: string[] = []
  const main = createMetrics({ prefix: '', onSourceError: (source) => errors.push(source) })
  const engine = create()
  engine.counter({ ...REQUESTS, category: 'process' }).add(5, { method: 'a' })
  engine.gauge({ ...PEERS, category: 'process' }).set(3)
  const total = async (): Promise<string | undefined> =>
    (await linesOf(main)).find((line) => line.startsWith('process_requests_total{'))?.split(' ')[1]
  let isSlow = false
  const forget = main.collectFrom('engine-1', () =>
    isSlow ? Promise.reject(new Error('slow')) : engine.sample(),
  )
  assert.equal(await total(), '5')
  isSlow = true
  assert.equal(await total(), '5')
  assert.deepEqual(errors, ['engine-1'])
  forget()
  forget()
  assert.equal(await total(), '5')
  const replaced = main.collectFrom('engine-1', () => engine.sample())
  assert.equal(await total(), '10')
  replaced()
  assert.equal(await total(), '10')
  assert.ok(!(await linesOf(main)).includes('process_peer_count 3'))
})

test("a metric that Besu has uses Besu's name and labels with Besu's prefix, and ours with any other", async () => {
  const row: CounterRow<'method'> = {
    kind: 'counter',
    category: 'rpc',
    name: 'errors',
    help: 'Errors',
    labels: ['method'],
    besu: { name: 'errors_count', labels: { method: 'rpcMethod' } },
  }
  for (const [prefix, line] of [
    ['besu_', 'besu_rpc_errors_count_total{rpcMethod="a"} 1'],
    ['cairn_', 'cairn_rpc_errors_total{method="a"} 1'],
  ] as const) {
    const metrics = createMetrics({ prefix, onSourceError: failOnError })
    metrics.counter(row).inc({ method: 'a' })
    assert.ok((await linesOf(metrics)).includes(line))
    assert.equal((await metrics.sample())[0]?.row?.name, 'errors_count', 'for debug_metrics')
  }
})
