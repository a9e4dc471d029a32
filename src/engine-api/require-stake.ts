import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import { engineOptions } from './options.ts'

/**
 * Whether this node serves the Engine API. Networks that produce their own blocks ignore the option with a warning, because
 * Besu's operators may have it in their files. Throws on networks whose first blocks are proof of work.
 */
export function servesEngineApi(
  settings: Settings,
  { config }: Genesis,
  { isDevelopment, warn }: { readonly isDevelopment: boolean; readonly warn: (sentence: string) => void },
): boolean {
  const { flag } = engineOptions.enabled
  if (!settings.get(engineOptions.enabled)) return false
  if (isDevelopment || votingProtocols(config.consensus).length > 0) {
    warn(
      `${flag} has no effect: this network produces its own blocks, and a consensus client cannot choose them.`,
    )
    return false
  }
  if (config.terminalTotalDifficulty === 0n) return true
  throw usageFault(
    `${flag} needs a network that is proof of stake from block 1 on, with "terminalTotalDifficulty": 0 in the genesis file. Cairn does not verify proof of work.`,
  )
}
