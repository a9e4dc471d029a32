import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { main } from '#cli/main.ts'

test("a network with --auth prints the place of the operator's password", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-auth-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const make = async (name: string, ...more: string[]) => {
    const said: string[] = []
    const io = {
      out: (text: string) => void said.push(text),
      err: (text: string) => void said.push(text),
      draw: () => undefined,
      readInput: () => '',
      readSecretLine: () => undefined,
      columns: undefined,
    }
    const directory = join(folder, name)
    assert.equal(await main(['network', 'new', '--validators=1', `--directory=${directory}`, ...more], io), 0)
    return { directory, text: said.join('') }
  }
  const secured = await make('secured', '--auth')
  const file = join(secured.directory, 'operator.password')
  assert.ok(secured.text.includes(`User operator, password in ${file}.`), secured.text)
  assert.ok(!secured.text.includes(readFileSync(file, 'utf8').trim()), 'the password itself is not printed')
  assert.doesNotMatch((await make('open')).text, /operator/)
})
