import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
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
import { after, before, suite, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { call, GENESIS_TEXT, makeBlocks, SOMEBODY } from '#chain/chain.fixture.ts'
import { installPrograms } from '../../../../scripts/python-programs.ts'
import { type Lockfile, readLockfile, SHRINKWRAP, shrinkwrapOf } from '../../../../scripts/shrinkwrap.ts'
import { CHECKOUT } from '../../../support/copy-checkout.ts'
import { freePort } from '../../../support/free-port.ts'
import { withoutHardhat } from '../../../support/hardhat-program.ts'
import { temporaryDirectory } from '../../../support/program.ts'
import { linkPackage, linkRecipePackage } from '../../../support/recipe-packages.ts'
import { withoutPrometheus } from '../prometheus.ts'

/** True if packages come from the registry, as for a developer, instead of folders that the gate filled before. */
const INSTALLS = process.env.CAIRN_RECIPES === 'install'
/** The steps wait for the node in a loop. From nothing to a green test, a developer needs at most five minutes. */
const STEPS_MAX_MS = INSTALLS ? 300_000 : 120_000

/** The first block of the README installs the package. */
const [install, ...steps] = shellBlocks('README.md')

const TARBALL = /\.\/(\S+\.tgz)/.exec(install!)![1]!

const INSTALL_LINES = /^(?:npm install|python3 -m venv|venv\/bin\/pip install) (.*)\n/gm

/** Installs the dependencies of a project that `npm create cairn` made. */
const INSTALL_PROJECT = /^npm install\n/m

const folder = mkdtempSync(join(tmpdir(), 'cairn-tarball-'))

before(() => {
  execFileSync('npm', ['pack', `--pack-destination=${folder}`], { cwd: CHECKOUT, stdio: 'ignore' })
  execFileSync('bash', ['-euc', install!], { cwd: folder, stdio: 'ignore' })
  const packed = execFileSync('npm', ['pack', '--silent', join(CHECKOUT, 'create')], {
    cwd: folder,
    encoding: 'utf8',
  })
  execFileSync('tar', ['-xzf', packed.trim()], { cwd: folder })
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** An empty directory in which the package is installed. */
function installedDirectory(context: TestContext): string {
  const cwd = temporaryDirectory(context)
  linkPackage(cwd, join(folder, 'node_modules', 'cairn-node'))
  return cwd
}

/** A directory in which the packages of a page are installed, and the steps of the page that remain. */
function preparePage(context: TestContext, steps: string): { readonly cwd: string; readonly steps: string } {
  const cwd = INSTALLS ? temporaryDirectory(context) : installedDirectory(context)
  // npm prefers an installed create-cairn to the registry's.
  if (INSTALL_PROJECT.test(steps)) linkPackage(cwd, join(folder, 'package'))
  if (INSTALLS) {
    cpSync(join(folder, TARBALL), join(cwd, TARBALL))
    const own = `npm install ./${TARBALL}`
    const literal = steps.replaceAll('npm install cairn-node', own)
    if (!INSTALL_PROJECT.test(steps)) return { cwd, steps: `${own}\n${literal}` }
    return { cwd, steps: literal.replace(INSTALL_PROJECT, `npm install ../${TARBALL}\n`) }
  }
  writeFileSync(join(cwd, 'package.json'), '{}')
  for (const [line, packages] of steps.matchAll(INSTALL_LINES)) {
    const wanted = packages!.split(' ').filter((name) => name !== 'cairn-node')
    if (line.startsWith('npm')) for (const name of wanted) linkRecipePackage(cwd, name)
    if (line.includes('pip')) symlinkSync(dirname(installPrograms(wanted)), join(cwd, 'venv'))
  }
  // The project is a folder of this directory, so Node and npm find the packages here.
  if (INSTALL_PROJECT.test(steps)) {
    for (const name of ['solc', 'viem']) linkPackage(cwd, join(CHECKOUT, 'node_modules', name))
  }
  return { cwd, steps: steps.replaceAll(INSTALL_LINES, '').replace(INSTALL_PROJECT, '') }
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
  'build/new-project.md': [/ℹ pass 3\nℹ fail 0/, /validator-4: Counter at 0x\w{40} in block \d+, limit 10/],
  'build/wagmi.md': [/Tests .*1 passed/],
  'build/testing.md': [
    /ℹ pass 3\nℹ fail 0/,
    /continues without a killed validator/,
    /Test Files .*1 passed/,
    /Test Files .*2 passed/,
  ],
}

/** Pages that continue docs/start/first-contract.md after its compiled contract, before its chain stops. */
const ON_ITS_CHAIN: Record<string, readonly RegExp[]> = {
  'build/ethers.md': [/included in block 1/, /count 1n/],
  'build/foundry.md': [
    /^1337$/m,
    /(?:1 passed; 0 failed[\s\S]*){2}/,
    /ONCHAIN EXECUTION COMPLETE & SUCCESSFUL/,
    /^1$/m,
    /Transaction successfully executed/,
    /"type":"CALL"/,
  ],
  'build/hardhat.md': [/1 passing/, /deployed at 0x/, /CounterModule#Counter - 0x/],
  'build/viem.md': [/included in block 1/, /balance 0n/],
  'build/web3-py.md': [/block 2 count 1/],
}

for (const [page, expected] of Object.entries(RUNNABLE)) {
  test(`the steps of docs/${page} run as they are`, (context) =>
    runPage(context, shellBlocks(join('docs', page)), expected))
}

// These use no known port.
suite('pages that continue the first contract', { concurrency: 2 }, () => {
  const [packages, chain, contract, , stop] = shellBlocks('docs/start/first-contract.md')
  for (const [page, expected] of Object.entries(ON_ITS_CHAIN)) {
    const skip = page === 'build/hardhat.md' ? withoutHardhat() : undefined
    test(`the steps of docs/${page} run as they are`, { skip }, (context) =>
      runPage(context, [packages!, chain!, contract!, ...shellBlocks(join('docs', page)), stop!], expected),
    )
  }
})

async function runPage(context: TestContext, blocks: readonly string[], expected: readonly RegExp[]) {
  const { cwd, steps } = preparePage(context, blocks.join('\n'))
  const startMs = Date.now()
  const output = await runSteps([steps], asScript, cwd)
  context.diagnostic(`${((Date.now() - startMs) / 1_000).toFixed(0)} s`)
  for (const pattern of expected) assert.match(output, pattern)
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
  run: (text: string, cwd: string, env: NodeJS.ProcessEnv) => Promise<string>,
  cwd: string,
): Promise<string> {
  const port = await freePort()
  const text = blocks.join('\n').replaceAll('localhost:8545', `localhost:${port}`)
  const ports = {
    CAIRN_RPC_HTTP_PORT: String(port),
    CAIRN_RPC_WS_PORT: String(await freePort()),
    CAIRN_CONSOLE_PORT: String(await freePort()),
  }
  // With the variable, `node --test` of a page would report to this run, and run nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const output = await run(text, cwd, { ...env, ...ports })
  for (const log of readdirSync(cwd).filter((name) => name.endsWith('.log'))) {
    assert.match(readFileSync(join(cwd, log), 'utf8'), /Cairn has stopped/, log)
  }
  await assert.rejects(fetch(`http://localhost:${port}/liveness`), 'no node is left')
  return output
}

async function asScript(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const script = ['-euo', 'pipefail', '-c', text]
  const { stdout } = await promisify(execFile)('bash', script, { cwd, env, timeout: STEPS_MAX_MS })
  return stdout
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

  // npm may put a package in another folder than the lockfile does, so folders are not compared.
  const nameAndBytes = ([place, { version, integrity }]: [string, Lockfile['packages'][string]]) =>
    `${place.replace(/^.*node_modules\//, '')} ${version} ${integrity}`
  const wanted = new Set(Object.entries(pinned.packages).map(nameAndBytes))
  const installed = JSON.parse(
    readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'),
  ) as Lockfile
  const below = Object.entries(installed.packages).filter(([place]) => place !== 'node_modules/cairn-node')
  assert.ok(below.length > 50, `${below.length} packages`)
  assert.deepEqual(
    below.map(nameAndBytes).filter((each) => !wanted.has(each)),
    [],
  )
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
