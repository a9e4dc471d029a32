import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { METHODS } from '#api/methods.generated.ts'
import { embedNode } from '#node/create-node.ts'
import { watchMachine } from '../../../support/busy-machine.ts'
import { temporaryDirectory } from '../../../support/program.ts'
import type { ClientOrder, MeasuredMethod } from './main-turns-client.ts'

/** CPU time: no client input may occupy the main thread longer. */
const TURN_MAX_MS = 5
/**
 * The test fails above these limits: a slow machine needs twice the time, and on a busy machine CPU time includes some time
 * of other programs.
 */
const SLOW_MAX_MS = 10
const BUSY_MAX_MS = 50
/** The main thread sleeps this long between turns: the system adds up CPU time when a thread stops. */
const PAUSE_MS = 0.2
/** A list that methods can change and that grows no further. */
const ACCOUNTS = 5_000
const NODES = 1_200

const PLUGIN = `import { definePlugin } from 'cairn-node/plugin'
export default definePlugin({ name: 'echo', version: '1', methods: { take: { summary: 's', params: { what: 'json' }, run: () => true } } })`

test('no method occupies the main thread, whatever a client sends', { timeout: 240_000 }, async (t) => {
  const dataPath = temporaryDirectory(t)
  const permissions = join(dataPath, 'permissions.toml')
  writeFileSync(permissions, permissionsText())
  mkdirSync(join(dataPath, 'plugins'))
  writeFileSync(join(dataPath, 'plugins', 'echo.ts'), PLUGIN)
  // rpc_modules belongs to every API.
  const apis = new Set(METHODS.map(({ name }) => name.split(/[_.]/)[0]!.toUpperCase()))
  apis.delete('RPC')
  // The node's main thread is this thread.
  const node = await embedNode({
    dataPath,
    options: {
      network: 'dev',
      logging: 'OFF',
      'rpc-http-port': 0,
      // By default, main serves the development network.
      'rpc-threads': 1,
      'rpc-ws-enabled': false,
      'rpc-http-api': [...apis, 'ECHO'].join(),
      'p2p-enabled': true,
      'p2p-port': 0,
      'p2p-host': '127.0.0.1',
      'discovery-enabled': false,
      'permissions-accounts-config-file-enabled': true,
      'permissions-accounts-config-file': permissions,
      'permissions-nodes-config-file-enabled': true,
      'permissions-nodes-config-file': permissions,
    },
  })
  t.after(() => node.stop())
  const meter = new Float64Array(new SharedArrayBuffer(8))
  const stop = measureTurns(meter)
  t.after(stop)
  const machine = watchMachine()
  const rows = await runClient({ port: node.http!.port, meter })
  for (const { method, inputs, cpuMs, worst, answer } of rows) {
    t.diagnostic(`${method}: ${inputs} inputs, longest turn ${cpuMs.toFixed(1)} ms (${worst}): ${answer}`)
  }
  // The plugin method is one more.
  assert.equal(rows.length, METHODS.length + 1)
  const longer = (ms: number) => rows.filter(({ cpuMs }) => cpuMs > ms).map(({ method }) => method)
  t.diagnostic(`longer than ${TURN_MAX_MS} ms: ${longer(TURN_MAX_MS).join(', ') || 'no method'}`)
  const most = machine.isBusy(t) ? BUSY_MAX_MS : SLOW_MAX_MS
  assert.deepEqual(longer(most), [], `longer than ${most} ms`)
})

function permissionsText(): string {
  const account = (number: number) => `0x${(number + 2 ** 40).toString(16).padStart(40, '0')}`
  const node = (number: number) =>
    `enode://${(number + 2 ** 40).toString(16).padStart(128, '0')}@192.168.${number >> 8}.${number & 255}:30303`
  const listOf = (count: number, entry: (number: number) => string) =>
    JSON.stringify(Array.from({ length: count }, (_, number) => entry(number)))
  return `accounts-allowlist=${listOf(ACCOUNTS, account)}\nnodes-allowlist=${listOf(NODES, node)}\n`
}

/** Measures the CPU time of every turn of this thread's event loop. */
function measureTurns(meter: Float64Array): () => void {
  const never = new Int32Array(new SharedArrayBuffer(4))
  const cpuMs = (): number => {
    Atomics.wait(never, 0, 0, PAUSE_MS)
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let last = cpuMs()
  let next: NodeJS.Immediate
  const turn = (): void => {
    const ended = cpuMs()
    meter[0] = Math.max(meter[0]!, ended - last)
    last = ended
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  return () => clearImmediate(next)
}

function runClient(order: ClientOrder): Promise<readonly MeasuredMethod[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly MeasuredMethod[]>()
  const rows: MeasuredMethod[] = []
  const worker = new Worker(new URL('./main-turns-client.ts', import.meta.url), { workerData: order })
  worker.on('message', (message: MeasuredMethod | 'done') => {
    if (message === 'done') resolve(rows)
    else rows.push(message)
  })
  worker.on('error', reject)
  return promise
}
