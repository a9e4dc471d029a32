import { permissionsOptions } from '#allowlist/options.ts'
import { buildingOptions, ledgerOptions } from '#chain/options.ts'
import { ledgerRows } from '#config/inert/ledger.ts'
import { networkRows } from '#config/inert/network.ts'
import { rpcRows } from '#config/inert/rpc.ts'
import type { Option } from '#config/option.ts'
import { sourceOptions } from '#config/options.ts'
import { refusedRows } from '#config/refused.ts'
import { consensusOptions } from '#consensus/options.ts'
import { peerOptions } from '#p2p/options.ts'
import { pluginOptions } from '#plugins/options.ts'
import { poolOptions } from '#pool/options.ts'
import { auditOptions } from '#rpc/audit/options.ts'
import { httpOptions, limitOptions, rpcOptions, websocketOptions } from '#rpc/settings/options.ts'
import { httpTlsOptions, websocketTlsOptions } from '#rpc/settings/tls-options.ts'
import { metricsOptions } from './metrics-options.ts'
import { logOptions, nodeOptions } from './options.ts'

/** Every option of the node, in the order of --help. A room appears once; its rows are its own business. */
export const ALL_OPTIONS: readonly Option[] = [
  ...Object.values(sourceOptions),
  ...Object.values(nodeOptions),
  ...Object.values(logOptions),
  ...Object.values(ledgerOptions),
  ...Object.values(buildingOptions),
  ...Object.values(poolOptions),
  ...Object.values(consensusOptions),
  ...Object.values(peerOptions),
  ...Object.values(permissionsOptions),
  ...Object.values(pluginOptions),
  ...Object.values(rpcOptions),
  ...Object.values(limitOptions),
  ...Object.values(httpOptions),
  ...Object.values(httpTlsOptions),
  ...Object.values(websocketOptions),
  ...Object.values(websocketTlsOptions),
  ...Object.values(auditOptions),
  ...Object.values(metricsOptions),
  ...rpcRows,
  ...networkRows,
  ...ledgerRows,
  ...refusedRows,
]
