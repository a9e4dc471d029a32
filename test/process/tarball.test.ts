import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, GENESIS_TEXT, makeBlocks, SOMEBODY } from '#chain/chain.fixture.ts'
import { type Lockfile, readLockfile, SHRINKWRAP, shrinkwrapOf } from '../../scripts/shrinkwrap.ts'
import { freePort } from '../free-port.ts'
import { CHECKOUT, cairn, temporaryDirectory } from './program.ts'

/** The steps wait for the node in a loop, as a newcomer would. */
const STEPS_MAX_MS = 120_000

test('the README steps work from the tarball in an empty directory', async (context) => {
  const cwd = temporaryDirectory(context)
  const tarball = pack(temporaryDirectory(context))
  execFileSync('npm', ['init', '--yes'], { cwd, stdio: 'ignore' })
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd, stdio: 'ignore' })
  const program = join(cwd, 'node_modules', 'cairn-node', 'bin', 'cairn')
  assert.equal(existsSync(join(cwd, 'node_modules', 'cairn-node', 'src')), false)

  // Another port than the default one, which may be somebody else's on this machine.
  const port = await freePort()
  const script = readmeSteps()
    .join('\n')
    .replaceAll('npx cairn', `"${process.execPath}" "${program}"`)
    .replaceAll('localhost:8545', `localhost:${port}`)
  const env = { ...process.env, CAIRN_RPC_HTTP_PORT: String(port) }
  const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: STEPS_MAX_MS,
  })
  assert.match(output, /is a valid genesis file/)
  for (const result of ['1337', '0xad78ebc5ac6200000', '0x5208']) {
    assert.match(output, new RegExp(`{"jsonrpc":"2.0","id":1,"result":"${result}"}`))
  }
  assert.equal(existsSync(join(cwd, 'network', 'genesis.json')), true)
  assert.equal(cairn(['--version'], { cwd, program }).stdout, cairn(['--version']).stdout)
})

test('an installation has the packages of the lockfile below it, and no other', (context) => {
  const cwd = temporaryDirectory(context)
  const tarball = pack(temporaryDirectory(context))
  assert.equal(existsSync(join(CHECKOUT, SHRINKWRAP)), false, 'it stands in the checkout while packing only')
  execFileSync('npm', ['init', '--yes'], { cwd, stdio: 'ignore' })
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd, stdio: 'ignore' })
  const pinned = JSON.parse(
    readFileSync(join(cwd, 'node_modules', 'cairn-node', SHRINKWRAP), 'utf8'),
  ) as Lockfile
  assert.deepEqual(pinned, shrinkwrapOf(readLockfile()))

  const wanted = readLockfile().packages
  const installed = JSON.parse(
    readFileSync(join(cwd, 'node_modules', '.package-lock.json'), 'utf8'),
  ) as Lockfile
  const below = Object.entries(installed.packages).filter(([place]) => place !== 'node_modules/cairn-node')
  assert.ok(below.length > 50, `${below.length} packages`)
  for (const [place, { version, integrity }] of below) {
    const { version: wantedVersion, integrity: wantedIntegrity } =
      wanted[place.replace(/^node_modules\/cairn-node\/(?=node_modules\/)/, '')] ?? {}
    assert.deepEqual([place, version, integrity], [place, wantedVersion, wantedIntegrity])
  }
})

test('a program starts a node from the tarball, gives it a block and reads it', async (context) => {
  const cwd = temporaryDirectory(context)
  const tarball = pack(temporaryDirectory(context))
  execFileSync('npm', ['init', '--yes'], { cwd, stdio: 'ignore' })
  execFileSync('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd, stdio: 'ignore' })
  const [block] = await makeBlocks([call(0)])
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  writeFileSync(join(cwd, 'block-1.rlp'), block!)
  writeFileSync(join(cwd, 'program.mjs'), PROGRAM_AROUND)
  const output = execFileSync(process.execPath, ['program.mjs'], { cwd, encoding: 'utf8' })
  assert.deepEqual(JSON.parse(output), {
    before: '0x0',
    status: 'imported',
    after: '0x1',
    balance: '0x5',
    http: '0x1',
    unwound: '0x0',
    error: -32601,
  })
})

const PROGRAM_AROUND = `
import { readFileSync } from 'node:fs'
import { createNode } from 'cairn-node'

const node = await createNode({
  genesis: readFileSync('genesis.json', 'utf8'),
  options: { 'rpc-http-enabled': true, 'rpc-http-port': 0, 'rpc-http-api': ['ETH', 'NET'] },
})
const ask = (method, ...params) => node.provider.request({ method, params })
const before = await ask('eth_blockNumber')
const { status } = await node.importBlock(readFileSync('block-1.rlp'), 'none')
const after = await ask('eth_blockNumber')
const balance = await ask('eth_getBalance', '${SOMEBODY}', 'latest')
const response = await fetch('http://127.0.0.1:' + node.http.port, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}',
})
const { result: http } = await response.json()
await node.unwind(0)
const unwound = await ask('eth_blockNumber')
const { code: error } = await ask('eth_nonsense').catch((thrown) => thrown)
await node.stop()
console.log(JSON.stringify({ before, status, after, balance, http, unwound, error }))
`

function pack(destination: string): string {
  execFileSync('npm', ['pack', `--pack-destination=${destination}`], { cwd: CHECKOUT, stdio: 'ignore' })
  const [name] = readdirSync(destination)
  return join(destination, name!)
}

/** The shell blocks of the README's first section after the installation, as a newcomer would copy them. */
function readmeSteps(): string[] {
  const readme = readFileSync(join(CHECKOUT, 'README.md'), 'utf8')
  const start = readme.slice(readme.indexOf('## A network in minutes'), readme.indexOf('## Where to read on'))
  return [...start.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block]) => block!)
    .filter((block) => !block.includes('npm install'))
}
