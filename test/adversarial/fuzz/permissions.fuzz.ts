import { ACCOUNTS } from '#allowlist/list-kind.ts'
import { NodesKind } from '#allowlist/nodes-kind.ts'
import { PermissionsText, peekEntries, readEntries, writeEntries } from '#allowlist/permissions-text.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { atOnce } from '#platform/next-turn.fixture.ts'
import type { FuzzTarget } from './target.ts'

const A = `0x${'aa'.repeat(20)}`
const NODE = `enode://${'aa'.repeat(64)}@192.168.0.9:4567`
const NODES = new NodesKind(
  { file: '', names: 'kept', resolve: () => Promise.reject(new Error('DNS is not used here')), fixed: [] },
  createFakeClock(),
)
const ADDED = `0x${'ff'.repeat(20)}`
const SEEDS = [
  `accounts-allowlist=["${A}"]\nothers=["enode://ab@192.168.0.9:4567"]`,
  `# who\naccounts-allowlist = [\n  "${A}", # Alice\n  '0x${'BB'.repeat(20)}'\n]\n\nother-key = "x"\n[table]\nx = 1\n`,
  `x = """ " ' # \\""" """\n'y' = { a = [1, "]"] }\n"accounts-allowlist" = [ ]\r\n`,
  'accounts-allowlist=["0x',
  `nodes-allowlist=["${NODE}", # one\n"${NODE}?discport=1","${NODE.replace('192.168.0.9', 'node.example')}"]\n`,
]

/** Any file is refused, or a change of its list is correct, which writeEntries asserts. */
const target: FuzzTarget = {
  name: 'permissions',
  seeds: () => SEEDS.map((text) => new TextEncoder().encode(text)),
  run(input) {
    const text = new PermissionsText(new TextDecoder().decode(input))
    const [kind, added] = text.text.includes('nodes') ? [NODES, NODE] : [ACCOUNTS, ADDED]
    const standing = atOnce(peekEntries(text, kind))
    if (standing !== undefined) atOnce(writeEntries(text, kind, [...new Set([...standing, added])]))
    atOnce(writeEntries(text, kind, atOnce(readEntries(text, kind, 'fuzz.toml')).slice(1)))
  },
}

export default target
