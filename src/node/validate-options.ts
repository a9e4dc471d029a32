import { usageFault } from '#config/faults.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { peerOptions } from '#p2p/options.ts'
import { httpOptions, websocketOptions } from '#rpc/settings/options.ts'
import { metricsOptions } from './metrics-options.ts'
import { nodeOptions } from './options.ts'

/** Rules between options; what one option alone may say is its kind's business. */
const RULES: readonly ((settings: Settings) => string | undefined)[] = [
  networkOrGenesisFile,
  metricsServedOrPushed,
  portsDiffer,
  namesResolvedAgain,
]

export function validateOptions(settings: Settings): void {
  for (const rule of RULES) {
    const sentence = rule(settings)
    if (sentence !== undefined) throw usageFault(sentence)
  }
  refuseUnsafeOptions(settings)
}

/** Names every option that must not be ignored, so that an operator sees them all at once. */
export function refuseUnsafeOptions(settings: Settings): void {
  const refusals = settings.refusals()
  if (refusals.length > 0) throw usageFault(refusals.join('\n'))
}

function networkOrGenesisFile(settings: Settings): string | undefined {
  if (!settings.isGiven(nodeOptions.network) || !settings.isGiven(nodeOptions.genesisFile)) return undefined
  return "--network option and --genesis-file option can't be used at the same time. Keep the one that names your network."
}

function metricsServedOrPushed(settings: Settings): string | undefined {
  if (!settings.get(metricsOptions.enabled) || !settings.get(metricsOptions.pushEnabled)) return undefined
  return "--metrics-enabled option and --metrics-push-enabled option can't be used at the same time. Keep --metrics-enabled."
}

function portsDiffer(settings: Settings): string | undefined {
  const tables = [httpOptions, websocketOptions, metricsOptions].filter(({ enabled }) =>
    settings.get(enabled),
  )
  const seen = new Map<number, Option>()
  for (const { port } of tables) {
    const number = settings.get(port)
    const other = seen.get(number)
    if (number !== 0 && other) {
      return `Port number '${number}' has been specified multiple times, by ${other.flag} and ${port.flag}; change one of them.`
    }
    seen.set(number, port)
  }
  return undefined
}

function namesResolvedAgain(settings: Settings): string | undefined {
  if (!settings.get(peerOptions.dnsUpdateEnabled) || settings.get(peerOptions.dnsEnabled)) return undefined
  return 'The --Xdns-update-enabled option needs --Xdns-enabled=true. Add it, or leave the first out.'
}
