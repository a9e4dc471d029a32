import { boolean, listOf, oneOf, port, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

/** Besu's categories, also those without a metric in Cairn, and Cairn's own. */
export const METRIC_CATEGORIES = [
  'bal',
  'block_processing',
  'blockchain',
  'bonsai_cache',
  'consensus',
  'database',
  'ethereum',
  'executors',
  'jvm',
  'kvstore_private_rocksdb',
  'kvstore_private_rocksdb_stats',
  'kvstore_rocksdb',
  'kvstore_rocksdb_stats',
  'network',
  'peers',
  'permissioning',
  'plugins',
  'process',
  'pruner',
  'rocksdb',
  'rpc',
  'synchronizer',
  'transaction_pool',
] as const

export const metricsOptions = defineOptions('Metrics', {
  enabled: {
    flag: '--metrics-enabled',
    kind: boolean,
    default: false,
    help: 'Serve metrics for Prometheus.',
  },
  host: {
    flag: '--metrics-host',
    kind: text,
    label: 'HOST',
    default: '127.0.0.1',
    help: 'Host to listen on.',
  },
  port: {
    flag: '--metrics-port',
    kind: port(),
    default: 9545,
    help: 'Port to listen on; 0 lets the system choose.',
  },
  prefix: {
    flag: '--metrics-prefix',
    kind: text,
    label: 'PREFIX',
    default: 'cairn_',
    help: "Prefix of metric names; besu_ for Besu's names.",
  },
  categories: {
    flag: '--metrics-category',
    aliases: ['--metrics-categories'],
    kind: listOf(oneOf(METRIC_CATEGORIES)),
    label: 'CATEGORY,…',
    help: `Metric categories to serve: ${METRIC_CATEGORIES.join(', ')}.`,
    defaultText: 'all',
  },
  protocol: {
    flag: '--metrics-protocol',
    kind: oneOf(['PROMETHEUS', 'OPENTELEMETRY', 'NONE']),
    label: 'PROTOCOL',
    default: 'PROMETHEUS',
    help: 'PROMETHEUS, or NONE for no metrics.',
    refused: {
      why: 'Cairn does not send metrics by OpenTelemetry, so the node would not be monitored; use PROMETHEUS and scrape it, or NONE.',
      accepts: (protocol) => protocol !== 'OPENTELEMETRY',
    },
  },
  pushEnabled: {
    flag: '--metrics-push-enabled',
    kind: boolean,
    default: false,
    help: 'Push metrics to a gateway.',
    refused: {
      why: 'Cairn does not push metrics, so the node would not be monitored; use --metrics-enabled and scrape it.',
      accepts: (isOn) => !isOn,
    },
  },
})
