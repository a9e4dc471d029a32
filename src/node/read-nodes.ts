/** Nodes that options and files name: whom to ask first, and whom to stay connected to. */
import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { peerOptions } from '#p2p/options.ts'
import { type NameRules, parseNode, parseStaticNodes, resolveHost } from '#p2p/static-nodes.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import type { Enode } from '#types/enode.ts'
import { nodeOptions } from './options.ts'

const STATIC_NODES = 'static-nodes.json'
const MAX_FILE_BYTES = 1024 * 1024

export interface NamedNodes {
  readonly bootnodes: readonly Enode[]
  readonly staticNodes: readonly Enode[]
}

export function readNameRules(settings: Settings): NameRules {
  return {
    areAllowed: settings.get(peerOptions.dnsEnabled),
    areKept: settings.get(peerOptions.dnsUpdateEnabled),
    resolve: resolveHost,
  }
}

export async function readNamedNodes(settings: Settings): Promise<NamedNodes> {
  const names = readNameRules(settings)
  return {
    bootnodes: await readBootnodes(settings.get(peerOptions.bootnodes) ?? [], names),
    staticNodes: await readStaticNodes(settings, names),
  }
}

/** An entry is an enode URL, or a file with one on each line and comments after #. */
async function readBootnodes(entries: readonly string[], names: NameRules): Promise<readonly Enode[]> {
  const urls = entries.flatMap((entry) => {
    if (/^https?:/i.test(entry)) {
      throw usageFault(`--bootnodes: Cairn loads no lists from the web; save ${entry} and name the file.`)
    }
    const file = entry.replace(/^file:\/\//i, '')
    if (/^(enode|enr):/i.test(entry) || kindOfPath(file) !== 'file') return [entry]
    const lines = readTextBounded(file, MAX_FILE_BYTES).split('\n')
    return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '')
  })
  return await Promise.all(
    urls.map(async (url) => {
      const enode = await parseNode(url, '--bootnodes', names)
      if (enode.udpPort !== null) return enode
      throw usageFault(`Bootnodes must have discovery enabled. Invalid bootnodes: ${url}.`)
    }),
  )
}

async function readStaticNodes(settings: Settings, names: NameRules): Promise<readonly Enode[]> {
  const named = settings.get(peerOptions.staticNodesFile)
  const file = named ?? join(settings.get(nodeOptions.dataPath), STATIC_NODES)
  if (kindOfPath(file) !== 'file') {
    if (named === undefined) return []
    throw usageFault(`Static nodes file does not exist: ${named}. Correct the path, or leave the option out.`)
  }
  return await parseStaticNodes(readTextBounded(file, MAX_FILE_BYTES), file, names)
}
