import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { METHODS } from '#api/methods.generated.ts'
import { askInProcess } from './in-process.ts'
import { playConversation } from './play.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'api', 'methods')
const conversations = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.io'))
  .sort()

/** Each method has a conversation file next to it: `rpc.discover` has rpc_discover.io. */
const nameOf = (path: string) => basename(path, '.io')
const methodOf = (path: string) => METHODS.find(({ name }) => name.replace('.', '_') === nameOf(path))

/** Paths of temporary folders. */
const isPath = (path: string) => /^result\[\d\]\.file$/.test(path)

for (const path of conversations) {
  test(`the conversation of ${nameOf(path)} goes as written`, async () => {
    const method = methodOf(path)
    assert(method, `${path} does not belong to a method`)
    const text = readFileSync(join(folder, path), 'utf8')
    const played = await playConversation(text, askInProcess, { ignores: isPath })
    for (const { note, line, request, actual, difference } of played) {
      assert.equal(difference, undefined, `${path}:${line} ${note}: ${difference}\n${actual}`)
      const { result } = JSON.parse(actual)
      // A conversation may also call other methods to prepare its subject.
      const asked = METHODS.find(({ name }) => name === JSON.parse(request).method) ?? method
      if (result !== undefined) asked.result.parse(result)
    }
  })
}

test('every method has a conversation', () => {
  assert.deepEqual(
    METHODS.filter((method) => !conversations.some((path) => methodOf(path) === method)).map(
      ({ name }) => name,
    ),
    [],
  )
})
