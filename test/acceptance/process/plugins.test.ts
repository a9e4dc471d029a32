/** Runs the plugin of docs/extend/plugins.md exactly as the page prints it. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'
import { signedTransfer } from '../../support/signed-transfer.ts'
import { until } from './plugin-bodies.ts'

const PAGE = readFileSync(new URL('../../../docs/extend/plugins.md', import.meta.url), 'utf8')
const [GREETER] = /(?<=```ts\n)import \{ definePlugin \}[\s\S]*?(?=```)/.exec(PAGE)!
const MAX_LINES = 60

const [sender] = DEV_ACCOUNTS

test('the plugin of the page has a namespace, a rule and a metric, and reload changes it without a restart', async (t) => {
  assert(GREETER.split('\n').length < MAX_LINES)
  const data = temporaryDirectory(t)
  mkdirSync(join(data, 'plugins'))
  writeFileSync(join(data, 'plugins', 'greeter.ts'), GREETER)
  const configFile = join(data, 'node.toml')
  const configure = (greeting: string, blocked: readonly string[]) =>
    writeFileSync(
      configFile,
      `plugin-greeter-greeting = ${JSON.stringify(greeting)}\nplugin-greeter-blocked = ${JSON.stringify(blocked)}\n`,
    )
  configure('Welcome', [sender!.address])
  const listed = cairn([`--data-path=${data}`, 'plugins', 'list'])
  assert.match(
    listed.stdout,
    /^greeter 1\.0\.0 \(interface 1\), .*greeter\.ts\n {2}brings methods greeter_hello; admission \(refuses without an answer/,
  )
  assert.match(
    listed.stdout,
    /--plugin-greeter-greeting=<STRING> .*CAIRN_PLUGIN_GREETER_GREETING\. TOML: plugin-greeter-greeting\./,
  )
  const args = ['--network=dev', `--config-file=${configFile}`, '--rpc-http-enabled', '--metrics-enabled']
  const node = await startNode([...args, '--rpc-http-api=ETH,GREETER,PLUGINS'], data)
  t.after(() => node.kill())
  const client = openRpcClient(node.http)
  t.after(() => client.close())
  const metrics = async (): Promise<string> => {
    const [, port] = /Metrics service started and listening on \S+:(\d+)/.exec(node.output())!
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  }
  const send = (nonce: bigint) => client.call('eth_sendRawTransaction', signedTransfer(sender!, nonce))

  assert.deepEqual((await client.call('greeter_hello', 'Ada', sender!.address)).result, {
    greeting: 'Welcome, Ada!',
    block: '0x0',
    mayTransact: false,
  })
  assert.equal((await client.call('greeter_hello')).error?.code, -32602)
  const refused = await send(0n)
  assert.equal(
    refused.error?.message,
    'Plugin has marked the transaction as not acceptable by the transaction pool',
  )
  assert.equal((refused.error as { data?: string }).data, `The account ${sender!.address} is blocked.`)
  assert.match(await metrics(), /^cairn_plugin_greeter_refused_total 1$/m)
  assert.match(await metrics(), /^cairn_plugins_up\{plugin="greeter"\} 1$/m)

  configure('Good day', [])
  assert.equal((await client.call('plugins_reloadPluginConfig', 'greeter')).result, 'Success')
  const { result } = await client.call('greeter_hello', 'Ada')
  assert.equal((result as { greeting: string }).greeting, 'Good day, Ada!')
  assert.match(String((await send(0n)).result), /^0x[0-9a-f]{64}$/)

  writeFileSync(configFile, 'plugin-greeter-greting = "x"\n')
  assert.match(
    String((await client.call('plugins_reloadPluginConfig')).error?.message),
    /^greeter:failure \(Unknown option in TOML .*plugin-greeter-greting.*Did you mean plugin-greeter-greeting\?\)$/,
  )
  assert.equal(await node.stop(), 0)
})

test('a change of log levels reaches a plugin, also after it was started again', async (t) => {
  const data = temporaryDirectory(t)
  mkdirSync(join(data, 'plugins'))
  const text = `import { definePlugin } from 'cairn-node/plugin'
export default definePlugin({
  name: 'whisper', version: '1',
  methods: {
    say: { summary: 'Logs.', run: (_, node) => { node.log.debug('a quiet word'); return null } },
    die: { summary: 'Ends.', run: () => { setTimeout(() => { throw new Error('the end') }, 1); return null } },
  },
})
`
  writeFileSync(join(data, 'plugins', 'whisper.ts'), text)
  const node = await startNode(['--network=dev', '--rpc-http-enabled', '--rpc-http-api=ADMIN,WHISPER'], data)
  t.after(() => node.kill())
  const client = openRpcClient(node.http)
  t.after(() => client.close())
  const said = () => node.output().split('a quiet word').length - 1
  await client.call('whisper_say')
  assert.equal((await client.call('admin_changeLogLevel', 'DEBUG', ['whisper'])).result, 'Success')
  await client.call('whisper_say')
  await until(() => said() === 1)
  await client.call('whisper_die')
  await until(() => node.output().includes('Restarted plugin'))
  await until(async () => {
    await client.call('whisper_say')
    return said() > 1
  })
})
