/** Permissions files that load, or are refused with a reason. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodesSettings } from '#allowlist/nodes-kind.ts'
import { type ListName, Permissions } from '#allowlist/permissions.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'

interface PermissionsCase {
  readonly file: string
  /** The list in force; both if absent. */
  readonly use?: 'accounts' | 'nodes'
  /** True if host names are resolved, which only the nodes list may contain. */
  readonly dns?: boolean
  readonly ok: boolean
  readonly accounts?: readonly string[]
  readonly nodes?: readonly string[]
  readonly nodeCount?: number
  readonly messageContains?: string | readonly string[]
  readonly messageStartsWith?: string
}

const suite: Suite = {
  name: 'permissioning',
  async *run(pack) {
    const seen = new Set(['permissioning/expected.json'])
    const cases = pack.json('permissioning/expected.json') as PermissionsCase[]
    for (const [index, each] of cases.entries()) {
      const unit = `permissioning/${each.file}#${index}`
      seen.add(`permissioning/${each.file}`)
      if (each.use !== 'nodes' && each.dns === undefined) {
        yield await loadOne(pack, `${unit} accounts`, each, 'accounts')
      }
      if (each.use !== 'accounts') yield await loadOne(pack, `${unit} nodes`, each, 'nodes')
    }
    for (const unit of pack.files('permissioning').filter((file) => !seen.has(file))) {
      yield unit.startsWith('permissioning/smart-contract/')
        ? { unit, status: 'waits', reason: 'permissions in a contract, which Besu no longer has either' }
        : { unit, status: 'failed', reason: 'no case reads it' }
    }
  },
}

export default suite

async function loadOne(
  pack: Pack,
  unit: string,
  expected: PermissionsCase,
  list: ListName,
): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-permissioning-'))
  try {
    const path = join(folder, 'permissions.toml')
    const name = `permissioning/${expected.file}`
    // Two cases stand for no file of the pack.
    if (pack.files('permissioning').includes(name)) writeFileSync(path, pack.text(name))
    else if (expected.file.includes('empty')) writeFileSync(path, '')
    const mistake = mistakeOf(expected, list, await load(path, list, expected.dns ?? false))
    return mistake === undefined ? { unit, status: 'met' } : { unit, status: 'failed', reason: mistake }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The entries, or the sentence of the refusal. */
async function load(file: string, list: ListName, dns: boolean): Promise<readonly string[] | string> {
  const parts = { clock: createFakeClock(), log: createLog({ level: 'OFF' }) }
  const nodes: NodesSettings = {
    file,
    names: dns ? 'resolved once' : 'refused',
    resolve: async (host) => (host === 'localhost' ? '127.0.0.1' : Promise.reject(new Error('unknown'))),
    fixed: [],
  }
  const config = list === 'nodes' ? { accountsFile: undefined, nodes } : { accountsFile: file }
  try {
    const permissions = await Permissions.load({ ...config, watchesFile: false }, parts)
    return permissions.list(list)!.all()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return error.message
  }
}

function mistakeOf(
  expected: PermissionsCase,
  list: ListName,
  loaded: readonly string[] | string,
): string | undefined {
  if (typeof loaded !== 'string') {
    if (!expected.ok) return `accepted ${loaded.join(', ')}`
    const isRight = (expected[list]?.join() ?? loaded.join()) === loaded.join()
    const isCounted = list === 'accounts' || (expected.nodeCount ?? loaded.length) === loaded.length
    return isRight && isCounted ? undefined : `has ${loaded.join(', ')}`
  }
  const { ok, messageStartsWith = '', messageContains = [] } = expected
  const parts = [messageContains].flat()
  const isRight = !ok && loaded.startsWith(messageStartsWith) && parts.every((part) => loaded.includes(part))
  return isRight ? undefined : loaded
}
