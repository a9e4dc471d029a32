import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { nodeOptions } from './options.ts'

/** Rules between options; what one option alone may say is its kind's business. */
const RULES: readonly ((settings: Settings) => string | undefined)[] = [
  networkOrGenesisFile,
  networkStillExists,
]

export function validateOptions(settings: Settings): void {
  for (const rule of RULES) {
    const sentence = rule(settings)
    if (sentence !== undefined) throw usageFault(sentence)
  }
}

function networkOrGenesisFile(settings: Settings): string | undefined {
  if (!settings.isGiven(nodeOptions.network) || !settings.isGiven(nodeOptions.genesisFile)) return undefined
  return "--network option and --genesis-file option can't be used at the same time. Keep the one that names your network."
}

function networkStillExists(settings: Settings): string | undefined {
  if (settings.get(nodeOptions.network) !== 'DEV') return undefined
  return '--network=dev is no longer supported. Make a network of one node with operator generate-blockchain-config and start with its genesis file.'
}
