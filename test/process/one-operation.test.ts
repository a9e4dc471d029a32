import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { hashPassword } from '#rpc/auth/password-hash.ts'
import { CHECKOUT, copyCheckout } from '../copy-checkout.ts'
import { temporaryDirectory } from './program.ts'
import { openRpcClient } from './rpc-client.ts'
import { startNode } from './running-node.ts'

const STATUS = `
import { number, object } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'garden_status',
  summary: 'Counts what grows.',
  needs: ['garden'],
  params: {},
  result: object({ flowers: number(), trees: number() }),
  run: ({ garden }) => garden.status(),
})
`
/** Of an API of its own. Needs main and an engine: what main says is resolved by the server and sent along. */
const BOTH = `
import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'garden_both',
  summary: 'Counts what grows where code is executed.',
  needs: ['chain', 'engine', 'garden'],
  params: {},
  result: string(),
  resolve: ({ garden }) => garden.status(),
  run: ({ chain, engine }, _params, { resolved: { flowers, trees } }) =>
    \`\${flowers + trees} growing, \${typeof chain.head()} \${typeof engine}\`,
})
`

/** Each with its answer. */
const PLANTED = {
  garden_status: [STATUS, { flowers: 2, trees: 1 }],
  garden_both: [BOTH, '3 growing, object object'],
} as const

const TYPES = '{ "extends": "./tsconfig.json", "include": ["src", "test/conversations"] }'

/** Puts the text behind the first place where the file has the mark. */
function insert(file: string, mark: string, text: string): void {
  const content = readFileSync(file, 'utf8')
  assert.ok(content.includes(mark), `${file} has ${mark}`)
  writeFileSync(
    file,
    content.replace(mark, () => mark + text),
  )
}

test('a live operation is a row, its owner and the method: the steps of CONTRIBUTING.md, done to a copy', async (t) => {
  const copy = copyCheckout(temporaryDirectory(t))
  const guide = readFileSync(join(CHECKOUT, 'CONTRIBUTING.md'), 'utf8')
  const [, row] = guide.match(/```ts\n( +garden: \{\n[\s\S]*?\},)\n +```/)!
  const [, owner] = guide.match(/```ts\n( +garden: \{ status.*)\n/)!
  insert(join(copy, 'src/rpc/live-ports.ts'), 'LIVE_PORTS = {', `\n${row}`)
  insert(join(copy, 'src/node/live-owners.ts'), '  return {', `\n${owner}`)
  for (const [name, [source, result]] of Object.entries(PLANTED)) {
    const request = { jsonrpc: '2.0', id: 1, method: name, params: [] }
    const answer = { jsonrpc: '2.0', id: 1, result }
    const conversation = `// as planted\n>> ${JSON.stringify(request)}\n<< ${JSON.stringify(answer)}\n`
    const folder = join(copy, 'src/rpc/methods', name.split('_')[0]!)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.ts`), source)
    writeFileSync(join(folder, `${name}.io`), conversation)
  }

  // Without it the test runner in the copy takes itself for a part of this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' })
  run('scripts/generate.ts')
  const played = run('--test', '--test-name-pattern=of garden_', 'test/conversations/methods.test.ts')
  assert.match(played, /pass 2/)
  writeFileSync(join(copy, 'tsconfig.copy.json'), TYPES)
  run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.copy.json')
  const genesis = join(copy, 'genesis.json')
  writeFileSync(genesis, GENESIS_TEXT)
  const credentials = join(copy, 'credentials.toml')
  writeFileSync(credentials, `[Users.alice]\npassword = "${hashPassword('wonderland')}"\npermissions = []\n`)
  const options = [
    ...[`--genesis-file=${genesis}`, '--rpc-http-enabled', '--rpc-http-api=GARDEN'],
    ...['--rpc-http-authentication-enabled', `--rpc-http-authentication-credentials-file=${credentials}`],
    `--rpc-http-api-methods-no-auth=${Object.keys(PLANTED)}`,
  ]
  for (const engineThreads of [0, 1]) {
    const args = [...options, `--rpc-engine-threads=${engineThreads}`]
    const node = await startNode(args, undefined, join(copy, 'bin', 'cairn'))
    t.after(() => node.kill())
    const client = openRpcClient(node.http)
    for (const [name, [, result]] of Object.entries(PLANTED)) {
      assert.deepEqual((await client.call(name)).result, result, `${name}, ${engineThreads} engine threads`)
    }
    client.close()
    assert.equal(await node.stop(), 0)
  }
})
