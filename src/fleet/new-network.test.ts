import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { parse } from 'smol-toml'
import { publicKeyFromPrivate } from '#types/curve.ts'
import { parseEnode } from '#types/enode.ts'
import { parseData } from '#types/hex.ts'
import { freePorts } from './free-ports.ts'
import { describeNetwork, type NetworkWishes, type NewNetwork } from './new-network.ts'

const WISHES: NetworkWishes = {
  validators: 4,
  observers: 1,
  chainId: 1337,
  blockPeriodSeconds: 2,
  hasPermissions: false,
  password: undefined,
}

const PORT_KEYS = ['p2p-port', 'rpc-http-port', 'rpc-ws-port', 'metrics-port']

function textOf({ files }: NewNetwork, path: string): string {
  const file = files.find((each) => each.path === path)
  assert.ok(file, path)
  return file.content
}

test('every node has its own key and ports, and knows the others', async () => {
  const network = await describeNetwork(WISHES)
  const names = network.nodes.map(({ name }) => name)
  assert.deepEqual(names, ['validator-1', 'validator-2', 'validator-3', 'validator-4', 'observer-1'])
  const ids = names.map((name) => {
    const key = parseData(textOf(network, `${name}/key`))
    return Buffer.from(publicKeyFromPrivate('secp256k1', key)).toString('hex')
  })
  assert.equal(new Set(ids).size, 5)
  const ports = names.flatMap((name) => {
    const config = parse(textOf(network, `${name}/config.toml`))
    return PORT_KEYS.map((key) => config[key])
  })
  assert.equal(new Set(ports).size, 20)
  const known = JSON.parse(textOf(network, 'validator-2/static-nodes.json')) as string[]
  assert.deepEqual(
    known.map((url) => parseEnode(url).id),
    ids.filter((_, at) => at !== 1),
  )
})

test('services of a large network use different ports', async () => {
  const network = await describeNetwork({ ...WISHES, validators: 120 })
  const ports = network.nodes.flatMap(({ name }) => {
    const config = parse(textOf(network, `${name}/config.toml`))
    return PORT_KEYS.map((key) => config[key])
  })
  assert.equal(new Set([...ports, network.console]).size, ports.length + 1)
})

test('only keys, the password and the credentials are secret', async () => {
  const password = { plain: 'plain', hash: '$2a$10$hash' }
  const { files } = await describeNetwork({ ...WISHES, hasPermissions: true, password })
  const secrets = files.filter(({ isSecret }) => isSecret).map(({ path }) => path.split('/').at(-1))
  assert.deepEqual([...new Set(secrets)].sort(), [
    'account.key',
    'credentials.toml',
    'key',
    'operator.password',
  ])
  for (const { path, content } of files) {
    if (path !== 'operator.password') assert.doesNotMatch(content, /plain/)
  }
})

test('a network with permissions lists its nodes and the funded account', async () => {
  const network = await describeNetwork({ ...WISHES, hasPermissions: true })
  const lists = parse(textOf(network, 'validator-1/permissions_config.toml'))
  assert.equal((lists['nodes-allowlist'] as string[]).length, 5)
  assert.deepEqual(lists['accounts-allowlist'], [network.account])
})

test('nodes serve PERM only if they have lists, since its methods fail without', async () => {
  for (const hasPermissions of [true, false]) {
    const network = await describeNetwork({ ...WISHES, hasPermissions })
    const config = parse(textOf(network, 'validator-1/config.toml'))
    for (const key of ['rpc-http-api', 'rpc-ws-api']) {
      assert.equal((config[key] as string[]).includes('PERM'), hasPermissions, key)
    }
  }
})

test('a port that is in use is skipped', async (context) => {
  const server = createServer().listen(0, '127.0.0.1')
  context.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const ports = await freePorts('127.0.0.1', port, 2)
  assert.ok(!ports.includes(port))
  assert.equal(ports.length, 2)
})
