import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { CHECKOUT, copyCheckout } from '../../support/copy-checkout.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const ARRIVALS = `
import { number } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'garden_arrivals',
  summary: 'Counts transactions that entered the pool.',
  needs: ['pool'],
  params: {},
  result: number(),
  run: ({ pool }) => pool.arrivals(),
})
`
/** Needs main and an engine: the server gets main's answer and passes it to the engine. */
const BOTH = `
import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'garden_both',
  summary: 'Counts transactions that entered the pool, on an engine thread.',
  needs: ['chain', 'engine', 'pool'],
  params: {},
  result: string(),
  resolve: ({ pool }) => pool.arrivals(),
  run: ({ chain, engine }, _params, { resolved }) =>
    \`\${resolved + 3} with three more, \${typeof chain.head()} \${typeof engine}\`,
})
`

/** Methods in their own API, each with its answer. */
const PLANTED = {
  garden_arrivals: [ARRIVALS, 0],
  garden_both: [BOTH, '3 with three more, object object'],
} as const

/** Files generated from the rows. */
const GENERATED = [
  ['docs/reference/cli.md', '--writer-greeting'],
  ['docs/reference/metrics.md', 'cairn_transaction_pool_arrivals'],
  ['deploy/grafana/cairn-node.json', 'cairn_transaction_pool_arrivals'],
] as const

const TYPES = '{ "extends": "./tsconfig.json", "include": ["src", "test/acceptance/conversations"] }'

/** Inserts the text after the first occurrence of the mark. */
function insert(file: string, mark: string, text: string): void {
  const content = readFileSync(file, 'utf8')
  assert.ok(content.includes(mark), `${file} has ${mark}`)
  writeFileSync(
    file,
    content.replace(mark, () => mark + text),
  )
}

test('a live operation is a row, its answer and the method; an option of the writer a row and its use; a metric a row: the steps of CONTRIBUTING.md, done to a copy', async (t) => {
  const copy = copyCheckout(temporaryDirectory(t))
  const guide = readFileSync(join(CHECKOUT, 'CONTRIBUTING.md'), 'utf8')
  const [, option] = guide.match(/```ts\n( +writerGreeting: \{[\s\S]*?\},)\n/)!
  const [, use] = guide.match(/```ts\n( +log\.info\(.*writerGreeting.*)\n/)!
  insert(join(copy, 'src/chain/options.ts'), "ledgerOptions = defineOptions('Data storage', {", `\n${option}`)
  insert(join(copy, 'src/chain/writer/writer-thread-entry.ts'), 'const { genesis } = verdict', `\n${use}`)
  const [, metric] = guide.match(/```ts\n(export const POOL_ARRIVALS [\s\S]*?\n\}\))\n/)!
  const metrics = join(copy, 'src/pool/pool-metrics.ts')
  writeFileSync(metrics, `${readFileSync(metrics, 'utf8')}\n${metric}\n`)
  const [, row] = guide.match(/```ts\n([^`]*arrivals: question.*)\n/)!
  const [, answer] = guide.match(/```ts\n( +arrivals: \(\) =>.*)\n/)!
  const contract = join(copy, 'src/pool/contract.ts')
  insert(contract, 'POOL = {', `\n${row}`)
  insert(contract, '  return {\n', `${answer}\n`)
  for (const [name, [source, result]] of Object.entries(PLANTED)) {
    const request = { jsonrpc: '2.0', id: 1, method: name, params: [] }
    const answer = { jsonrpc: '2.0', id: 1, result }
    const conversation = `// as planted\n>> ${JSON.stringify(request)}\n<< ${JSON.stringify(answer)}\n`
    const folder = join(copy, 'src/api/methods', name.split('_')[0]!)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${name}.ts`), source)
    writeFileSync(join(folder, `${name}.io`), conversation)
  }

  // With this variable, the test runner in the copy would act as a part of this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' })
  run('scripts/generate.ts')
  for (const [file, text] of GENERATED) assert.ok(readFileSync(join(copy, file), 'utf8').includes(text), file)
  const played = run(
    '--test',
    '--test-name-pattern=of garden_',
    'test/acceptance/conversations/methods.test.ts',
  )
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
    ...['--writer-greeting=WELCOME', '--metrics-enabled'],
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
    assert.match(node.output(), /"thread":"writer".*The writer says WELCOME|The writer says WELCOME.*writer/)
    const [, metricsPort] = /Metrics service started and listening on \S+:(\d+)/.exec(node.output())!
    const exposition = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    assert.match(exposition, /^cairn_transaction_pool_arrivals 0$/m)
    assert.equal(await node.stop(), 0)
  }
})
