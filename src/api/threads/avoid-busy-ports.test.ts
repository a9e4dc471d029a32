import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { Option } from '#config/option.ts'
import { consoleOptions } from '#console/options.ts'
import { listen } from '#serve/listen.ts'
import { avoidBusyPorts } from './avoid-busy-ports.ts'

const OPTIONS = { hostOption: '--console-host', portOption: '--console-port' }

test('a development chain leaves busy default ports of WebSocket and the console, and reports it', async (context) => {
  const server = createServer()
  const port = await listen(server, { host: '127.0.0.1', port: 0, ...OPTIONS }, () => undefined)
  context.after(() => server.close())
  const place = { host: '127.0.0.1', port }
  const chain = { devKeys: [], http: place, websocket: place, pipeline: place }
  const portsOf = async (
    config: typeof chain | (Omit<typeof chain, 'devKeys'> & { devKeys: undefined }),
    given?: Option,
  ) => {
    const busy: string[] = []
    const { http, websocket, pipeline } = await avoidBusyPorts(
      config,
      { isGiven: (option) => option === given },
      (service) => busy.push(service),
    )
    return { ports: [http.port, websocket.port, pipeline.port], busy }
  }
  assert.deepEqual(await portsOf(chain), { ports: [port, 0, 0], busy: ['WebSocket', 'console'] })
  assert.deepEqual(await portsOf(chain, consoleOptions.port), { ports: [port, 0, port], busy: ['WebSocket'] })
  assert.deepEqual(await portsOf({ ...chain, devKeys: undefined }), { ports: [port, port, port], busy: [] })
})
