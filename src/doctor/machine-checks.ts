/** Checks of the machine: limits, disk, memory, ports, engine. */

import { dirname, join } from 'node:path'
import { httpOptions, limitOptions, websocketOptions } from '#api/options.ts'
import { engineThreads } from '#api/threads/rpc-room.ts'
import { dataOptions } from '#config/data-directory.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { rpcOptions } from '#jsonrpc/settings/options.ts'
import { databaseOf } from '#node/ledger.ts'
import { peerOptions } from '#p2p/options.ts'
import { freeBytes } from '#platform/disk-space.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { canReach, listensOn, measureSyncMs, memoryCap, openFilesLimit } from '#platform/machine.ts'
import { metricsOptions } from '#serve/metrics-options.ts'
import { probePort } from '#serve/probe-port.ts'
import { requireOwnDirectory } from '#store/inspect-directory.ts'
import { DATABASE_MEMORY_BYTES, SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { notedDamage } from '#store/segments/damage-notes.ts'
import { segmentName } from '#store/segments/segment-layout.ts'
import { type Check, error, type Patient, type Problem, unlessFault, warning } from './check.ts'

const GIB = 1024 ** 3
const MIB = 1024 ** 2
const REACH_DEADLINE_MS = 2_000
const ANY_ADDRESS = /^(0\.0\.0\.0|::)$/

export const MACHINE_CHECKS: readonly Check[] = [
  {
    id: 'data-directory',
    looksAt: 'whether the data directory is usable and was written by Cairn',
    run: ({ settings }) => {
      const dataPath = settings.get(dataOptions.dataPath)
      const kind = kindOfPath(dataPath)
      if (kind !== undefined && kind !== 'directory') {
        return error(
          `${dataPath} is not a directory.`,
          `Move it away, or give another ${dataOptions.dataPath.flag}.`,
        )
      }
      const { path } = databaseOf(settings)
      return kindOfPath(path) === 'directory'
        ? unlessFault(() => requireOwnDirectory(path), 'Nothing was changed there.')
        : []
    },
  },
  {
    id: 'history',
    looksAt: 'history segments that a request or `cairn history verify` found to be damaged',
    run: ({ settings }) => {
      const noted = notedDamage(join(databaseOf(settings).path, SEGMENT_FOLDER))
      if (noted.length === 0) return []
      return error(
        `Damaged history segments: ${noted.map(segmentName).join(', ')}.`,
        'A running node repairs them from its peers; `cairn history repair --from` does so from a copy.',
      )
    },
  },
  {
    id: 'disk-space',
    looksAt: 'free space on the disk of the data directory',
    run: ({ settings, limits }) => {
      const folder = existingFolder(settings.get(dataOptions.dataPath))
      const free = freeBytes(folder)
      if (free >= limits.freeBytesWarning) return []
      const problem = `${(free / GIB).toFixed(1)} GiB are free on the disk of ${folder}.`
      return free < limits.freeBytesError
        ? error(problem, 'Free space or enlarge the disk: a node stops when it cannot write its next block.')
        : warning(problem, 'Enlarge the disk before it is full; prune where archives are not needed.')
    },
  },
  {
    id: 'disk-sync',
    looksAt:
      'how long the disk of the data directory takes to make a write durable; a validator waits for it before every vote',
    run: async ({ settings, limits, clock }) => {
      const folder = existingFolder(settings.get(dataOptions.dataPath))
      let tookMs = 0
      const refused = await unlessFault(async () => {
        tookMs = await measureSyncMs(folder, clock)
      }, 'The node must be able to write there.')
      if (refused.length > 0 || tookMs <= limits.syncMs) return refused
      return warning(
        `The disk of ${folder} takes ${tookMs.toFixed(1)} ms to make a write durable.`,
        'Put the data directory on a local SSD, not on network storage: every vote and block waits for it.',
      )
    },
  },
  {
    id: 'file-limit',
    looksAt: 'how many files the node may have open: sockets and tables of the database',
    run: ({ limits, pid }) => {
      const limit = openFilesLimit(pid ?? 'self')
      if (limit === undefined || limit >= limits.openFiles) return []
      return error(
        `${pid === undefined ? 'A node started from here' : 'The running node'} may have ${limit} files open.`,
        `Allow ${limits.openFiles} or more: LimitNOFILE in the systemd unit, --ulimit nofile of the container, or ulimit -n.`,
      )
    },
  },
  {
    id: 'memory',
    looksAt: 'the memory cap of the control group against what the node and its caches use',
    run: ({ settings, limits }) => {
      const cap = memoryCap(limits.controlGroups)
      if (cap === undefined) return []
      const needed = limits.baseMemoryBytes + DATABASE_MEMORY_BYTES
      const engines = engineThreads(settings)
      const busy = needed + engines * settings.get(limitOptions.maxRequestBytes)
      if (cap >= busy) return []
      const problem = `The memory cap is ${mebibytes(cap)}; the node with its caches uses up to ${mebibytes(needed)}, and ${mebibytes(busy)} while ${engines} large calls run.`
      return cap < needed
        ? error(problem, 'Raise the cap: the system ends a process that passes it, in the middle of a block.')
        : warning(
            problem,
            `Raise the cap, or lower ${limitOptions.maxRequestBytes.flag} or ${rpcOptions.engineThreads.flag}.`,
          )
    },
  },
  {
    id: 'ports',
    looksAt: 'whether ports are free, or held by this node',
    run: async (patient) =>
      (await Promise.all(portsOf(patient).map((each) => checkPort(patient, each)))).flat(),
  },
  {
    id: 'reachable',
    looksAt: 'whether a running node accepts connections at its advertised address',
    run: async ({ settings, pid, clock }) => {
      const port = settings.get(peerOptions.port)
      if (pid === undefined || !settings.get(peerOptions.enabled) || port === 0) return []
      const host = settings.get(peerOptions.host)
      if (ANY_ADDRESS.test(host) || (await canReach(host, port, clock, REACH_DEADLINE_MS))) return []
      return error(
        `Nothing listens at ${host}:${port}, the advertised address of this node.`,
        `Give the address under which others reach this machine with ${peerOptions.host.flag}, and open the port.`,
      )
    },
  },
  {
    id: 'engine',
    looksAt: 'which engine runs: the native one, or the slower one in JavaScript',
    run: ({ engine }) => {
      if (engine === 'js') {
        return warning(
          'CAIRN_ENGINE asks for the engine in JavaScript, which is many times slower.',
          'Unset it.',
        )
      }
      const native = createNativeEngine()
      if (native.ok) return []
      return warning(
        `The native engine does not load: ${native.sentence}`,
        'Install the package for this platform, or build it with npm run build:native; the engine in JavaScript is many times slower.',
      )
    },
  },
]

interface UsedPort {
  readonly flag: string
  readonly host: string
  readonly port: number
}

function portsOf({ settings }: Patient): readonly UsedPort[] {
  const p2p = { ...peerOptions, host: peerOptions.interface }
  return [httpOptions, websocketOptions, metricsOptions, p2p]
    .filter(({ enabled, port }) => settings.get(enabled) && settings.get(port) !== 0)
    .map(({ host, port }) => ({ flag: port.flag, host: settings.get(host), port: settings.get(port) }))
}

async function checkPort({ pid }: Patient, { flag, host, port }: UsedPort): Promise<readonly Problem[]> {
  // If this user may not inspect the node's process, it is assumed to hold the port.
  if (pid !== undefined && listensOn(pid, port) !== false) return []
  const taken = await unlessFault(() => probePort({ host, port, hostOption: flag, portOption: flag }), '')
  return taken.map(({ severity, problem }) => ({
    severity,
    problem: `${flag}: ${problem}`,
    remedy: 'Stop the program that holds the port, or give this node another one.',
  }))
}

function existingFolder(path: string): string {
  let folder = path
  while (kindOfPath(folder) !== 'directory' && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
