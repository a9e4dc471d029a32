/**
 * The contracts that methods may name in `needs`. The room that owns an object on main declares its operations; server
 * threads ask them, and nothing else knows an operation by name.
 */
import { ALLOWLIST } from '#allowlist/contract.ts'
import { BUILDING, WRITER } from '#chain/contract.ts'
import { CONSENSUS } from '#consensus/contract.ts'
import { PEERS } from '#p2p/contract.ts'
import type { ClientsOf, Contracts, OwnersOf } from '#platform/contract.ts'
import { LOG } from '#platform/log/log-contract.ts'
import { METRICS } from '#platform/metrics/metrics-contract.ts'
import { PLUGINS } from '#plugins/contract.ts'
import { POOL } from '#pool/contract.ts'
import { SERVICES } from '#serve/services-contract.ts'
import { SYNC } from '#sync/contract.ts'
import { AUDIT } from './audit/audit-contract.ts'
import { FILTERS } from './filters/filters-contract.ts'

export const CONTRACTS = {
  services: SERVICES,
  peers: PEERS,
  sync: SYNC,
  metrics: METRICS,
  log: LOG,
  writer: WRITER,
  filters: FILTERS,
  building: BUILDING,
  allowlist: ALLOWLIST,
  audit: AUDIT,
  consensus: CONSENSUS,
  plugins: PLUGINS,
  pool: POOL,
} satisfies Contracts

/** As methods see them. */
export type Live = ClientsOf<typeof CONTRACTS>

/** The objects on main that answer. */
export type LiveOwners = OwnersOf<typeof CONTRACTS>
