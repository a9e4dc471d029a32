import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '#platform/next-turn.fixture.ts'
import { Fault } from '#types/fault.ts'
import { ACCOUNTS } from './list-kind.ts'
import { PermissionsText, peekEntries, readEntries, writeEntries } from './permissions-text.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const PATH = 'permissions.toml'

const of = (text: string) => new PermissionsText(text)

function refusal(text: string): string {
  try {
    return `accepted ${atOnce(readEntries(of(text), ACCOUNTS, PATH)).join()}`
  } catch (error) {
    assert.ok(error instanceof Fault && error.kind === 'USAGE')
    return error.message
  }
}

test('accounts are read in the order of the file, in lower case', () => {
  const text = `# who\naccounts-allowlist=["${B.toUpperCase()}",\n"${A}"]\nother="x"\n[t]\naccounts-allowlist=5\n`
  assert.deepEqual(atOnce(readEntries(of(text), ACCOUNTS, PATH)), [B, A])
  assert.deepEqual(atOnce(readEntries(of('accounts-allowlist=[]'), ACCOUNTS, PATH)), [])
})

test('an unusable file is refused by line or key, with the wording of Besu', () => {
  const cases: [text: string, sentence: RegExp][] = [
    ['', /^Unable to read permissioning TOML config file : permissions\.toml Empty TOML result/],
    ['# only a comment\n', /Empty TOML result.* accounts-allowlist=\[\] or nodes-allowlist=\[\]\.$/],
    ['\naccounts-allowlist=\n', /Invalid TOML configuration: line 2, column 20: Unexpected end of line\. /],
    ['accounts-allowlist=["0x', /Invalid TOML configuration: line 1, column 21: unfinished string\. /],
    [
      'nodes-allowlist=[]',
      /^accounts-allowlist config option missing in TOML config file permissions\.toml\. Add/,
    ],
    ['[x]\naccounts-allowlist=[]', /^accounts-allowlist config option missing .* above all tables/],
    [
      'accounts-whitelist=[]',
      /^accounts-allowlist config option missing .* rename it to accounts-allowlist\.$/,
    ],
    [
      'accounts-allowlist="0x"',
      /^accounts-allowlist in the permissions file permissions\.toml is not a list\. /,
    ],
    [
      `accounts-allowlist=["${A}",\n\n"0xfoo"]`,
      /^Invalid account 0xfoo in accounts-allowlist, line 3 of permissions/,
    ],
    ['accounts-allowlist=[1,2]', /^Invalid account 1 in accounts-allowlist, entry 1 of permissions\.toml\. /],
    [`accounts-allowlist=["${A}","${A}"]`, /^Duplicate account 0xaa.* line 1 of .*Remove one of the two\.$/],
    [`accounts-allowlist=["${A}",\n"${A.toUpperCase()}"]`, /^Duplicate account 0XAA.* line 2 of /],
    [`accounts-allowlist=["${'x'.repeat(500)}"]`, /^Invalid account x{100} in /],
  ]
  for (const [text, sentence] of cases) assert.match(refusal(text), sentence)
})

test('peeking returns the valid entries of a file that loading refuses, and undefined without a list', () => {
  assert.deepEqual(
    atOnce(peekEntries(of(`accounts-allowlist=["${A}","${A}",1,"x"]`), ACCOUNTS)),
    new Set([A]),
  )
  assert.equal(atOnce(peekEntries(of('accounts-allowlist=["0x'), ACCOUNTS)), undefined)
  assert.equal(atOnce(peekEntries(of('x=1'), ACCOUNTS)), undefined)
})

test('writing keeps the spelling of listed entries and removes invalid ones', () => {
  const text = `# who\naccounts-allowlist = [ "${A.toUpperCase()}", "${B}", "${A}", "junk" ] # end\nx = [1]\n`
  assert.equal(
    atOnce(writeEntries(of(text), ACCOUNTS, [A, B])).text,
    `# who\naccounts-allowlist = [ "${A.toUpperCase()}", "${B}" ] # end\nx = [1]\n`,
  )
})

test('a list under a key with escapes is refused and left alone', () => {
  const text = '"accounts\\u002dallowlist" = []'
  assert.deepEqual(atOnce(readEntries(of(text), ACCOUNTS, PATH)), [])
  assert.throws(
    () => atOnce(writeEntries(of(text), ACCOUNTS, [A])),
    /^Fault: The key accounts-allowlist is not written as/,
  )
})

test('a long list is read in slices without losing an error', () => {
  const accounts = Array.from({ length: 1_200 }, (_, number) => `0x${String(number).padStart(40, '0')}`)
  const lines = accounts.map((account) => `  "${account}", # [one]`)
  const long = (all: readonly string[]) => `x = 1\naccounts-allowlist = [\n${all.join('\n')}\n]\n[t]\ny = 2\n`
  const reading = readEntries(of(long(lines)), ACCOUNTS, PATH)
  let turns = 0
  let step = reading.next()
  for (; !step.done; step = reading.next()) turns++
  assert.deepEqual(step.value, accounts)
  assert.ok(turns > 2 * accounts.length, 'scanning the file and reading its list both yield')
  assert.match(refusal(long(lines.with(499, `  "${A}"`))), /Invalid TOML configuration: line 503, column 3: /)
  assert.match(refusal(long(lines.with(700, '  "\\q",'))), /Invalid TOML configuration: line 703, column 5: /)
  assert.match(refusal(`${long(lines)}y = 3\n`), /Invalid TOML configuration: line 1206, /)
})
