import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { encryptKey } from '#platform/keystore.ts'
import { systemRandom } from '#platform/random.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { parseEnode } from '#types/enode.ts'
import { formatData, parseData } from '#types/hex.ts'
import { readConfig } from './network-directory.ts'
import { describeNetwork } from './new-network.ts'
import { writeNode } from './new-node.ts'
import { readKeyFile } from './node-key-file.ts'
import { writeNewFiles } from './write-new-files.ts'

const PASSWORD = 'opens it'
const publicKeyOf = (privateKey: Uint8Array) => publicKeyFromPrivate('secp256k1', privateKey)

/** A network of one node: its directory, its key, and a function that writes one of its files. */
async function makeNetwork(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-new-node-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const network = await describeNetwork({
    validators: 1,
    observers: 0,
    chainId: 1337,
    blockPeriodSeconds: 1,
    hasPermissions: false,
    password: undefined,
  })
  writeNewFiles(network.files, directory)
  const file = (name: string) => join(directory, 'validator-1', name)
  return { directory, file, key: parseData(readFileSync(file('key'), 'utf8')) }
}

test('an added node knows the other nodes, also a single one', async (context) => {
  const { directory, file, key } = await makeNetwork(context)
  const { node } = await writeNode(directory)
  const known = JSON.parse(readFileSync(join(node.directory, 'static-nodes.json'), 'utf8')) as string[]
  const port = Number(/^p2p-port = (\d+)$/m.exec(readFileSync(file('config.toml'), 'utf8'))![1])
  assert.deepEqual(
    known.map((url) => parseEnode(url)).map(({ id, host, tcpPort }) => [id, host, tcpPort]),
    [[formatData(publicKeyOf(key)).slice(2), '127.0.0.1', port]],
  )
})

test('an added node has an encrypted key if the first has one', async (context) => {
  const { directory, file, key } = await makeNetwork(context)
  writeFileSync(file('key'), encryptKey(key, PASSWORD, systemRandom))
  writeFileSync(file('password'), PASSWORD)
  writeFileSync(
    file('config.toml'),
    `node-key-password-file = "password"\n${readFileSync(file('config.toml'), 'utf8')}`,
  )
  const { node, address } = await writeNode(directory)
  const { privateKey, password } = readKeyFile(node)
  assert.equal(addressFromPublicKey(publicKeyOf(privateKey)), address)
  assert.equal(password?.text, PASSWORD)
  for (const name of ['key', 'password'])
    assert.equal(statSync(join(node.directory, name)).mode & 0o777, 0o600)
})

test('the files of an added node are readable by no more users than those of the first', async (context) => {
  const { directory, file } = await makeNetwork(context)
  chmodSync(file('config.toml'), 0o600)
  const { node } = await writeNode(directory)
  assert.equal(statSync(node.configFile).mode & 0o777, 0o600)
  assert.equal(statSync(join(node.directory, 'genesis.json')).mode & 0o777, 0o644)
})

test('the console of the network lists an added node', async (context) => {
  const { directory, file } = await makeNetwork(context)
  const { node, consoles } = await writeNode(directory)
  assert.deepEqual(consoles, ['validator-1'])
  const { 'console-nodes': nodes } = readConfig(file('config.toml'))
  const { 'rpc-http-port': port, 'console-nodes': own } = readConfig(node.configFile)
  assert.equal((nodes as string[]).at(-1), `validator-2=http://127.0.0.1:${port}`)
  assert.equal((nodes as string[]).length, 2)
  assert.equal(own, undefined)
})

test('an added node uses no port of another service, also if that does not run', async (context) => {
  const { directory, file } = await makeNetwork(context)
  const config = readFileSync(file('config.toml'), 'utf8')
  const http = Number(/^rpc-http-port = (\d+)$/m.exec(config)![1])
  writeFileSync(file('config.toml'), config.replace(/^rpc-ws-port = .*$/m, `rpc-ws-port = ${http + 1}`))
  const { node } = await writeNode(directory)
  assert.notEqual(readConfig(node.configFile)['rpc-http-port'], http + 1)
})
