/** Loads the allowlists that the options select. */

import { join } from 'node:path'
import { dataOptions } from '#config/data-directory.ts'
import type { Settings } from '#config/settings.ts'
import { peerOptions } from '#p2p/options.ts'
import { readNamedNodes, resolveHost } from '#p2p/read-nodes.ts'
import { defineRoom } from '#platform/room.ts'
import type { NodesSettings } from './nodes-kind.ts'
import { permissionsOptions } from './options.ts'
import { Permissions, type PermissionsParts } from './permissions.ts'

const DEFAULT_FILE = 'permissions_config.toml'
const DEADLINE_MS = 15_000

/** Throws a Fault if the file of an enabled list is unusable. */
export async function loadPermissions(
  settings: Settings,
  parts: Required<PermissionsParts>,
): Promise<Permissions> {
  const { accountsEnabled, accountsFile, nodesEnabled, fileWatch } = permissionsOptions
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
  return settings.get(option) ?? join(settings.get(dataOptions.dataPath), DEFAULT_FILE)
}

export const WATCHED_PERMISSIONS = defineRoom({
  name: 'permissions file',
  startDeadlineMs: DEADLINE_MS,
  stopDeadlineMs: DEADLINE_MS,
  start: (permissions: Permissions, { onStop }) => {
    onStop(() => permissions.stopWatching())
    permissions.startWatching()
  },
})
