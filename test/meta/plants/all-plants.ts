/** All planted mistakes. A rule that protects something comes with the mistake that it prevents. */
import { ABI_PLANTS } from './abi-plants.ts'
import { ALLOWLIST_PLANTS } from './allowlist-plants.ts'
import { AUDIT_PLANTS } from './audit-plants.ts'
import { AUTH_PLANTS } from './auth-plants.ts'
import { BACKUP_PLANTS } from './backup-plants.ts'
import { BLOCK_PLANTS } from './block-plants.ts'
import { BLOCK_RULE_PLANTS } from './block-rule-plants.ts'
import { BUILDER_PLANTS } from './builder-plants.ts'
import { CONSENSUS_PLANTS } from './consensus-plants.ts'
import { DOCTOR_PLANTS } from './doctor-plants.ts'
import { DRIVER_PLANTS } from './driver-plants.ts'
import { FILE_PLANTS } from './file-plants.ts'
import { FLEET_PLANTS } from './fleet-plants.ts'
import { GATE_PLANTS } from './gate-plants.ts'
import { LIMIT_PLANTS } from './limit-plants.ts'
import { MIGRATE_PLANTS } from './migrate-plants.ts'
import { OPTION_PLANTS } from './option-plants.ts'
import { P2P_PLANTS } from './p2p-plants.ts'
import type { Plants } from './plant.ts'
import { PLUGIN_PLANTS } from './plugin-plants.ts'
import { POOL_PLANTS } from './pool-plants.ts'
import { RECORDED_PLANTS } from './recorded-plants.ts'
import { RPC_PLANTS } from './rpc-plants.ts'
import { SIGNATURE_LOG_PLANTS } from './signature-log-plants.ts'
import { SNAPSHOT_PLANTS } from './snapshot-plants.ts'
import { STORE_PLANTS } from './store-plants.ts'
import { SUBSCRIPTION_PLANTS } from './subscription-plants.ts'
import { SYNC_PLANTS } from './sync-plants.ts'

export const ALL_PLANTS: Plants = {
  ...ABI_PLANTS,
  ...ALLOWLIST_PLANTS,
  ...AUDIT_PLANTS,
  ...AUTH_PLANTS,
  ...BLOCK_RULE_PLANTS,
  ...BUILDER_PLANTS,
  ...BLOCK_PLANTS,
  ...BACKUP_PLANTS,
  ...CONSENSUS_PLANTS,
  ...DOCTOR_PLANTS,
  ...FLEET_PLANTS,
  ...FILE_PLANTS,
  ...DRIVER_PLANTS,
  ...GATE_PLANTS,
  ...LIMIT_PLANTS,
  ...OPTION_PLANTS,
  ...P2P_PLANTS,
  ...POOL_PLANTS,
  ...MIGRATE_PLANTS,
  ...PLUGIN_PLANTS,
  ...RECORDED_PLANTS,
  ...SNAPSHOT_PLANTS,
  ...RPC_PLANTS,
  ...STORE_PLANTS,
  ...SUBSCRIPTION_PLANTS,
  ...SYNC_PLANTS,
  ...SIGNATURE_LOG_PLANTS,
}
