import { permissionsOptions } from '#allowlist/options.ts'
import { httpOptions, limitOptions, websocketOptions } from '#api/options.ts'
import { buildingOptions, ledgerOptions } from '#chain/options.ts'
import { dataOptions } from '#config/data-directory.ts'
import { ledgerRows } from '#config/inert/ledger.ts'
import { networkRows } from '#config/inert/network.ts'
import { rpcRows } from '#config/inert/rpc.ts'
import type { Option } from '#config/option.ts'
import { sourceOptions } from '#config/options.ts'
import { refusedRows } from '#config/refused.ts'
import { consensusOptions } from '#consensus/options.ts'
import { consoleOptions } from '#console/options.ts'
import { engineOptions } from '#engine-api/options.ts'
import { auditOptions } from '#jsonrpc/audit/options.ts'
import { rpcOptions, userLimitOptions } from '#jsonrpc/settings/options.ts'
import { httpTlsOptions, websocketTlsOptions } from '#jsonrpc/settings/tls-options.ts'
import { keyOptions, peerOptions } from '#p2p/options.ts'
import { pluginOptions } from '#plugins/options.ts'
import { poolOptions } from '#pool/options.ts'
import { metricsOptions } from '#serve/metrics-options.ts'
import { logOptions, nodeOptions } from './options.ts'

/** All options of the node, in the order of --help. */
export const ALL_OPTIONS: readonly Option[] = [
  ...Object.values(sourceOptions),
  ...Object.values(dataOptions),
  ...Object.values(nodeOptions),
  ...Object.values(keyOptions),
  ...Object.values(logOptions),
  ...Object.values(ledgerOptions),
  ...Object.values(buildingOptions),
  ...Object.values(poolOptions),
  ...Object.values(consensusOptions),
  ...Object.values(peerOptions),
  ...Object.values(permissionsOptions),
  ...Object.values(pluginOptions),
  ...Object.values(rpcOptions),
  ...Object.values(userLimitOptions),
  ...Object.values(limitOptions),
  ...Object.values(httpOptions),
  ...Object.values(httpTlsOptions),
  ...Object.values(websocketOptions),
  ...Object.values(websocketTlsOptions),
  ...Object.values(consoleOptions),
  ...Object.values(engineOptions),
  ...Object.values(auditOptions),
  ...Object.values(metricsOptions),
  ...rpcRows,
  ...networkRows,
  ...ledgerRows,
  ...refusedRows,
]
