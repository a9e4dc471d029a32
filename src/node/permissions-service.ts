/** Who may take part, by the options of the node. */
import { join } from 'node:path'
import type { NodesSettings } from '#allowlist/nodes-kind.ts'
import { permissionsOptions } from '#allowlist/options.ts'
import { Permissions, type PermissionsParts } from '#allowlist/permissions.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { peerOptions } from '#p2p/options.ts'
import { resolveHost } from '#p2p/static-nodes.ts'
import type { Service } from '#platform/lifecycle.ts'
import { httpOptions, websocketOptions } from '#rpc/settings/options.ts'
import { nodeOptions } from './options.ts'
import { readNamedNodes } from './read-nodes.ts'

const DEFAULT_FILE = 'permissions_config.toml'
const DEADLINE_MS = 15_000

/** Throws a Fault where the file of a list that is asked for cannot be used. */
export async function loadPermissions(
  settings: Settings,
  parts: Required<PermissionsParts>,
): Promise<Permissions> {
  const { accountsEnabled, accountsFile, nodesEnabled, fileWatch } = permissionsOptions
  for (const sentence of warningsOf(settings)) parts.log.warn(sentence)
  return await Permissions.load(
    {
      accountsFile: settings.get(accountsEnabled) ? fileOf(settings, accountsFile) : undefined,
      nodes: settings.get(nodesEnabled) ? await nodesSettings(settings) : undefined,
      watchesFile: settings.get(fileWatch),
    },
    parts,
  )
}

async function nodesSettings(settings: Settings): Promise<NodesSettings> {
  const { bootnodes, staticNodes } = await readNamedNodes(settings)
  return {
    file: fileOf(settings, permissionsOptions.nodesFile),
    names: !settings.get(peerOptions.dnsEnabled)
      ? 'refused'
      : settings.get(peerOptions.dnsUpdateEnabled)
        ? 'kept'
        : 'resolved once',
    resolve: resolveHost,
    fixed: [...bootnodes, ...staticNodes],
  }
}

function fileOf(
  settings: Settings,
  option: (typeof permissionsOptions)['accountsFile' | 'nodesFile'],
): string {
  return settings.get(option) ?? join(settings.get(nodeOptions.dataPath), DEFAULT_FILE)
}

/** What was asked for and does nothing. */
function warningsOf(settings: Settings): string[] {
  const { accountsEnabled, accountsFile, nodesEnabled, nodesFile, fileWatch } = permissionsOptions
  const lacks = (option: Option, ...needed: (typeof accountsEnabled)[]): string[] =>
    settings.isGiven(option) && !needed.some((each) => settings.get(each))
      ? [
          `${option.flag} has been ignored because ${needed.map(({ flag }) => flag).join(' or ')} was not given.`,
        ]
      : []
  const ignored = [
    ...lacks(accountsFile, accountsEnabled),
    ...lacks(nodesFile, nodesEnabled),
    ...lacks(fileWatch, accountsEnabled, nodesEnabled),
  ]
  const serving = [httpOptions, websocketOptions].filter(
    ({ enabled, apis }) => settings.get(enabled) && settings.get(apis).includes('PERM'),
  )
  if (serving.length === 0 || settings.get(accountsEnabled) || settings.get(nodesEnabled)) return ignored
  const flags = serving.map(({ apis }) => apis.flag).join(' and ')
  return [
    ...ignored,
    `${flags} names PERM, but no allowlist is in force: its methods will say so. ${accountsEnabled.flag} puts the accounts allowlist in force, ${nodesEnabled.flag} that of nodes.`,
  ]
}

/** Does nothing where neither a file nor a host is watched. */
export function watchPermissions(permissions: Permissions): Service {
  return {
    name: 'permissions file',
    startDeadlineMs: DEADLINE_MS,
    stopDeadlineMs: DEADLINE_MS,
    start: () => permissions.startWatching(),
    stop: () => permissions.stopWatching(),
  }
}
