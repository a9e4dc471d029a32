import { ACCOUNTS } from '#allowlist/list-kind.ts'
import { PermissionsText, peekEntries, readEntries, writeEntries } from '#allowlist/permissions-text.ts'
import type { FuzzTarget } from './target.ts'

const A = `0x${'aa'.repeat(20)}`
const ADDED = `0x${'ff'.repeat(20)}`
const SEEDS = [
  `accounts-allowlist=["${A}"]\nnodes-allowlist=["enode://ab@192.168.0.9:4567"]`,
  `# who\naccounts-allowlist = [\n  "${A}", # Alice\n  '0x${'BB'.repeat(20)}'\n]\n\nother-key = "x"\n[table]\nx = 1\n`,
  `x = """ " ' # \\""" """\n'y' = { a = [1, "]"] }\n"accounts-allowlist" = [ ]\r\n`,
  'accounts-allowlist=["0x',
]

/** Whatever is in the file: it is refused, or a change of the list is right, which writeEntries itself asserts. */
const target: FuzzTarget = {
  name: 'permissions',
  seeds: () => SEEDS.map((text) => new TextEncoder().encode(text)),
  run(input) {
    const text = new PermissionsText(new TextDecoder().decode(input))
    const standing = peekEntries(text, ACCOUNTS)
    if (standing !== undefined) writeEntries(text, ACCOUNTS, [...standing, ADDED])
    writeEntries(text, ACCOUNTS, readEntries(text, ACCOUNTS, 'fuzz.toml').slice(1))
  },
}

export default target
