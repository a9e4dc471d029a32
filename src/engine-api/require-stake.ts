import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import { engineOptions } from './options.ts'

/**
 * Whether this node serves the Engine API. Networks that produce their own blocks ignore the option with a warning, because
 * Besu's operators may have it in their files. Throws on networks that never become proof of stake.
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
  if (config.terminalTotalDifficulty !== undefined) return true
  throw usageFault(
    `${flag} needs a proof-of-stake network, with "terminalTotalDifficulty" in the genesis file: 0 if block 1 is proof of stake.`,
  )
}
