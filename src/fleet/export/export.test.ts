import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'smol-toml'
import { describeNetwork, type NewFile } from '#fleet/new-network.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { parseEnode } from '#types/enode.ts'
import { exportCompose } from './compose.ts'
import { type ExportedNode, readNodes } from './exported-node.ts'
import { exportHelm } from './helm.ts'
import { exportSystemd, systemdUnit } from './systemd.ts'

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
  return { directory, nodes: readNodes(directory) }
}

const textOf = (files: readonly NewFile[], path: string) => files.find((file) => file.path === path)!.content

test('compose: nodes know each other by name, and options that say where a node is are those of its container', async (context) => {
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
  assert.deepEqual(
    files
      .filter(({ isSecret }) => isSecret)
      .map(({ path }) => path)
      .filter((path) => path.startsWith('validator-1')),
    ['validator-1/key', 'validator-1/credentials.toml'],
  )
  const compose = textOf(files, 'compose.yaml')
  assert.match(compose, /user: "1000:100"/)
  assert.match(compose, /127\.0\.0\.1:\d+:8545/)
})

test('helm: values hold no secret, and secrets nothing else', async (context) => {
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

test('systemd: the script copies every node, refuses what runs and what is there', async (context) => {
  const { directory, nodes } = await makeNetwork(context)
  const files = exportSystemd(nodes, '/usr/local/bin/cairn')
  writeNewFiles(files, join(directory, 'out'))
  const root = join(directory, 'root')
  const install = () =>
    spawnSync('sh', [join(directory, 'out', 'install.sh')], {
      env: { ...process.env, DESTDIR: root },
      encoding: 'utf8',
    })
  writeFileSync(join(directory, 'validator-2', 'pid'), String(process.pid))
  assert.match(install().stderr, /validator-2 still runs/)
  rmSync(join(directory, 'validator-2', 'pid'))
  const { status, stderr } = install()
  assert.equal(status, 0, stderr)
  assert.equal(
    readFileSync(join(root, 'etc/systemd/system/cairn@.service'), 'utf8'),
    systemdUnit('/usr/local/bin/cairn'),
  )
  for (const { name, files } of nodes) {
    const place = join(root, 'var/lib/cairn', name)
    assert.equal(readFileSync(join(place, 'key'), 'utf8'), files.key!.text)
    assert.equal(statSync(join(place, 'key')).mode & 0o777, 0o600)
  }
  assert.match(install().stderr, /is there already/)
  execFileSync('sh', ['-n', join(directory, 'out', 'install.sh')])
})

test('a node whose files are elsewhere is not exported', async (context) => {
  const { directory } = await makeNetwork(context)
  const config = join(directory, 'validator-1', 'config.toml')
  const text = readFileSync(config, 'utf8')
  for (const place of ['/etc/genesis.json', '../validator-2/genesis.json', 'missing.json']) {
    writeFileSync(config, text.replace('"genesis.json"', JSON.stringify(place)))
    assert.throws(() => readNodes(directory), new RegExp(`names ${place}, which is no file in the directory`))
  }
})
