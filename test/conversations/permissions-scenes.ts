/** The permissions of a node in a conversation, and what became of their file after it started. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Permissions } from '#allowlist/permissions.ts'
import { createFakeClock } from '#platform/fake-clock.ts'
import { createLog } from '#platform/log/log.ts'

const parts = { clock: createFakeClock(), log: createLog({ level: 'ERROR' }) }

/** Every account may send transactions. */
export const UNRESTRICTED = new Permissions([], false, parts)

const [A, B] = [`0x${'aa'.repeat(20)}`, `0x${'BB'.repeat(20)}`]
const START = `# who may send\naccounts-allowlist = ["${A}", "${B}"]\nnodes-allowlist = []\n`

/** What happens to the file once it is loaded. */
const SCENES: Readonly<Record<string, (path: string) => void>> = {
  kept: () => {},
  /** The first account was taken out by hand. */
  edited: (path) => writeFileSync(path, START.replace(`"${A}", `, '')),
  broken: (path) => writeFileSync(path, START.replace(']', '')),
  away: (path) => rmSync(path),
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-conversation-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** undefined: no list is in force. */
export async function permissionsOf(scene: string | undefined): Promise<Permissions> {
  if (scene === undefined) return UNRESTRICTED
  const change = SCENES[scene]
  if (change === undefined) throw new Error(`There is no permissions file '${scene}'.`)
  const path = join(mkdtempSync(join(folder, 'scene-')), 'permissions.toml')
  writeFileSync(path, START)
  const permissions = await Permissions.load({ accountsFile: path, watchesFile: false }, parts)
  change(path)
  return permissions
}
