/** Starts the room on the main thread. */
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import { buildingOptions } from '#chain/options.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { defineRoom } from '#platform/room.ts'
import { ForkChooser, type ForkChooserParts } from './fork-chooser.ts'

interface EngineApiNeeds extends Pick<ForkChooserParts, 'candidates' | 'sync'> {
  readonly settings: Settings
  readonly chain: RunningChain
  readonly building: LiveBuilding
  readonly clock: Clock
  readonly log: Log
}

export const ENGINE_API = defineRoom({
  name: 'Engine API',
  startDeadlineMs: 10_000,
  stopDeadlineMs: 10_000,
  start: async (needs: EngineApiNeeds, { onStop }): Promise<ForkChooser> => {
    const { settings, chain, building, clock, log, candidates, sync } = needs
    const { keccak } = await loadCrypto()
    const chooser = new ForkChooser({
      writer: chain.writer,
      candidates,
      sync,
      building: () => building.settings(),
      budgetMs: settings.get(buildingOptions.selectionMaxTimeMs),
      keccak,
      clock,
      log,
    })
    onStop(() => chooser.stop())
    return chooser
  },
})
