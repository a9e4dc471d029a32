/**
 * Options without effect unless another option is on. Such a security option stops the start, because the node would have
 * less protection than its operator asked for. Any other is ignored with a warning, as in Besu.
 */
import { permissionsOptions } from '#allowlist/options.ts'
import { httpOptions, websocketOptions } from '#api/options.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { consensusOptions } from '#consensus/options.ts'
import { consoleOptions } from '#console/options.ts'
import { engineOptions } from '#engine-api/options.ts'
import { auditOptions } from '#jsonrpc/audit/options.ts'
import { rpcOptions } from '#jsonrpc/settings/options.ts'
import { httpTlsOptions, websocketTlsOptions } from '#jsonrpc/settings/tls-options.ts'
import { peerOptions } from '#p2p/options.ts'
import { pluginOptions } from '#plugins/options.ts'
import { poolOptions } from '#pool/options.ts'
import { metricsOptions } from '#serve/metrics-options.ts'
import { nodeOptions } from './options.ts'

export interface Dependency {
  readonly option: Option
  /** At least one of them must be on, or must have a value. */
  readonly needs: readonly Option[]
  /** A security option stops the start while all its needs are missing. */
  readonly isSecurity: boolean
}

const security = (needs: readonly Option[], options: readonly Option[]): Dependency[] =>
  options.map((option) => ({ option, needs, isSecurity: true }))

const harmless = (needs: readonly Option[], options: readonly Option[]): Dependency[] =>
  options.map((option) => ({ option, needs, isSecurity: false }))

const without = (table: Readonly<Record<string, Option>>, ...left: readonly Option[]): Option[] =>
  Object.values(table).filter((option) => !left.includes(option))

const http = httpOptions.enabled
const ws = websocketOptions.enabled
/** Authenticates and encrypts as HTTP does. */
const console = consoleOptions.enabled
const OF_HTTP_PORT: readonly Option[] = [httpOptions.host, httpOptions.port, httpOptions.apis]

export const DEPENDENCIES: readonly Dependency[] = [
  // The first row that applies to an option counts. A disabled service needs no protection, so these rows come first.
  ...harmless([http], OF_HTTP_PORT),
  ...harmless([http, console], without(httpOptions, http, httpOptions.corsOrigins, ...OF_HTTP_PORT)),
  ...harmless([http, console], Object.values(httpTlsOptions)),
  ...harmless([console], without(consoleOptions, console)),
  ...harmless([engineOptions.enabled], without(engineOptions, engineOptions.enabled)),
  ...harmless([ws], without(websocketOptions, ws)),
  ...harmless([ws], Object.values(websocketTlsOptions)),
  ...harmless([http, ws], [httpOptions.corsOrigins]),
  ...harmless([http, ws, console], [rpcOptions.loginAttempts]),
  ...security([httpTlsOptions.enabled], without(httpTlsOptions, httpTlsOptions.enabled)),
  ...security(
    [httpTlsOptions.clientAuthEnabled],
    [
      httpTlsOptions.knownClientsFile,
      httpTlsOptions.caClientsEnabled,
      httpTlsOptions.truststoreFile,
      httpTlsOptions.truststorePasswordFile,
    ],
  ),
  // Without a truststore the system's authorities would admit clients.
  ...security([httpTlsOptions.truststoreFile], [httpTlsOptions.truststorePasswordFile]),
  ...harmless([httpTlsOptions.caClientsEnabled], [httpTlsOptions.truststoreFile]),
  ...security([websocketTlsOptions.enabled], without(websocketTlsOptions, websocketTlsOptions.enabled)),
  ...security(
    [websocketTlsOptions.clientAuthEnabled],
    [
      websocketTlsOptions.truststoreFile,
      websocketTlsOptions.truststoreType,
      websocketTlsOptions.truststorePassword,
      websocketTlsOptions.truststorePasswordFile,
      websocketTlsOptions.trustcertFile,
    ],
  ),
  ...security(
    [websocketTlsOptions.truststoreFile, websocketTlsOptions.trustcertFile],
    [websocketTlsOptions.truststorePassword, websocketTlsOptions.truststorePasswordFile],
  ),
  ...[httpOptions, websocketOptions].flatMap((options) => [
    ...security(
      [options.authenticationEnabled],
      [options.credentialsFile, options.publicKeyFile, options.algorithm, options.noAuthMethods],
    ),
    ...harmless([options.publicKeyFile], [options.algorithm]),
  ]),
  ...harmless([httpOptions.credentialsFile, websocketOptions.credentialsFile], [rpcOptions.loginAttempts]),
  ...security([permissionsOptions.accountsEnabled], [permissionsOptions.accountsFile]),
  ...security([permissionsOptions.nodesEnabled], [permissionsOptions.nodesFile]),
  ...security(
    [permissionsOptions.accountsEnabled, permissionsOptions.nodesEnabled],
    [permissionsOptions.fileWatch],
  ),
  ...security([auditOptions.enabled], [auditOptions.file]),
  ...harmless(
    [peerOptions.enabled],
    without(peerOptions, peerOptions.enabled, peerOptions.dnsEnabled, peerOptions.dnsUpdateEnabled),
  ),
  ...harmless([peerOptions.remoteLimitEnabled], [peerOptions.remoteMaxPercentage]),
  ...harmless(
    [peerOptions.discoveryEnabled],
    [
      peerOptions.discoveryPort,
      peerOptions.retryBootnodes,
      peerOptions.dnsListUrl,
      peerOptions.dnsListServer,
    ],
  ),
  ...harmless([metricsOptions.enabled], [metricsOptions.host, metricsOptions.port]),
  ...harmless([poolOptions.enableSaveRestore], [poolOptions.saveFile]),
  ...harmless([pluginOptions.externalEnabled], [pluginOptions.plugins, pluginOptions.verificationMode]),
  ...harmless(
    [nodeOptions.network],
    [
      consensusOptions.devArtifacts,
      consensusOptions.devBlockPeriodSeconds,
      consensusOptions.devMnemonic,
      consensusOptions.minerCoinbase,
    ],
  ),
]

export interface WithoutEffect {
  /** Sentences that stop the start. */
  readonly refusals: readonly string[]
  /** Sentences about ignored options. */
  readonly warnings: readonly string[]
}

export function findWithoutEffect(settings: Settings): WithoutEffect {
  const [refusals, warnings]: [string[], string[]] = [[], []]
  const found = new Set<Option>()
  for (const { option, needs, isSecurity } of DEPENDENCIES) {
    if (found.has(option) || !asksForSomething(settings, option)) continue
    if (needs.some((other) => isOn(settings, other))) continue
    found.add(option)
    const switches = needs.map(({ flag }) => flag).join(' or ')
    // An operator who writes `--rpc-http-tls-enabled=false` knows that TLS is off.
    const isOffOnPurpose = needs.some((other) => isChosen(settings, other))
    if (isSecurity && !isOffOnPurpose) refusals.push(refusalOf(option, switches))
    else
      warnings.push(
        `${option.flag} has been ignored because ${switches} ${isOffOnPurpose ? 'is off' : 'was not given'}.`,
      )
  }
  return { refusals, warnings }
}

function refusalOf({ flag }: Option, switches: string): string {
  return `${flag} has no effect without ${switches}, and the node would run without the protection that it asks for. Add ${switches}, or remove ${flag}.`
}

function asksForSomething(settings: Settings, option: Option): boolean {
  const value = settings.get(option)
  return isChosen(settings, option) && value !== false && !(Array.isArray(value) && value.length === 0)
}

/** True if the operator gave the option, not a profile. */
function isChosen(settings: Settings, option: Option): boolean {
  return settings.isGiven(option) && settings.origin(option).source !== 'profile'
}

function isOn(settings: Settings, option: Option): boolean {
  const value = settings.get(option)
  return value !== undefined && value !== false
}
