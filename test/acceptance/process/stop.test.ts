import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { freePort } from '../../support/free-port.ts'
import { PROGRAM, temporaryDirectory } from '../../support/program.ts'

const SOON_MS = 15_000

/** Starts a node, sends SIGTERM once it has printed `line`, and requires a clean stop. */
async function stopAt(t: TestContext, line: string, options: readonly string[] = []): Promise<void> {
  const cwd = temporaryDirectory(t)
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  const network = ['--data-path=data', '--genesis-file=genesis.json', '--p2p-port=0']
  const servers = ['--rpc-http-enabled', '--rpc-http-port=0', '--metrics-enabled', '--metrics-port=0']
  const child = spawn(process.execPath, [PROGRAM, ...network, ...servers, ...options], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  let toldMs: number | undefined
  child.stderr.on('data', (text: Buffer) => {
    output += text
    if (toldMs !== undefined || !output.includes(line)) return
    toldMs = performance.now()
    child.kill('SIGTERM')
  })
  const [code, signal] = await once(child, 'close')
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, output)
  assert.match(output, /"SIGTERM"},"msg":"Received signal[\s\S]*Cairn has stopped/)
  assert.doesNotMatch(output, /"level":"(ERROR|FATAL)"/)
  assert.ok(performance.now() - toldMs! < SOON_MS, output)
}

for (const line of ['Starting', 'Opened chain', 'Metrics service started', 'JSON-RPC service started']) {
  test(
    `a signal at "${line}", while the node is still starting, stops it in order`,
    {
      timeout: 120_000,
    },
    (t) => stopAt(t, line),
  )
}

test('a node that waits for its signer stops on request', { timeout: 120_000 }, async (t) =>
  stopAt(t, 'waiting for it', [`--node-signer-url=http://127.0.0.1:${await freePort()}`]),
)
