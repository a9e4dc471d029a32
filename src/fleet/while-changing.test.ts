import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { identityText } from '#platform/process/process-identity.ts'
import { whileChanging } from './while-changing.ts'

function emptyDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-changing-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

test('one command at a time changes a network, and the next one can when it has ended', async (t) => {
  const directory = emptyDirectory(t)
  const file = join(directory, 'changing.pid')
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  t.after(() => other.kill())
  writeFileSync(file, identityText(other.pid!))
  const refused = whileChanging(directory, async () => assert.fail('It is changed by two.'))
  await assert.rejects(refused, new RegExp(`Process ${other.pid} changes this network`))
  other.kill()
  await once(other, 'exit')
  await whileChanging(directory, async () =>
    assert.equal(readFileSync(file, 'utf8'), identityText(process.pid)),
  )
  assert.equal(existsSync(file), false)
})
