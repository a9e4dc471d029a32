import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'smol-toml'
import { main } from '#cli/main.ts'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { formatData } from '#types/hex.ts'

const ID_1 = 'ab'.repeat(64)
const ID_2 = 'cd'.repeat(64)
const VALIDATORS = ['11', '22', '33', '44'].map((byte) => parseAddress(`0x${byte.repeat(20)}`))

async function cairn(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', '']
  const code = await main(args, {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    draw: () => undefined,
    readInput: () => '',
    readSecretLine: () => undefined,
    columns: undefined,
  })
  return { code, out, err }
}

function folderOf(context: TestContext): (name: string, content?: string, mode?: number) => string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-migrate-'))
  context.after(() => rmSync(folder, { recursive: true }))
  return (name, content, mode = 0o644) => {
    const path = join(folder, name)
    if (content === undefined) return path
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }
}

function genesis(section: object): string {
  return JSON.stringify({
    config: { chainId: 1337, homesteadBlock: 0, byzantiumBlock: 0, qbft: section },
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    difficulty: '0x1',
    gasLimit: '0x29b92700',
    extraData: formatData(encodeGenesisExtraData('qbft', VALIDATORS)),
    alloc: {},
  })
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('migrate besu: copies are readable by no more users, and an unknown option keeps the node from starting', async (context) => {
  const file = folderOf(context)
  const config = file(
    'besu.toml',
    [
      `genesis-file="${file('genesis.json', genesis({ blockperiodseconds: 2, epochlength: 30_000 }))}"`,
      `node-private-key-file="${file('key', `0x${'05'.repeat(32)}`)}"`,
      `static-nodes-file="${file('shadow', '[]', 0o600)}"`,
      'Xp2p-tls-enabled=true',
      '',
    ].join('\n'),
  )
  const { code, err } = await cairn('migrate', 'besu', config, `--to=${file('new')}`)
  assert.equal(code, 0, err)
  assert.match(err, /Decide about Xp2p-tls-enabled: the node does not start while/)
  assert.equal(modeOf(file('new/static-nodes.json')), 0o600)
  assert.equal(modeOf(file('new/key')), 0o600)
  assert.equal(modeOf(file('new/genesis.json')), 0o644)
  assert.equal(modeOf(file('new')), 0o700)
  assert.equal(modeOf(file('new/config.toml')), 0o600, 'an option that nobody knows may be a password')
  const started = await cairn('validate-config', `--config-file=${file('new/config.toml')}`)
  assert.match(started.err, /Xp2p-tls-enabled/)
})

test('migrate goquorum: banned nodes are in neither list, and lists keep their mode', async (context) => {
  const file = folderOf(context)
  const enodes = [ID_1, ID_2, ID_2.toUpperCase()].map(
    (id, index) => `enode://${id}@10.0.0.${index + 1}:21000?discport=0`,
  )
  const source = file('gq.json', genesis({ epochlength: 30_000, blockperiodseconds: 2 }))
  file('gq/geth/nodekey', '05'.repeat(32))
  file('gq/static-nodes.json', JSON.stringify(enodes))
  file('gq/permissioned-nodes.json', JSON.stringify(enodes), 0o640)
  // Banned by its id, regardless of its address.
  file('gq/disallowed-nodes.json', JSON.stringify([`enode://${ID_2}@10.9.9.9:1?discport=0&raftport=2`]))
  const migrate = (to: string) =>
    cairn('migrate', 'goquorum', `--genesis-file=${source}`, `--data-path=${file('gq')}`, `--to=${file(to)}`)
  const { code, out, err } = await migrate('new')
  assert.equal(code, 0, err)
  assert.match(out, /^disallowed-nodes\.json +replaced +these nodes are left out of both lists$/m)
  const permitted = parse(readFileSync(file('new/permissions_config.toml'), 'utf8'))
  assert.deepEqual(permitted['nodes-allowlist'], [enodes[0]])
  assert.deepEqual(JSON.parse(readFileSync(file('new/static-nodes.json'), 'utf8')), [enodes[0]])
  assert.equal(modeOf(file('new/permissions_config.toml')), 0o600)
  assert.equal(modeOf(file('new/key')), 0o600)

  for (const text of ['{}', '["enode://x"]', '[5]']) {
    file('gq/disallowed-nodes.json', text)
    const refused = await migrate('unreadable')
    assert.equal(refused.code, 1, 'GoQuorum bans every node then')
    assert.match(refused.err, /disallowed-nodes\.json/)
  }
  file('gq/disallowed-nodes.json', JSON.stringify([enodes[1]]))
  rmSync(file('gq/permissioned-nodes.json'))
  assert.match((await migrate('banned')).err, /disallowed-nodes\.json bans nodes, but permissioned-nodes/)
  rmSync(file('gq/disallowed-nodes.json'))
  file('gq/permission-config.json', '{}')
  assert.match((await migrate('contracts')).err, /permission-config\.json names permissioning contracts/)
  assert.deepEqual(
    ['unreadable', 'banned', 'contracts'].filter((to) => existsSync(file(to))),
    [],
  )
})
