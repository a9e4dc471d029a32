/** The contracts that methods may name in `needs`, declared by the rooms that own the objects on main. */
import { ALLOWLIST } from '#allowlist/contract.ts'
import { BUILDING, WRITER } from '#chain/contract.ts'
import { CONSENSUS } from '#consensus/contract.ts'
import { DEV } from '#consensus/dev/contract.ts'
import { FORKCHOICE } from '#engine-api/contract.ts'
import { AUDIT } from '#jsonrpc/audit/audit-contract.ts'
import { PEERS } from '#p2p/contract.ts'
import type { ClientsOf, Contracts, OwnersOf } from '#platform/contract.ts'
import { LOG } from '#platform/log/log-contract.ts'
import { METRICS } from '#platform/metrics/metrics-contract.ts'
import { PLUGINS } from '#plugins/contract.ts'
import { POOL } from '#pool/contract.ts'
import { SERVICES } from '#serve/services-contract.ts'
import { DOCTOR } from './doctor-contract.ts'
import { FILTERS } from './filters/filters-contract.ts'

export const CONTRACTS = {
  services: SERVICES,
  peers: PEERS,
  metrics: METRICS,
  log: LOG,
  writer: WRITER,
  filters: FILTERS,
  building: BUILDING,
  allowlist: ALLOWLIST,
  audit: AUDIT,
  consensus: CONSENSUS,
  dev: DEV,
  doctor: DOCTOR,
  forkchoice: FORKCHOICE,
  plugins: PLUGINS,
  pool: POOL,
} satisfies Contracts

/** The contracts as methods see them. */
export type Live = ClientsOf<typeof CONTRACTS>

export type LiveOwners = OwnersOf<typeof CONTRACTS>
