/** All mutations and all blocks that they apply to. */
import { BODY_MUTATIONS } from './body-mutations.ts'
import { EXTRA_DATA_MUTATIONS } from './extra-data-mutations.ts'
import { HEADER_MUTATIONS } from './header-mutations.ts'
import type { Mutation } from './mutation.ts'
import { type BlockNetwork, NETWORKS } from './networks.ts'
import type { Filling } from './site.ts'

export const MUTATIONS: readonly Mutation[] = [
  ...HEADER_MUTATIONS,
  ...EXTRA_DATA_MUTATIONS,
  ...BODY_MUTATIONS,
]

export const FIELDS: number = new Set(MUTATIONS.map(({ field }) => field)).size

export interface SiteName {
  readonly network: BlockNetwork
  readonly filling: Filling
}

export const SITES: readonly SiteName[] = NETWORKS.flatMap((network) =>
  (['empty', 'transactions'] as const).map((filling) => ({ network, filling })),
)
