import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { call, GENESIS_TEXT, makeBlocks, SOMEBODY } from '#chain/chain.fixture.ts'
import { type Lockfile, readLockfile, SHRINKWRAP, shrinkwrapOf } from '../../../scripts/shrinkwrap.ts'
import { CHECKOUT } from '../../copy-checkout.ts'
import { freePort } from '../../free-port.ts'
import { temporaryDirectory } from '../program.ts'

/** The steps wait for the node in a loop, as a newcomer would. */
const STEPS_MAX_MS = 120_000

const [install, ...steps] = readmeSteps()
const folder = mkdtempSync(join(tmpdir(), 'cairn-tarball-'))

before(() => {
  execFileSync('npm', ['pack', `--pack-destination=${folder}`], { cwd: CHECKOUT, stdio: 'ignore' })
  execFileSync('bash', ['-euc', install!], { cwd: folder, stdio: 'ignore' })
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** An empty directory in which the package is installed. */
function installedDirectory(context: TestContext): string {
  const cwd = temporaryDirectory(context)
  symlinkSync(join(folder, 'node_modules'), join(cwd, 'node_modules'))
  return cwd
}

test('the README runs literally, as a script and at a terminal, and leaves no node behind', async (context) => {
  for (const run of [asScript, atTerminal]) {
    const cwd = installedDirectory(context)
    // Another port than the default one, which may be somebody else's on this machine.
    const port = await freePort()
    const text = steps.join('\n').replaceAll('localhost:8545', `localhost:${port}`)
    const ports = { CAIRN_RPC_HTTP_PORT: String(port), CAIRN_RPC_WS_PORT: String(await freePort()) }
    const output = await run(text, cwd, { ...process.env, ...ports })
    assert.match(output, /Account 0xfe3b\w+ .*private key 0x8f2a/)
    assert.match(output, /"blockNumber":"0x1".*"status":"0x1"/)
    assert.match(output, /is a valid genesis file/)
    for (const result of ['0x[1-9a-f]', '1337', '0xad78ebc5ac6200000', '0x5208']) {
      assert.match(output, new RegExp(`{"jsonrpc":"2.0","id":1,"result":"${result}`), output)
    }
    assert.equal(readdirSync(join(cwd, 'four', 'keys')).length, 4)
    assert.match(output, /Imported \d+ blocks/)
    assert.match(output, /TOML config file is valid/)
    for (const log of ['dev.log', 'cairn.log', 'guarded.log']) {
      assert.match(readFileSync(join(cwd, log), 'utf8'), /Cairn has stopped/, log)
    }
    await assert.rejects(fetch(`http://localhost:${port}/liveness`), 'no node is left')
  }
})

function asScript(text: string, cwd: string, env: NodeJS.ProcessEnv): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', text], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: STEPS_MAX_MS,
  })
}

/** As somebody who pastes it: with job control, prompts and echo. */
async function atTerminal(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const shell = ['--quiet', '--return', '--command', 'bash --norc --noprofile -i', '/dev/null']
  const terminal = spawn('script', shell, { cwd, env, timeout: STEPS_MAX_MS })
  terminal.stdin.end(`${text}\nexit\n`)
  let screen = ''
  for await (const chunk of terminal.stdout) screen += chunk
  return screen
}

test('the package has the documents that its README links to, and no tests', () => {
  const root = join(folder, 'node_modules', 'cairn-node')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.startsWith('node_modules'),
  )
  assert.equal(files.includes('src'), false)
  assert.deepEqual(
    files.filter((file) => /\.(test|fixture)\./.test(file)),
    [],
  )
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/adr/'))
  assert.ok(pages.includes('docs/cli.md') && pages.includes('docs/authentication.md'))
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(link!)) continue
      assert.ok(existsSync(join(root, dirname(page), link!)), `${page} links to ${link}`)
    }
  }
})

test('an installation has the packages of the lockfile below it, and no other', () => {
  assert.equal(existsSync(join(CHECKOUT, SHRINKWRAP)), false, 'it stands in the checkout while packing only')
  const pinned = JSON.parse(
    readFileSync(join(folder, 'node_modules', 'cairn-node', SHRINKWRAP), 'utf8'),
  ) as Lockfile
  assert.deepEqual(pinned, shrinkwrapOf(readLockfile()))

  const wanted = readLockfile().packages
  const installed = JSON.parse(
    readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'),
  ) as Lockfile
  const below = Object.entries(installed.packages).filter(([place]) => place !== 'node_modules/cairn-node')
  assert.ok(below.length > 50, `${below.length} packages`)
  for (const [place, { version, integrity }] of below) {
    const { version: wantedVersion, integrity: wantedIntegrity } =
      wanted[place.replace(/^node_modules\/cairn-node\/(?=node_modules\/)/, '')] ?? {}
    assert.deepEqual([place, version, integrity], [place, wantedVersion, wantedIntegrity])
  }
  assert.ok(!below.some(([place]) => place.endsWith('/elliptic')))
})

test('a program starts a node from the tarball, gives it a block and reads it', async (context) => {
  const cwd = installedDirectory(context)
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

/** The shell blocks of the README, as a newcomer would copy them; the first one installs. */
function readmeSteps(): string[] {
  const readme = readFileSync(join(CHECKOUT, 'README.md'), 'utf8')
  return [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
}
