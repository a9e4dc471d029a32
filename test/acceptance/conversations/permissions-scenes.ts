/** Node permissions in a conversation, and changes to the permissions file after the node started. */
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
  /** Changes the file after the node loaded it. */
  readonly change?: (path: string) => void
}

const SCENES: Readonly<Record<string, Scene>> = {
  kept: {},
  /** An operator removed the first account. */
  edited: { change: (path) => writeFileSync(path, START.replace(`"${A}", `, '')) },
  /** An operator removed the first node. */
  'nodes-edited': { change: (path) => writeFileSync(path, START.replace(`"${BOOTNODE}",`, '')) },
  /** An operator emptied the accounts list and broke the nodes list. */
  'nodes-broken': {
    change: (path) => writeFileSync(path, `accounts-allowlist = []\nnodes-allowlist = ["foo"]\n`),
  },
  broken: { change: (path) => writeFileSync(path, START.replace(']', '')) },
  away: { change: (path) => rmSync(path) },
  /** Like --Xdns-enabled, and --Xdns-update-enabled. */
  names: { names: 'resolved once' },
  'names-kept': { names: 'kept' },
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-conversation-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

async function resolve(host: string): Promise<string> {
  if (host === 'node.example') return '192.168.1.30'
  throw new Error('unknown host')
}

/** The DNS settings of a scene. */
export function namesOf(name: string | undefined): NameRules {
  const { names } = SCENES[name ?? ''] ?? {}
  return { areAllowed: names !== undefined, areKept: names === 'kept', resolve }
}

/** Returns undefined if no allowlist applies. */
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
