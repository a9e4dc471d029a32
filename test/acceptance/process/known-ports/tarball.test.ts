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
import { type Lockfile, readLockfile, SHRINKWRAP, shrinkwrapOf } from '../../../../scripts/shrinkwrap.ts'
import { CHECKOUT } from '../../../support/copy-checkout.ts'
import { freePort } from '../../../support/free-port.ts'
import { temporaryDirectory } from '../../../support/program.ts'
import { withoutPrometheus } from '../prometheus.ts'

/** The steps wait for the node in a loop. */
const STEPS_MAX_MS = 120_000

/** The first block of the README installs the package. */
const [install, ...steps] = shellBlocks('README.md')

/** Packages that a page installs, here taken from the checkout instead of the registry. */
const CLIENTS = ['solc', 'viem']

const folder = mkdtempSync(join(tmpdir(), 'cairn-tarball-'))

before(() => {
  execFileSync('npm', ['pack', `--pack-destination=${folder}`], { cwd: CHECKOUT, stdio: 'ignore' })
  execFileSync('bash', ['-euc', install!], { cwd: folder, stdio: 'ignore' })
  for (const name of CLIENTS) {
    symlinkSync(join(CHECKOUT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  symlinkSync('../solc/solc.js', join(folder, 'node_modules', '.bin', 'solcjs'))
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
    const output = await runSteps(steps, run, installedDirectory(context))
    assert.match(output, /"address":"0xfe3b\w+".*"privateKey":"0x8f2a/)
    assert.match(output, /"blockNumber":"0x1".*"status":"0x1"/)
  }
})

/** Pages whose `sh` blocks run unchanged, and their expected output. Blocks marked `bash` are only shown. */
const RUNNABLE: Record<string, readonly RegExp[]> = {
  'start/dev-chain.md': [
    /"address":"0xfe3b\w+".*"privateKey":"0x8f2a/,
    /"blockNumber":"0x1".*"status":"0x1"/,
  ],
  'start/first-contract.md': [/deployed at 0x42699a7612a82f1d9c36148af9c77354759b210b/, /count is 1n/],
  'start/first-network.md': [/validator-4 +running/, /validator-2 +stopped/],
  'start/validators-by-hand.md': [
    /is a valid genesis file/,
    ...['0x[1-9a-f]', '0xad78ebc5ac6200000', '0x5208'].map((result) => new RegExp(`"result":"${result}`)),
    /^(0x\w{40}\n){4}/m,
  ],
  'start/users-and-tokens.md': [/"result":"1337"/, /401$/m],
  'start/import-a-chain.md': [/Imported [1-9]\d* blocks/],
  'operate/configuration.md': [/TOML config file is valid/],
}

for (const [page, expected] of Object.entries(RUNNABLE)) {
  test(`the steps of docs/${page} run as they are`, async (context) => {
    const output = await runSteps(shellBlocks(join('docs', page)), asScript, installedDirectory(context))
    for (const pattern of expected) assert.match(output, pattern)
  })
}

test('Prometheus watches a new network with the shipped files, as docs/operate/monitoring.md says', {
  skip: withoutPrometheus() ?? false,
}, async (context) => {
  const steps = [
    'npx cairn network new',
    'npx cairn network up --detach',
    ...shellBlocks('docs/operate/monitoring.md'),
    'npx cairn network down',
  ]
  const output = await runSteps(steps, asScript, installedDirectory(context))
  assert.match(output, /"instance":"validator-4","job":"cairn"/)
})

test('every tutorial runs', () => {
  const tutorials = readdirSync(join(CHECKOUT, 'docs', 'start')).map((name) => `start/${name}`)
  assert.deepEqual(
    tutorials.filter((page) => page !== 'start/install.md' && RUNNABLE[page] === undefined),
    [],
  )
})

/** Steps use the default ports, which another program may hold; the test replaces them with free ones. */
async function runSteps(
  blocks: readonly string[],
  run: (text: string, cwd: string, env: NodeJS.ProcessEnv) => string | Promise<string>,
  cwd: string,
): Promise<string> {
  const port = await freePort()
  const text = blocks.join('\n').replaceAll('localhost:8545', `localhost:${port}`)
  const ports = { CAIRN_RPC_HTTP_PORT: String(port), CAIRN_RPC_WS_PORT: String(await freePort()) }
  const output = await run(text, cwd, { ...process.env, ...ports })
  for (const log of readdirSync(cwd).filter((name) => name.endsWith('.log'))) {
    assert.match(readFileSync(join(cwd, log), 'utf8'), /Cairn has stopped/, log)
  }
  await assert.rejects(fetch(`http://localhost:${port}/liveness`), 'no node is left')
  return output
}

function asScript(text: string, cwd: string, env: NodeJS.ProcessEnv): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', text], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: STEPS_MAX_MS,
  })
}

/** Pastes the text into a terminal, with job control, prompts and echo. */
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
  const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/internals/adr/'))
  assert.ok(pages.includes('docs/reference/cli.md') && pages.includes('docs/operate/authentication.md'))
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    for (const [, link] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(link!)) continue
      assert.ok(existsSync(join(root, dirname(page), link!)), `${page} links to ${link}`)
    }
  }
})

test('each thread of an installed node loads few chunks', () => {
  const dist = join(folder, 'node_modules', 'cairn-node', 'dist')
  const chunksFrom = (file: string, found = new Set<string>()): ReadonlySet<string> => {
    if (found.has(file)) return found
    found.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"(\.[^"]+\.js)"/g)) {
      chunksFrom(join(dirname(file), path!), found)
    }
    return found
  }
  for (const name of ['api/threads/server', 'chain/writer/writer', 'p2p/threads/peers']) {
    const { size } = chunksFrom(join(dist, `${name}-thread-entry.js`))
    assert.ok(size > 5 && size < 50, `${name}: ${size} chunks`)
  }
})

test('an installation has the packages of the lockfile below it, and no other', () => {
  assert.equal(existsSync(join(CHECKOUT, SHRINKWRAP)), false, 'the file must exist only while packing')
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

/** The shell blocks of a page. */
function shellBlocks(page: string): string[] {
  const text = readFileSync(join(CHECKOUT, page), 'utf8')
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
}
