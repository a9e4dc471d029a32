/* Plays the conversations of the development network's methods to a node of it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { DEV_METHODS } from '#api/dev-methods.generated.ts'
import { createNode } from '#node/create-node.ts'
import { playConversation } from './play.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'api', 'dev', 'methods')
const conversations = readdirSync(folder).filter((path) => path.endsWith('.io'))

const isRandom = (path: string): boolean => path === 'result.instanceId'

for (const path of conversations) {
  test(`the conversation of ${basename(path, '.io')} goes as written`, async (context) => {
    const method = DEV_METHODS.find(({ name }) => name === basename(path, '.io'))
    assert(method, `${path} does not belong to a method`)
    const node = await createNode({
      network: 'dev',
      options: { 'rpc-http-enabled': true, 'rpc-http-port': 0 },
    })
    context.after(() => node.stop())
    const ask = async (body: string): Promise<string> => {
      const url = `http://127.0.0.1:${node.http!.port}`
      return await (await fetch(url, { method: 'POST', body })).text()
    }
    const text = readFileSync(join(folder, path), 'utf8')
    const played = await playConversation(text, () => ask, { ignores: isRandom })
    assert.ok(played.length > 0)
    for (const { note, line, actual, difference } of played) {
      assert.equal(difference, undefined, `${path}:${line} ${note}: ${difference}\n${actual}`)
    }
  })
}

test('every method has a conversation', () => {
  const played = new Set(conversations.map((path) => basename(path, '.io')))
  assert.deepEqual(
    DEV_METHODS.filter(({ name }) => !played.has(name)).map(({ name }) => name),
    [],
  )
})
