import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { isSoleListener } from '#platform/process/port-listener.ts'
import { identityText, startOf } from '#platform/process/process-identity.ts'
import { endpointOf } from './endpoint.ts'
import { type FleetNode, nodeNamed } from './network-directory.ts'
import { pidOf, pidsOf, setProgram, signalProcess, startProcess, untilEnded } from './node-process.ts'

const LEVEL = pathToFileURL(join(import.meta.dirname, '../../node_modules/classic-level/index.js')).href
/** Opens the database like a node, reports it, and ends at SIGTERM. */
const HOLDER = `
  const { ClassicLevel } = (await import(${JSON.stringify(LEVEL)})).default
  await new ClassicLevel(process.env.DATABASE).open()
  console.log('open')
  setInterval(() => {}, 1000)`

function makeNode(context: TestContext, config = ''): FleetNode {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-process-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'validator-1', 'data'), { recursive: true })
  writeFileSync(join(folder, 'validator-1', 'config.toml'), `data-path = "data"\n${config}`)
  return nodeNamed(folder, 'validator-1')
}

async function openDatabase(context: TestContext, node: FleetNode): Promise<ChildProcess> {
  const DATABASE = join(node.directory, 'data', 'database')
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER], {
    env: { ...process.env, DATABASE },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

function idle(context: TestContext, ...words: string[]): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '--', ...words])
  context.after(() => child.kill('SIGKILL'))
  return child
}

test('a node started by hand is found and stopped like the others', async (context) => {
  const node = makeNode(context)
  assert.equal(pidOf(node), undefined)
  const child = await openDatabase(context, node)
  assert.equal(pidOf(node), child.pid)
  assert.equal(startProcess(node), false, 'a second one is not started')
  const ended = once(child, 'exit')
  signalProcess(node, 'SIGTERM')
  assert.deepEqual(await untilEnded([node], 20_000), [])
  await ended
})

test('the process with the database counts, even if the pid file names another', async (context) => {
  const node = makeNode(context)
  const holder = await openDatabase(context, node)
  writeFileSync(node.pidFile, '4194303\nstart:1\n')
  assert.deepEqual(pidsOf(node), [holder.pid])
  const starting = idle(context, `--config-file=${node.configFile}`)
  writeFileSync(node.pidFile, identityText(starting.pid!))
  assert.deepEqual(pidsOf(node), [holder.pid, starting.pid])
  signalProcess(node, 'SIGKILL')
  assert.deepEqual(await untilEnded([node], 20_000), [])
})

test("a program that later got a node's process id is not the node", (context) => {
  const node = makeNode(context)
  const stranger = idle(context, `--config-file=${node.configFile}`)
  writeFileSync(node.pidFile, `${stranger.pid}\nstart:${Number(startOf(stranger.pid!)) - 1}\n`)
  assert.deepEqual(pidsOf(node), [])
  const other = idle(context, `--config-file=${node.configFile}.bak`)
  for (const text of [String(other.pid), identityText(other.pid!)]) {
    writeFileSync(node.pidFile, text)
    assert.deepEqual(pidsOf(node), [])
  }
  // The format of an earlier version.
  writeFileSync(node.pidFile, String(stranger.pid))
  assert.deepEqual(pidsOf(node), [stranger.pid])
})

test('a pid file with other content names no process', (context) => {
  const node = makeNode(context)
  for (const text of ['', '-1', '0', '1 2', `${process.pid}\nstart:1\nmore`, 'x'.repeat(1_000)]) {
    writeFileSync(node.pidFile, text)
    assert.deepEqual(pidsOf(node), [], JSON.stringify(text))
  }
})

test('only one of several concurrent commands starts a node', async (context) => {
  const node = makeNode(context)
  const program = join(node.directory, 'program.cjs')
  writeFileSync(program, 'setInterval(() => {}, 1000)')
  setProgram(node, program)
  const script = `
    const { startProcess } = await import(process.argv[1])
    while (Date.now() < Number(process.argv[3])) {}
    console.log(startProcess(JSON.parse(process.argv[2])))`
  const module = new URL('./node-process.ts', import.meta.url).href
  const args = ['--input-type=module', '-e', script, module, JSON.stringify(node), String(Date.now() + 1_500)]
  const said = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      return String((await once(child.stdout, 'data'))[0]).trim()
    }),
  )
  const pids = pidsOf(node)
  const named = readFileSync(node.pidFile, 'utf8')
  const text = identityText(pids[0]!)
  signalProcess(node, 'SIGKILL')
  await untilEnded([node])
  assert.deepEqual(said.toSorted(), ['false', 'false', 'false', 'false', 'true'])
  assert.equal(pids.length, 1)
  assert.equal(named, text)
  assert.ok(!existsSync(node.startingFile))
})

test("the password is only for the node's process, and every listener must be that process", async (context) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => void server.close())
  const { port } = server.address() as { port: number }
  const node = makeNode(
    context,
    `rpc-http-enabled = true\nrpc-http-port = ${port}\nrpc-http-authentication-enabled = true\n`,
  )
  writeFileSync(join(node.directory, '..', 'operator.password'), 'secret')
  const { login } = endpointOf(node)
  assert.throws(() => login!.requireOwner(), /The password was not sent to 127\.0\.0\.1:\d+/)
  const child = idle(context, `--config-file=${node.configFile}`)
  writeFileSync(node.pidFile, identityText(child.pid!))
  assert.throws(() => login!.requireOwner(), /validator-1 does not listen there/)
  assert.equal(isSoleListener(child.pid!, '127.0.0.1', port), false)
  assert.equal(isSoleListener(process.pid, '127.0.0.1', port), true)
  assert.equal(isSoleListener(process.pid, '0.0.0.0', port), true)
  assert.equal(isSoleListener(process.pid, 'localhost', port), true)
  assert.equal(isSoleListener(process.pid, '127.0.0.2', port), false)
})

test('a stranger at another address of the host name is enough to withhold the password', async (context) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => void server.close())
  const { port } = server.address() as { port: number }
  const script = `require('node:net').createServer().listen(${port}, '127.0.0.2', () => console.log('up'))`
  const stranger = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  context.after(() => stranger.kill('SIGKILL'))
  await once(stranger.stdout, 'data')
  assert.equal(isSoleListener(process.pid, 'localhost', port), false)
  assert.equal(isSoleListener(process.pid, '127.0.0.1', port), true)
})
