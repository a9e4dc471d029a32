import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'smol-toml'
import { markRemoved, unmarkRemoved } from '#fleet/network-directory.ts'
import { describeNetwork, type NewFile } from '#fleet/new-network.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { identityText } from '#platform/process/process-identity.ts'
import { publicKeyFromPrivate } from '#types/curve.ts'
import { parseEnode } from '#types/enode.ts'
import { formatData } from '#types/hex.ts'
import { exportCompose } from './compose.ts'
import { type ExportedNode, readNodes } from './exported-node.ts'
import { exportHelm } from './helm.ts'
import { exportSystemd, systemdUnit } from './systemd.ts'

const PASSWORD = 'opens it'
/** The key 0707… with that password, encrypted with the least possible work. */
const KEYSTORE = JSON.stringify({
  version: 3,
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '02'.repeat(16) },
    ciphertext: 'dbefb955db50a96749a54c939afba52c1bccfacae2b1fa6d3ac63fc45445a044',
    kdf: 'pbkdf2',
    kdfparams: { c: 1, dklen: 32, prf: 'hmac-sha256', salt: '01'.repeat(32) },
    mac: 'cd37128a03e835b431515fc32c364dbe34bf9bf5ea7b4f992303492a49322b82',
  },
})
const SECRET_OPTION = 'rpc-ws-ssl-keystore-password'
const isPlain = (option: string) => !option.startsWith('plugin-') && option !== SECRET_OPTION
const IMAGE = 'registry.example:5000/cairn-node:0.1.0'

async function makeNetwork(
  context: TestContext,
): Promise<{ directory: string; nodes: readonly ExportedNode[] }> {
  const directory = mkdtempSync(join(tmpdir(), "cairn-export's "))
  context.after(() => rmSync(directory, { recursive: true }))
  const network = await describeNetwork({
    validators: 2,
    observers: 1,
    chainId: 1337,
    blockPeriodSeconds: 1,
    hasPermissions: true,
    password: { plain: 'secret', hash: 'hash' },
  })
  writeNewFiles(network.files, directory)
  return { directory, nodes: readNodes(directory, isPlain) }
}

const textOf = (files: readonly NewFile[], path: string) => files.find((file) => file.path === path)!.content

test('compose: nodes know each other by name, and address options are those of the container', async (context) => {
  const { nodes } = await makeNetwork(context)
  const files = exportCompose(nodes, IMAGE, { uid: 1000, gid: 100 })
  const others = JSON.parse(textOf(files, 'validator-1/static-nodes.json')) as string[]
  assert.deepEqual(
    others
      .map((url) => parseEnode(url, { allowHostNames: true }))
      .map(({ host, tcpPort }) => `${host}:${tcpPort}`),
    ['validator-2:30303', 'observer-1:30303'],
  )
  const permitted = parse(textOf(files, 'observer-1/permissions_config.toml'))
  assert.ok(
    (permitted['nodes-allowlist'] as string[]).every((url) => /@(validator-\d|observer-1):30303$/.test(url)),
  )
  const config = parse(textOf(files, 'validator-1/config.toml'))
  assert.equal(config['p2p-host'], undefined)
  assert.equal(config['rpc-http-port'], 8545)
  assert.equal(config['genesis-file'], 'genesis.json')
  assert.deepEqual(config['console-nodes'], [
    'validator-1=http://validator-1:8545',
    'validator-2=http://validator-2:8545',
    'observer-1=http://observer-1:8545',
  ])
  assert.deepEqual(
    [config['console-host'], config['console-port'], config['host-allowlist']],
    ['0.0.0.0', 8580, ['localhost', '127.0.0.1', 'validator-1']],
  )
  assert.match(textOf(files, 'compose.yaml'), /127\.0\.0\.1:\d+:8580/)
  const second = parse(textOf(files, 'validator-2/config.toml'))
  assert.deepEqual(
    [second['console-nodes'], second['host-allowlist']],
    [undefined, ['localhost', '127.0.0.1', 'validator-2']],
  )
  assert.deepEqual(
    files
      .filter(({ isSecret }) => isSecret)
      .map(({ path }) => path)
      .filter((path) => path.startsWith('validator-1')),
    ['validator-1/config.toml', 'validator-1/key', 'validator-1/credentials.toml'],
  )
  const compose = textOf(files, 'compose.yaml')
  assert.match(compose, /user: "1000:100"/)
  assert.match(compose, /127\.0\.0\.1:\d+:8545/)
})

test('helm: values contain no secret, and secrets contain the keys', async (context) => {
  const { nodes } = await makeNetwork(context)
  const files = exportHelm(nodes, IMAGE)
  const keys = nodes.map(({ files: { key } }) => key!.text)
  const valuesText = textOf(files, 'values.yaml')
  assert.deepEqual(
    keys.filter((key) => valuesText.includes(key.slice(2))),
    [],
  )
  assert.ok(!valuesText.includes('"hash"'))
  const values = JSON.parse(valuesText.slice(valuesText.indexOf('\n')))
  assert.deepEqual(values.image, { repository: 'registry.example:5000/cairn-node', tag: '0.1.0' })
  assert.equal(values.permissions.accounts.length, 1)
  assert.deepEqual(
    values.nodes.map((node: { name: string; isValidator: boolean }) => [node.name, node.isValidator]),
    [
      ['validator-1', true],
      ['validator-2', true],
      ['observer-1', false],
    ],
  )
  const secrets = files.find(({ path }) => path === 'secrets.yaml')!
  assert.ok(secrets.isSecret)
  assert.deepEqual(
    keys.filter((key) => !secrets.content.includes(key)),
    [],
  )
})

test('systemd: the script copies every node, and refuses running nodes and existing directories', async (context) => {
  const { directory, nodes } = await makeNetwork(context)
  const files = exportSystemd(nodes, ['/usr/local/bin/cairn'])
  writeNewFiles(files, join(directory, 'out'))
  const root = join(directory, 'root')
  const install = () =>
    spawnSync('sh', [join(directory, 'out', 'install.sh')], {
      env: { ...process.env, DESTDIR: root },
      encoding: 'utf8',
    })
  writeFileSync(join(directory, 'validator-2', 'pid'), String(process.pid))
  assert.match(install().stderr, /validator-2 is still running/)
  rmSync(join(directory, 'validator-2', 'pid'))
  const { status, stderr } = install()
  assert.equal(status, 0, stderr)
  assert.equal(
    readFileSync(join(root, 'etc/systemd/system/cairn@.service'), 'utf8'),
    systemdUnit(['/usr/local/bin/cairn']),
  )
  for (const { name, files } of nodes) {
    const place = join(root, 'var/lib/cairn', name)
    assert.equal(readFileSync(join(place, 'key'), 'utf8'), files.key!.text)
    assert.equal(statSync(join(place, 'key')).mode & 0o777, 0o600)
  }
  assert.match(install().stderr, /already exists/)
  execFileSync('sh', ['-n', join(directory, 'out', 'install.sh')])
})

/** Encrypts the first node's key and writes the password to the named file. */
function encryptFirst(directory: string, passwordFile: string): void {
  const folder = join(directory, 'validator-1')
  writeFileSync(join(folder, 'key'), KEYSTORE)
  writeFileSync(resolve(folder, passwordFile), `${PASSWORD}\n`)
  writeFileSync(
    join(folder, 'config.toml'),
    `node-key-password-file = ${JSON.stringify(passwordFile)}\n${readFileSync(join(folder, 'config.toml'), 'utf8')}`,
  )
}

test('a node with an encrypted key is exported with the password, as a secret', async (context) => {
  const { directory } = await makeNetwork(context)
  encryptFirst(directory, 'password')
  const [first] = readNodes(directory, isPlain)
  const publicKey = publicKeyFromPrivate('secp256k1', new Uint8Array(32).fill(7))
  assert.equal(first!.id, formatData(publicKey).slice(2))
  const compose = exportCompose([first!], IMAGE, { uid: 1000, gid: 100 })
  assert.deepEqual(
    compose.filter(({ isSecret }) => isSecret).map(({ path }) => path),
    ['validator-1/config.toml', 'validator-1/key', 'validator-1/password', 'validator-1/credentials.toml'],
  )
  const helm = exportHelm([first!], IMAGE)
  assert.ok(!textOf(helm, 'values.yaml').includes(PASSWORD))
  assert.match(
    textOf(helm, 'values.yaml'),
    /node-key-password-file = \\"\/etc\/cairn-secrets\/key-password\\"/,
  )
  assert.match(textOf(helm, 'secrets.yaml'), new RegExp(`"key-password": "${PASSWORD}\\\\n"`))
})

test('a password in another directory is exported too', async (context) => {
  const { directory } = await makeNetwork(context)
  encryptFirst(directory, join(directory, 'elsewhere'))
  const files = exportCompose(readNodes(directory, isPlain), IMAGE, { uid: 1000, gid: 100 })
  assert.equal(textOf(files, 'validator-1/key-password'), `${PASSWORD}\n`)
  assert.equal(parse(textOf(files, 'validator-1/config.toml'))['node-key-password-file'], 'key-password')
})

test('a key that cannot be decrypted is refused with a remedy', async (context) => {
  const { directory } = await makeNetwork(context)
  const folder = join(directory, 'validator-1')
  writeFileSync(join(folder, 'key'), 'no key')
  assert.throws(
    () => readNodes(directory, isPlain),
    /is not a private key: it must hold 64 hex digits, or be a keystore/,
  )
  writeFileSync(join(folder, 'key'), '{"version":3}')
  assert.throws(
    () => readNodes(directory, isPlain),
    /is encrypted, and .*config\.toml does not say where its password is: name the file as node-key-password-file/,
  )
  const config = join(folder, 'config.toml')
  writeFileSync(config, `node-key-password-file = "gone"\n${readFileSync(config, 'utf8')}`)
  assert.throws(() => readNodes(directory, isPlain), /its password file .*gone does not exist\. Create it/)
})

test('a node with files in other directories is not exported', async (context) => {
  const { directory } = await makeNetwork(context)
  const config = join(directory, 'validator-1', 'config.toml')
  const text = readFileSync(config, 'utf8')
  for (const place of ['/etc/genesis.json', '../validator-2/genesis.json', 'missing.json']) {
    writeFileSync(config, text.replace('"genesis.json"', JSON.stringify(place)))
    assert.throws(
      () => readNodes(directory, isPlain),
      new RegExp(`names ${place}, which is not in the node directory`),
    )
  }
})

/** Changes a file of a node, by default the first. */
function edit(directory: string, name: string, change: (text: string) => string, node = 'validator-1'): void {
  const file = join(directory, node, name)
  writeFileSync(file, change(readFileSync(file, 'utf8')), { mode: 0o600 })
}

interface HelmNode {
  readonly name: string
  readonly isPermitted: boolean
  readonly expose: Readonly<Record<'http' | 'ws' | 'metrics', boolean>>
  readonly console: boolean
  readonly hosts: readonly string[]
  readonly config: string
}

function helmOf(directory: string) {
  const files = exportHelm(readNodes(directory, isPlain), IMAGE)
  const text = textOf(files, 'values.yaml')
  const values = JSON.parse(text.slice(text.indexOf('\n'))) as {
    readonly permissions: { readonly accounts: readonly string[] }
    readonly nodes: readonly HelmNode[]
  }
  return { files, values, secrets: textOf(files, 'secrets.yaml') }
}

test('helm: a loopback service stays on the loopback of its pod, and is not a cluster service', async (context) => {
  const { directory } = await makeNetwork(context)
  edit(directory, 'config.toml', (text) =>
    text.replace('rpc-ws-host = "127.0.0.1"', 'rpc-ws-host = "10.1.2.3"'),
  )
  const { nodes } = helmOf(directory).values
  assert.deepEqual(
    nodes.map(({ expose }) => expose),
    [
      { http: false, ws: true, metrics: false },
      { http: false, ws: false, metrics: false },
      { http: false, ws: false, metrics: false },
    ],
  )
  const [first, second] = nodes.map(({ config }) => parse(config)) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ]
  assert.equal(first['rpc-http-host'], '127.0.0.1')
  assert.equal(first['rpc-ws-host'], '0.0.0.0')
  assert.equal(second['rpc-ws-host'], '127.0.0.1')
  assert.equal(second['metrics-host'], '127.0.0.1')
  assert.equal(first['host-allowlist'], undefined, 'every Host would be taken')
  assert.equal(first['console-nodes'], undefined, 'addresses of another machine')
  assert.deepEqual([first['console-host'], first['console-port']], ['127.0.0.1', 8580])
  assert.deepEqual(
    nodes.map(({ console, hosts }) => [console, hosts]),
    [true, false, false].map((isFirst) => [isFirst, ['localhost', '127.0.0.1']]),
  )
})

test('HTTP and WebSocket users, and node and account lists, stay separate', async (context) => {
  const { directory } = await makeNetwork(context)
  const folder = join(directory, 'validator-1')
  writeFileSync(join(folder, 'ws.toml'), '[Users.wsadmin]\n')
  writeFileSync(join(folder, 'credentials.toml'), '[Users.reader]\n')
  writeFileSync(join(folder, 'accounts.toml'), `accounts-allowlist = ["0x${'11'.repeat(20)}"]\n`)
  edit(directory, 'config.toml', (text) =>
    text
      .replace(/^(rpc-ws-authentication-credentials-file = ).*/m, '$1"ws.toml"')
      .replace(/^(permissions-accounts-config-file = ).*/m, '$1"accounts.toml"'),
  )
  const [node] = readNodes(directory, isPlain)
  const { secrets } = helmOf(directory)
  const { stringData } = JSON.parse(secrets.slice(secrets.indexOf('\n'), secrets.indexOf('---')))
  assert.equal(stringData['credentials.toml'], '[Users.reader]\n')
  assert.equal(stringData['credentials_ws.toml'], '[Users.wsadmin]\n')
  const config = parse(helmOf(directory).values.nodes[0]!.config)
  assert.equal(config['rpc-ws-authentication-credentials-file'], '/etc/cairn-secrets/credentials_ws.toml')
  assert.equal(config['rpc-http-authentication-credentials-file'], '/etc/cairn-secrets/credentials.toml')
  const files = exportCompose([node!], IMAGE, { uid: 1000, gid: 100 })
  assert.equal(textOf(files, 'validator-1/credentials.toml'), '[Users.reader]\n')
  assert.equal(textOf(files, 'validator-1/ws.toml'), '[Users.wsadmin]\n')
  assert.ok(files.find(({ path }) => path === 'validator-1/ws.toml')!.isSecret)
  assert.match(textOf(files, 'validator-1/accounts.toml'), /accounts-allowlist/)
  assert.match(textOf(files, 'validator-1/permissions_config.toml'), /nodes-allowlist/)
})

test('helm: a node or account that one node does not permit is not permitted', async (context) => {
  const { directory, nodes } = await makeNetwork(context)
  const banned = nodes[2]!.id
  const change = (text: string) =>
    text
      .replace(
        new RegExp(`"enode://${banned}[^"]*"`),
        '"enode://'.concat('ab'.repeat(64), '@10.0.0.1:30303"'),
      )
      .replace(/^accounts-allowlist.*$/m, 'accounts-allowlist = []')
  edit(directory, 'permissions_config.toml', change, 'validator-2')
  const { values } = helmOf(directory)
  assert.deepEqual(
    values.nodes.map(({ name, isPermitted }) => [name, isPermitted]),
    [
      ['validator-1', true],
      ['validator-2', true],
      ['observer-1', false],
    ],
  )
  assert.deepEqual(values.permissions.accounts, [])
})

test('a configuration with a password or a plugin option is a secret', async (context) => {
  for (const line of [
    `${SECRET_OPTION} = "hunter2"`,
    'plugin-webhook-sink-secret = "hunter2"',
    'node-signer-url = "https://user:hunter2@signer"',
  ]) {
    const { directory } = await makeNetwork(context)
    edit(directory, 'config.toml', (text) => `${line}\n${text}`)
    const { files, values, secrets } = helmOf(directory)
    assert.doesNotMatch(textOf(files, 'values.yaml'), /hunter2/)
    assert.equal(values.nodes[0]!.config, '')
    assert.match(secrets, /hunter2/)
    writeNewFiles(
      exportCompose(readNodes(directory, isPlain), IMAGE, { uid: 1, gid: 1 }),
      join(directory, 'out'),
    )
    assert.equal(statSync(join(directory, 'out/validator-1/config.toml')).mode & 0o777, 0o600)
  }
})

test('a directory with an ambiguous name is not exported', async (context) => {
  const { directory } = await makeNetwork(context)
  renameSync(join(directory, 'validator-1'), join(directory, 'validator-1 x;touch OWNED;:'))
  assert.throws(() => readNodes(directory, isPlain), /cannot be exported under its name: rename it/)
})

test('words of the unit and of the script are quoted', async (context) => {
  const { nodes } = await makeNetwork(context)
  const unit = systemdUnit(['/opt/my node/node', '/opt/%h/$HOME/"cairn"'])
  assert.match(
    unit,
    /^ExecStart="\/opt\/my node\/node" "\/opt\/%%h\/\$\$HOME\/\\"cairn\\"" --config-file=config\.toml$/m,
  )
  assert.throws(() => systemdUnit(['/bin/true\nExecStartPre=/bin/false']), /cannot be written into a unit/)
  assert.match(
    textOf(exportSystemd(nodes, ['/bin/true']), 'install.sh'),
    /^ {2}"\$1" validator-1 '.*'\\''s .*' '.*LOCK'$/m,
  )
  const compose = textOf(exportCompose(nodes, 'node:$TAG', { uid: 1, gid: 1 }), 'compose.yaml')
  assert.match(compose, /image: "node:\$\$TAG"/)
})

test('the script refuses a node with an open database, however it was started', async (context) => {
  const { directory, nodes } = await makeNetwork(context)
  writeNewFiles(exportSystemd(nodes, ['/bin/true']), join(directory, 'out'))
  const install = () =>
    spawnSync('sh', [join(directory, 'out', 'install.sh')], {
      env: { ...process.env, DESTDIR: join(directory, 'root') },
      encoding: 'utf8',
    })
  const database = join(directory, 'validator-1', 'data', 'database')
  mkdirSync(database, { recursive: true })
  const { ClassicLevel } = await import('classic-level')
  const level = new ClassicLevel(database)
  await level.open()
  assert.match(install().stderr, /validator-1 is still running/)
  await level.close()
  writeFileSync(join(directory, 'validator-2', 'pid'), identityText(process.pid))
  assert.match(install().stderr, /validator-2 is still running/)
  // The process id now belongs to another program.
  writeFileSync(join(directory, 'validator-2', 'pid'), `${process.pid}\nstart:1\n`)
  const { status, stderr } = install()
  assert.equal(status, 0, stderr)
})

test('a validator that was voted out is not exported, nor known to the others, until it is voted in again', async (context) => {
  const { directory, nodes } = await makeNetwork(context)
  const [, removed] = nodes
  const staticNodesOf = (read: readonly ExportedNode[]) => read[0]!.files.staticNodes!.text
  markRemoved(removed!.node)
  const left = readNodes(directory, isPlain)
  assert.deepEqual(
    left.map(({ name }) => name),
    ['validator-1', 'observer-1'],
  )
  assert.equal((JSON.parse(staticNodesOf(left)) as string[]).length, 1)
  assert.doesNotMatch(staticNodesOf(left), new RegExp(removed!.id))
  rmSync(join(directory, 'validator-2/key'))
  assert.equal(readNodes(directory, isPlain).length, 2, 'its key may be gone')
  writeFileSync(join(directory, 'validator-2/key'), removed!.files.key!.text)
  unmarkRemoved(removed!.node)
  unmarkRemoved(removed!.node)
  assert.deepEqual(readNodes(directory, isPlain), nodes)
})
