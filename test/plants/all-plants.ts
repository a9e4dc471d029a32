/** Every planted mistake. Whoever adds a rule that protects something adds the mistake that it prevents. */
import { ALLOWLIST_PLANTS } from './allowlist-plants.ts'
import { AUDIT_PLANTS } from './audit-plants.ts'
import { AUTH_PLANTS } from './auth-plants.ts'
import { CONSENSUS_PLANTS } from './consensus-plants.ts'
import { GATE_PLANTS } from './gate-plants.ts'
import { LIMIT_PLANTS } from './limit-plants.ts'
import type { Plants } from './plant.ts'
import { RECORDED_PLANTS } from './recorded-plants.ts'
import { STORE_PLANTS } from './store-plants.ts'
import { VOTES_PLANTS } from './votes-plants.ts'

export const ALL_PLANTS: Plants = {
  ...ALLOWLIST_PLANTS,
  ...AUDIT_PLANTS,
  ...AUTH_PLANTS,
  ...CONSENSUS_PLANTS,
  ...GATE_PLANTS,
  ...LIMIT_PLANTS,
  ...RECORDED_PLANTS,
  ...STORE_PLANTS,
  ...VOTES_PLANTS,
}
