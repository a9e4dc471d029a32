/** Who may take part, by the options of the node. */
import { join } from 'node:path'
import { permissionsOptions } from '#allowlist/options.ts'
import { Permissions, type PermissionsParts } from '#allowlist/permissions.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import type { Service } from '#platform/lifecycle.ts'
import { httpOptions, websocketOptions } from '#rpc/settings/options.ts'
import { nodeOptions } from './options.ts'

const DEFAULT_FILE = 'permissions_config.toml'
const DEADLINE_MS = 5_000

/** Throws a Fault where the file of a list that is asked for cannot be used. */
export function loadPermissions(settings: Settings, parts: Required<PermissionsParts>): Promise<Permissions> {
  for (const sentence of warningsOf(settings)) parts.log.warn(sentence)
  const isEnabled = settings.get(permissionsOptions.accountsEnabled)
  return Permissions.load(
    {
      accountsFile: isEnabled ? accountsFile(settings) : undefined,
      watchesFile: settings.get(permissionsOptions.fileWatch),
    },
    parts,
  )
}

function accountsFile(settings: Settings): string {
  return (
    settings.get(permissionsOptions.accountsFile) ?? join(settings.get(nodeOptions.dataPath), DEFAULT_FILE)
  )
}

/** What was asked for and does nothing. */
function warningsOf(settings: Settings): string[] {
  const { accountsEnabled, accountsFile, fileWatch } = permissionsOptions
  if (settings.get(accountsEnabled)) return []
  const given = ([accountsFile, fileWatch] as readonly Option[]).filter((option) => settings.isGiven(option))
  const ignored = given.map(
    ({ flag }) => `${flag} has been ignored because ${accountsEnabled.flag} was not given.`,
  )
  const serving = [httpOptions, websocketOptions].filter(
    ({ enabled, apis }) => settings.get(enabled) && settings.get(apis).includes('PERM'),
  )
  if (serving.length === 0) return ignored
  const flags = serving.map(({ apis }) => apis.flag).join(' and ')
  return [
    ...ignored,
    `${flags} names PERM, but no allowlist is in force: its methods will say so. ${accountsEnabled.flag} puts the accounts allowlist in force.`,
  ]
}

/** Does nothing where no file is watched. */
export function watchPermissions(permissions: Permissions): Service {
  return {
    name: 'permissions file',
    startDeadlineMs: DEADLINE_MS,
    stopDeadlineMs: DEADLINE_MS,
    start: () => permissions.startWatching(),
    stop: () => permissions.stopWatching(),
  }
}
