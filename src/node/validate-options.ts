import { permissionsOptions } from '#allowlist/options.ts'
import { httpOptions, websocketOptions } from '#api/options.ts'
import { usageFault } from '#config/faults.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { consoleOptions } from '#console/options.ts'
import { engineOptions } from '#engine-api/options.ts'
import { limitedUsers } from '#jsonrpc/limits/user-limits.ts'
import { rpcOptions, userLimitOptions } from '#jsonrpc/settings/options.ts'
import { keyOptions, peerOptions } from '#p2p/options.ts'
import { metricsOptions } from '#serve/metrics-options.ts'
import { findWithoutEffect } from './dependent-options.ts'
import { nodeOptions } from './options.ts'

/** Rules between options. The kind of an option checks its own value. */
const RULES: readonly ((settings: Settings) => string | undefined)[] = [
  networkOrGenesisFile,
  metricsServedOrPushed,
  portsDiffer,
  namesResolvedAgain,
  oneHolderOfTheKey,
  signerNamed,
  mainServesDevelopment,
  limitedUsersCanLogIn,
]

export function validateOptions(settings: Settings): void {
  for (const rule of RULES) {
    const sentence = rule(settings)
    if (sentence !== undefined) throw usageFault(sentence)
  }
  refuseUnsafeOptions(settings)
  const { refusals } = findWithoutEffect(settings)
  if (refusals.length > 0) throw usageFault(refusals.join('\n'))
}

/** Sentences about ignored options and values given twice. */
export function optionWarnings(settings: Settings): readonly string[] {
  return [...settings.warnings, ...findWithoutEffect(settings).warnings]
}

/** Warns if methods are served that change lists which are not in force. The methods answer so. */
export function listsNotInForce(settings: Settings): readonly string[] {
  const { accountsEnabled, nodesEnabled } = permissionsOptions
  const serving = [httpOptions, websocketOptions].filter(
    ({ enabled, apis }) => settings.get(enabled) && settings.get(apis).includes('PERM'),
  )
  if (serving.length === 0 || settings.get(accountsEnabled) || settings.get(nodesEnabled)) return []
  const flags = serving.map(({ apis }) => apis.flag).join(' and ')
  return [
    `PERM is in ${flags}, but no allowlist is in force, so its methods fail. Enable the accounts allowlist with ${accountsEnabled.flag}, the nodes allowlist with ${nodesEnabled.flag}.`,
  ]
}

/** Names every refused option, so the operator sees all of them at once. */
export function refuseUnsafeOptions(settings: Settings): void {
  const refusals = settings.refusals()
  if (refusals.length > 0) throw usageFault(refusals.join('\n'))
}

function networkOrGenesisFile(settings: Settings): string | undefined {
  if (settings.isGiven(nodeOptions.copyOf)) return undefined
  if (!settings.isGiven(nodeOptions.network) || !settings.isGiven(nodeOptions.genesisFile)) return undefined
  return "--network option and --genesis-file option can't be used at the same time. Keep the option for your network."
}

/** Requests would delay consensus. */
function mainServesDevelopment(settings: Settings): string | undefined {
  if (settings.get(rpcOptions.threads) > 0 || settings.get(nodeOptions.network) === 'DEV') return undefined
  return '--rpc-threads=0 serves requests on the main thread, which only --network=DEV allows. Use at least 1.'
}

function metricsServedOrPushed(settings: Settings): string | undefined {
  if (!settings.get(metricsOptions.enabled) || !settings.get(metricsOptions.pushEnabled)) return undefined
  return "--metrics-enabled option and --metrics-push-enabled option can't be used at the same time. Keep --metrics-enabled."
}

function portsDiffer(settings: Settings): string | undefined {
  const tables = [httpOptions, websocketOptions, metricsOptions, consoleOptions, engineOptions].filter(
    ({ enabled }) => settings.get(enabled),
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
  return 'The --Xdns-update-enabled option needs --Xdns-enabled=true. Add it, or remove the first option.'
}

/** A node's key must not depend on the order of lookup. */
export function oneHolderOfTheKey(settings: Settings): string | undefined {
  const { nodeSignerUrl, nodePrivateKeyFile, nodeKeyPasswordFile } = keyOptions
  if (settings.get(nodeSignerUrl) === undefined) return undefined
  const { securityModule } = keyOptions
  const others: Option[] = [nodePrivateKeyFile, nodeKeyPasswordFile].filter(
    (option) => settings.get(option) !== undefined,
  )
  if (settings.get(securityModule) !== securityModule.default) others.push(securityModule)
  if (others.length === 0) return undefined
  const flags = others.map(({ flag }) => flag).join(' and ')
  return `The signer of ${nodeSignerUrl.flag} holds the key of this node, and ${flags} names another holder. Keep one of them.`
}

function signerNamed(settings: Settings): string | undefined {
  const { nodeSignerUrl, nodeSignerTokenFile, nodeSignerCaFile, nodeSignerTimeoutMs } = keyOptions
  const url = settings.get(nodeSignerUrl)
  const given = [nodeSignerTokenFile, nodeSignerCaFile, nodeSignerTimeoutMs].find((option) =>
    settings.isGiven(option),
  )
  if (url === undefined && given !== undefined) {
    return `The ${given.flag} option needs a signer, but none is configured. Add ${nodeSignerUrl.flag}, or remove the option.`
  }
  if (url?.startsWith('http:') && settings.isGiven(nodeSignerCaFile)) {
    return `The ${nodeSignerCaFile.flag} option needs a signer with https, and ${nodeSignerUrl.flag} is ${url}. Correct one of them.`
  }
  return undefined
}

/** Without logins there are no users, so a limit for one would have no effect. */
function limitedUsersCanLogIn(settings: Settings): string | undefined {
  const served = [httpOptions, websocketOptions].filter(({ enabled }) => settings.get(enabled))
  if (served.length === 0 || served.some((options) => settings.get(options.authenticationEnabled)))
    return undefined
  const [user] = limitedUsers(settings.get(userLimitOptions.userLimits))
  if (user === undefined) return undefined
  const flags = served.map(({ authenticationEnabled }) => authenticationEnabled.flag).join(' or ')
  return `${userLimitOptions.userLimits.flag} limits the user '${user}', and without ${flags} there are no users. Limit an address, or require a login.`
}
