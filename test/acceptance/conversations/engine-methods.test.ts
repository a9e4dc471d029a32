/* Plays the conversations of the Engine API's methods to a node with its port. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { ENGINE_METHODS } from '#api/engine-methods.generated.ts'
import { createNode } from '#node/create-node.ts'
import { playConversation } from './play.ts'
import { ENGINE_OPTIONS, STAKE_GENESIS } from './stake-genesis.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'api', 'engine-port', 'methods')
const conversations = readdirSync(folder).filter((path) => path.endsWith('.io'))

/** Changes with every release. */
const isVersion = (path: string): boolean => path === 'result.0.version'

for (const path of conversations) {
  test(`the conversation of ${basename(path, '.io')} goes as written`, async (context) => {
    assert(ENGINE_METHODS.some(({ name }) => name === basename(path, '.io')))
    const node = await createNode({ genesis: STAKE_GENESIS, options: ENGINE_OPTIONS })
    context.after(() => node.stop())
    const ask = async (body: string): Promise<string> => {
      const url = `http://127.0.0.1:${node.engine!.port}`
      return await (await fetch(url, { method: 'POST', body })).text()
    }
    const text = readFileSync(join(folder, path), 'utf8')
    const played = await playConversation(text, () => ask, { ignores: isVersion })
    assert.ok(played.length > 0)
    for (const { note, line, actual, difference } of played) {
      assert.equal(difference, undefined, `${path}:${line} ${note}: ${difference}\n${actual}`)
    }
  })
}

test('every method of the Engine API has a conversation', () => {
  const played = new Set(conversations.map((path) => basename(path, '.io')))
  assert.deepEqual(
    ENGINE_METHODS.filter(({ name }) => !played.has(name)).map(({ name }) => name),
    [],
  )
})
