import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock as clock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import type { ServerConfig } from './server-config.ts'
import type { MainPorts, ServerThread } from './server-thread.ts'
import { superviseServer } from './supervised-server.ts'

const CONFIG: ServerConfig = {
  clientVersion: 'cairn/test',
  networkId: 1n,
  log: { level: 'OFF', format: 'JSON', colour: false },
  metricsPrefix: '',
  hostAllowlist: ['*'],
  prettyPrint: false,
  http: {
    host: '127.0.0.1',
    port: 0,
    apis: ['WEB3'],
    maxConnections: 10,
    timeoutMs: 10_000,
    authentication: { mode: 'off' },
    tls: null,
    maxBatchSize: 10,
    maxBodyBytes: 1_000,
    streamingTimeoutMs: 10_000,
    corsOrigins: [],
  },
  websocket: null,
}

const PORTS: MainPorts = {
  admitLogin: () => assert.fail(),
  services: () => ({}),
  isListening: () => false,
  health: () => ({ peers: 0, blocksBehind: null }),
  setLogLevel: async () => undefined,
}

test('a server thread that ends before its time is replaced on the same port, and said so', async () => {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'INFO', fd: 2, format: 'JSON', clock, destination })
  const started: ServerThread[] = []
  let onStarted = (_thread: ServerThread): void => undefined
  const server = await superviseServer('server-0', CONFIG, PORTS, {
    clock,
    log,
    restartPauseMs: 0,
    onStarted: (thread) => {
      started.push(thread)
      onStarted(thread)
    },
  })
  const call = async (): Promise<string> => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}'
    const response = await fetch(`http://127.0.0.1:${server.addresses.http?.port}`, { method: 'POST', body })
    return response.text()
  }
  assert.match(await call(), /cairn\/test/)

  const replaced = new Promise<ServerThread>((resolve) => {
    onStarted = resolve
  })
  await server.thread().terminate('it used too much memory')
  assert.equal(await replaced, server.thread())
  assert.match(await call(), /cairn\/test/)
  assert.equal(lines.filter((line) => line.includes('another takes its place')).length, 1)

  await server.stop(5_000)
  assert.equal(started.length, 2)
})
