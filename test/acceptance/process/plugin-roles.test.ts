/** Plugin roles other than account rules: listening with a cursor, selecting for blocks, checking health, signing. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { embedNode } from '#node/create-node.ts'
import { startWithPlugin } from '#node/plugins/plugin-test.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { signedTransfer } from '../../support/signed-transfer.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'

const [first, second] = DEV_ACCOUNTS
const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 50))

function writePlugin(folder: string, name: string, body: string, head = ''): string {
  const file = join(folder, `${name}.ts`)
  const text = `import { definePlugin } from 'cairn-node/plugin'\n${head}\nexport default definePlugin({ name: '${name}', version: '1.0.0', ${body} })\n`
  writeFileSync(file, text)
  return file
}

test('a listener with a cursor receives every block in order, across a restart', async (t) => {
  const folder = temporaryDirectory(t)
  const told = join(folder, 'told.txt')
  // Throws for block 2 the first time, like a sink that is unavailable.
  const file = writePlugin(
    folder,
    'sink',
    `on: { block: { cursor: 'durable', fromBlock: 1, handle: (block) => { if (block.number === 2 && !existsSync(TOLD + '.once')) { writeFileSync(TOLD + '.once', ''); throw new Error('away') } appendFileSync(TOLD, block.number + '\\n') } } }`,
    `import { appendFileSync, existsSync, writeFileSync } from 'node:fs'\nconst TOLD = ${JSON.stringify(told)}`,
  )
  const dataPath = join(folder, 'data')
  mkdirSync(dataPath)
  const numbers = () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n').map(Number) : [])
  const run = async (nonces: readonly bigint[], last: number) => {
    const node = await startWithPlugin(file, { dataPath })
    for (const nonce of nonces) {
      const params = [signedTransfer(first!, nonce)]
      await node.provider.request({ method: 'eth_sendRawTransaction', params })
      while (Number(await node.provider.request({ method: 'eth_blockNumber' })) < Number(nonce) + 1)
        await pause()
    }
    while ((numbers().at(-1) ?? 0) < last) await pause()
    await node.stop()
  }
  await run([0n, 1n, 2n], 3)
  await run([3n], 4)
  assert.deepEqual(numbers(), [1, 2, 3, 4])
})

test("a selection rule keeps one sender's transactions waiting, and others are included", async (t) => {
  const folder = temporaryDirectory(t)
  const file = writePlugin(
    folder,
    'chooser',
    `selection: { onFailure: 'refuse', deadlineMs: 1_000, judge: (all) => all.map(({ sender }) => sender !== '${first!.address}' || 'Not in our blocks.') },
     health: { check: () => 'The vault is locked.' }`,
  )
  const node = await startWithPlugin(file, { options: { 'rpc-http-enabled': true, 'rpc-http-port': 0 } })
  t.after(() => node.stop())
  const send = (account: typeof first, nonce: bigint) =>
    node.provider.request({ method: 'eth_sendRawTransaction', params: [signedTransfer(account!, nonce)] })
  const left = await send(first, 0n)
  const taken = await send(second, 0n)
  const receipt = (hash: unknown) =>
    node.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  while ((await receipt(taken)) === null) await pause()
  assert.equal(await receipt(left), null)
  assert.equal(
    await node.provider.request({ method: 'eth_getTransactionCount', params: [first!.address, 'pending'] }),
    '0x1',
  )
  const answer = await fetch(`http://127.0.0.1:${node.http!.port}/readiness?minPeers=0`)
  assert.equal(answer.status, 503)
  assert.match(await answer.text(), /"plugin chooser".*"The vault is locked\."/s)
})

test('a validator with its key in a plugin produces blocks, and no file of the node contains the key', async (t) => {
  const network = makeNetwork(t, 'qbft')
  const keyFile = network.args.find((arg) => arg.startsWith('--node-private-key-file='))!.split('=')[1]!
  mkdirSync(join(network.data, 'plugins'))
  writePlugin(
    join(network.data, 'plugins'),
    'vault',
    `signer: {
       publicKey: () => pair.getPublicKey().subarray(1),
       sign: (digest) => { const signed = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' }); return Uint8Array.of(...signed.subarray(1), signed[0]) },
       ecdh: (publicKey) => pair.computeSecret(Buffer.concat([Buffer.of(4), publicKey])),
     }`,
    `import { createECDH } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { secp256k1 } from ${JSON.stringify(import.meta.resolve('@noble/curves/secp256k1.js'))}
const key = Buffer.from(readFileSync(${JSON.stringify(keyFile)}, 'utf8').trim().replace('0x', ''), 'hex')
const pair = createECDH('secp256k1')
pair.setPrivateKey(key)`,
  )
  const args = network.args.filter((arg) => !arg.startsWith('--node-private-key-file='))
  const node = await start(t, { ...network, args: [...args, '--security-module=vault'] })
  await moreBlocks(node, 2)
  assert(!existsSync(join(network.data, 'key')))
  assert.equal(await node.stop(), 0)
})

test("a plugin's method needs a token that grants it", async (t) => {
  const folder = temporaryDirectory(t)
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const keyFile = join(folder, 'public.pem')
  writeFileSync(keyFile, publicKey.export({ type: 'spki', format: 'pem' }))
  const method = (name: string) => `${name}: { summary: 'Says so.', run: () => '${name}' }`
  const file = writePlugin(folder, 'guide', `methods: { ${method('open')}, ${method('shut')} }`)
  const node = await startWithPlugin(file, {
    options: {
      'rpc-http-enabled': true,
      'rpc-http-port': 0,
      'rpc-http-api': 'ETH,GUIDE',
      'rpc-http-authentication-enabled': true,
      'rpc-http-authentication-jwt-public-key-file': keyFile,
    },
  })
  t.after(() => node.stop())
  const call = async (name: string, permissions?: readonly string[]) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const body = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ permissions, exp: 2 ** 32 })}`
    const token = `${body}.${sign('RSA-SHA256', Buffer.from(body), privateKey).toString('base64url')}`
    const response = await fetch(`http://127.0.0.1:${node.http!.port}`, {
      method: 'POST',
      headers: permissions === undefined ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params: [] }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number } }
    return result ?? error?.code
  }
  const UNAUTHORIZED = -40_100
  assert.equal(await call('guide_open', ['guide:open']), 'open')
  assert.equal(await call('guide_shut', ['guide:open']), UNAUTHORIZED)
  assert.equal(await call('guide_shut', ['guide:*']), 'shut')
  assert.equal(await call('guide_shut', ['*:*']), 'shut')
  for (const permissions of [['eth:*'], ['guide_open'], ['GUIDE:*'], []]) {
    assert.equal(await call('guide_open', permissions), UNAUTHORIZED)
  }
  assert.equal(await call('guide_open'), UNAUTHORIZED)
})

test('a plugin that is not there, cannot be used or does not start stops the start, unless it may be left out', async (t) => {
  const folder = temporaryDirectory(t)
  const plugins = join(folder, 'plugins')
  mkdirSync(plugins)
  const args = [
    `--data-path=${folder}`,
    '--network=dev',
    '--logging=OFF',
    '--rpc-http-port=0',
    '--rpc-ws-port=0',
  ]
  const missing = cairn([...args, '--plugins=none'])
  assert.equal(missing.code, 2, missing.stderr)
  assert.match(missing.stderr, /The plugin none was not found/)
  writeFileSync(join(plugins, 'broken.ts'), 'export default 7\n')
  assert.match(
    cairn(args).stderr,
    /broken\.ts could not be loaded: its default export is not what definePlugin gives/,
  )
  assert.match(cairn([`--data-path=${folder}`, 'plugins', 'list']).stdout, /broken\.ts could not be loaded/)
  assert.match(cairn([...args, '--plugins-verification-mode=FULL']).stderr, /there is no .*SHA256SUMS/)
  writePlugin(plugins, 'lame', "start: () => { throw new Error('no leg to stand on') }")
  const lame = cairn([...args, '--plugins=lame'])
  assert.equal(lame.code, 2)
  assert.match(lame.stderr, /The plugin lame could not be started: no leg to stand on/)
  const node = await embedNode({
    dataPath: join(folder, 'other'),
    options: {
      network: 'dev',
      'rpc-http-port': 0,
      'rpc-ws-port': 0,
      plugins: `${join(plugins, 'lame.ts')},${join(plugins, 'broken.ts')}`,
      'plugin-continue-on-error': true,
      logging: 'OFF',
    },
  })
  assert.equal(await node.provider.request({ method: 'eth_blockNumber' }), '0x0')
  await node.stop()
})
