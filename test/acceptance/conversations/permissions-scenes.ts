/** The permissions of a node in a conversation, and what became of their file after it started. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodesSettings } from '#allowlist/nodes-kind.ts'
import { Permissions } from '#allowlist/permissions.ts'
import type { NameRules } from '#p2p/read-nodes.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { parseEnode } from '#types/enode.ts'

const parts = { clock: createFakeClock(), log: createLog({ level: 'ERROR' }) }

/** Every account may send transactions, and every node may connect. */
export const UNRESTRICTED = new Permissions(undefined, undefined, false, parts)

const [A, B] = [`0x${'aa'.repeat(20)}`, `0x${'BB'.repeat(20)}`]
const enode = (digits: string, place: string) => `enode://${digits.repeat(64)}@${place}`
const BOOTNODE = enode('aa', '192.168.1.10:30303')
const NODES = [BOOTNODE, enode('BB', '192.168.1.11:30303?discport=30400')]
const ACCOUNTS = `# who may send\naccounts-allowlist = ["${A}", "${B}"]\n`
const START = `${ACCOUNTS}nodes-allowlist = ${JSON.stringify(NODES)}\n`

interface Scene {
  readonly names?: NodesSettings['names']
  /** What happens to the file once it is loaded. */
  readonly change?: (path: string) => void
}

const SCENES: Readonly<Record<string, Scene>> = {
  kept: {},
  /** The first account was taken out by hand. */
  edited: { change: (path) => writeFileSync(path, START.replace(`"${A}", `, '')) },
  /** The first node was. */
  'nodes-edited': { change: (path) => writeFileSync(path, START.replace(`"${BOOTNODE}",`, '')) },
  /** An account was put in, and the nodes are broken. */
  'nodes-broken': {
    change: (path) => writeFileSync(path, `accounts-allowlist = []\nnodes-allowlist = ["foo"]\n`),
  },
  broken: { change: (path) => writeFileSync(path, START.replace(']', '')) },
  away: { change: (path) => rmSync(path) },
  /** As with --Xdns-enabled, and with --Xdns-update-enabled. */
  names: { names: 'resolved once' },
  'names-kept': { names: 'kept' },
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-conversation-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

async function resolve(host: string): Promise<string> {
  if (host === 'node.example') return '192.168.1.30'
  throw new Error('nobody knows it')
}

/** What names of hosts are in a scene. */
export function namesOf(name: string | undefined): NameRules {
  const { names } = SCENES[name ?? ''] ?? {}
  return { areAllowed: names !== undefined, areKept: names === 'kept', resolve }
}

/** undefined: no list is in force. */
export async function permissionsOf(name: string | undefined): Promise<Permissions> {
  if (name === undefined) return UNRESTRICTED
  const scene = SCENES[name]
  if (scene === undefined) throw new Error(`There is no permissions file '${name}'.`)
  const path = join(mkdtempSync(join(folder, 'scene-')), 'permissions.toml')
  writeFileSync(path, START)
  const nodes: NodesSettings = {
    file: path,
    names: scene.names ?? 'refused',
    resolve,
    fixed: [parseEnode(BOOTNODE)],
  }
  const permissions = await Permissions.load({ accountsFile: path, nodes, watchesFile: false }, parts)
  scene.change?.(path)
  return permissions
}
