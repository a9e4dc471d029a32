import { decimal, integer } from '#config/kinds.ts'
import { defineOptions, type ValuesOf } from '#config/option.ts'
import { createTransportOptions } from '#jsonrpc/settings/options.ts'
import { KNOWN_METHODS } from './registry/known-methods.ts'

const MIB = 1024 * 1024

const notNegative = { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), label: 'LONG' }

export const TRANSPORT_OPTIONS = createTransportOptions(KNOWN_METHODS)
export const { http: httpOptions, websocket: websocketOptions } = TRANSPORT_OPTIONS

export const limitOptions = defineOptions('JSON-RPC limits', {
  maxLogsRange: {
    flag: '--rpc-max-logs-range',
    kind: notNegative,
    default: 5000,
    help: 'Maximum blocks per log query; 0 for no limit.',
  },
  maxLogsBlocks: {
    flag: '--rpc-max-logs-blocks',
    kind: notNegative,
    default: 0,
    help: 'Maximum blocks that a log query reads; 0 for no limit.',
    details: 'Counted in the index before the first block is read.',
  },
  maxTraceFilterRange: {
    flag: '--rpc-max-trace-filter-range',
    kind: notNegative,
    default: 1000,
    help: 'Maximum blocks per trace query; 0 for no limit.',
  },
  gasCap: {
    flag: '--rpc-gas-cap',
    kind: notNegative,
    default: 100_000_000,
    help: 'Maximum gas of a simulated call; 0 for no limit.',
  },
  estimateGasTolerance: {
    flag: '--estimate-gas-tolerance-ratio',
    kind: decimal,
    default: 0.015,
    help: 'Fraction by which eth_estimateGas may overestimate; 0 for exact estimates.',
  },
  maxActiveFilters: {
    flag: '--rpc-max-active-filters',
    kind: integer({ min: 0 }),
    default: 1000,
    help: 'Maximum polling filters; 0 for no limit.',
  },
  filterTimeoutSeconds: {
    flag: '--rpc-filter-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 120,
    help: 'Seconds until an unpolled filter is removed.',
  },
  gasPriceBlocks: {
    flag: '--api-gas-price-blocks',
    kind: notNegative,
    default: 100,
    help: 'Recent blocks that eth_gasPrice considers.',
  },
  gasPricePercentile: {
    flag: '--api-gas-price-percentile',
    kind: decimal,
    default: 50,
    help: 'Percentile of recent gas prices that eth_gasPrice returns.',
  },
  gasPriceMax: {
    flag: '--api-gas-price-max',
    kind: notNegative,
    label: 'WEI',
    default: 500_000_000_000,
    help: 'Highest gas price to suggest.',
  },
  maxRequestBytes: {
    flag: '--rpc-max-request-memory',
    kind: { ...integer({ min: MIB, max: 2 ** 31 - 1 }), label: 'BYTES' },
    default: 256 * MIB,
    help: 'Maximum memory of one request during execution.',
  },
})

export type LimitValues = ValuesOf<typeof limitOptions>
