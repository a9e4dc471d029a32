/** Migrates recorded GoQuorum networks: converts the genesis file and imports geth's export with full validation. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packFolder } from '../../conformance/pack.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'

const at = (...path: string[]): string => join(packFolder(), ...path)
const RECORDED = ['recorded', 'goquorum-wire', 'chain'] as const

interface Validator {
  readonly address: string
  readonly privateKey: string
  readonly publicKey: string
}

interface RecordedBlock {
  readonly rlp?: string
}

function run(args: readonly string[], cwd: string): string {
  const { code, stdout, stderr } = cairn(args, { cwd })
  assert.equal(code, 0, stderr)
  return stdout + stderr
}

test('a QBFT network: genesis, key, node lists, and an export that begins with block 0', (t) => {
  const cwd = temporaryDirectory(t)
  const blocks = JSON.parse(readFileSync(at(...RECORDED, 'blocks.json'), 'utf8')) as RecordedBlock[]
  const [validator, other] = JSON.parse(
    readFileSync(at(...RECORDED, 'validators.json'), 'utf8'),
  ) as Validator[]
  const enode = `enode://${other!.publicKey.slice(2)}@127.0.0.1:21000?discport=0&raftport=50401`
  mkdirSync(join(cwd, 'qdata', 'geth'), { recursive: true })
  mkdirSync(join(cwd, 'qdata', 'keystore'))
  writeFileSync(join(cwd, 'qdata', 'geth', 'nodekey'), validator!.privateKey.slice(2))
  for (const list of ['static-nodes.json', 'permissioned-nodes.json']) {
    writeFileSync(join(cwd, 'qdata', list), JSON.stringify([enode]))
  }
  const genesisRlp = Buffer.from(blocks[0]!.rlp!.slice(2), 'hex')
  writeFileSync(
    join(cwd, 'export.rlp'),
    Buffer.concat([genesisRlp, readFileSync(at(...RECORDED, 'blocks.bin'))]),
  )

  const args = [
    'migrate',
    'goquorum',
    `--genesis-file=${at(...RECORDED, 'genesis.json')}`,
    '--data-path=qdata',
    '--blocks=export.rlp',
  ]
  assert.match(run(args, cwd), /Nothing was written/)
  const said = run([...args, '--to=node'], cwd)
  assert.match(said, /No private transaction in 81 blocks/)
  assert.match(said, /^isQuorum +ignored/m)
  assert.match(said, /^keystore +ignored/m)
  const node = join(cwd, 'node')
  assert.equal(statSync(join(node, 'key')).mode & 0o777, 0o600)
  assert.match(readFileSync(join(node, 'permissions_config.toml'), 'utf8'), /discport=0"\]/)
  assert.doesNotMatch(readFileSync(join(node, 'static-nodes.json'), 'utf8'), /raftport/)
  const config = readFileSync(join(node, 'config.toml'), 'utf8')
  assert.match(config, /^Xbft-legacy-protocol-encoding = true$/m)
  assert.match(said, /^proposer-order +kept/m)
  assert.doesNotMatch(config, /bft-proposer-order/)

  assert.match(
    run(['--config-file=config.toml', 'blocks', 'import', join(cwd, 'export.rlp')], node),
    /block 80/,
  )
  const address = run(['--config-file=config.toml', 'public-key', 'export-address'], node)
  assert.match(address.toLowerCase(), new RegExp(validator!.address))
})

test('validators whose order differs in a restarted GoQuorum: the node gets its order', (t) => {
  const cwd = temporaryDirectory(t)
  const genesis = at('recorded', 'goquorum-wire', 'restarted-order', 'chain', 'genesis.json')
  const said = run(['migrate', 'goquorum', `--genesis-file=${genesis}`, '--to=node'], cwd)
  assert.match(said, /^proposer-order +replaced +GoQuorum's differs/m)
  const config = readFileSync(join(cwd, 'node', 'config.toml'), 'utf8')
  assert.match(config, /^bft-proposer-order = "CHECKSUM"$/m)
  run(['validate-config', '--config-file=config.toml'], join(cwd, 'node'))
})

test('an IBFT network that changes to QBFT at block 101: its 100 blocks are imported', (t) => {
  const cwd = temporaryDirectory(t)
  const genesis = JSON.parse(readFileSync(at('bft', 'ibft1-chain', 'genesis-migration.json'), 'utf8'))
  // GoQuorum's form of the genesis file.
  delete genesis.config.qbft
  genesis.config.transitions = [{ block: 101, algorithm: 'qbft' }]
  writeFileSync(join(cwd, 'genesis.json'), JSON.stringify(genesis))
  run(['migrate', 'goquorum', '--genesis-file=genesis.json', '--to=node'], cwd)
  const file = at('bft', 'ibft1-chain', 'blocks.bin')
  assert.match(
    run(['--config-file=config.toml', 'blocks', 'import', file], join(cwd, 'node')),
    /Imported 100 blocks|block 100/,
  )
})
