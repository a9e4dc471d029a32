import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { listen } from './listen.ts'
import { probePorts } from './probe-port.ts'

const PLACE = { host: '127.0.0.1', port: 0, hostOption: '--host', portOption: '--port' }

test('ports that are probed together differ, and are free afterwards', async (context) => {
  const ports = await probePorts(Array.from({ length: 20 }, () => PLACE))
  assert.equal(new Set(ports).size, 20)
  const server = createServer()
  context.after(() => server.close())
  assert.equal(await listen(server, { ...PLACE, port: ports[0]! }, () => undefined), ports[0])
})

test('one port for two services is refused, and no probe stays open', async () => {
  const [port] = await probePorts([PLACE])
  const twice = { ...PLACE, port: port! }
  await assert.rejects(probePorts([PLACE, twice, twice]), { kind: 'ADDRESS_IN_USE' })
  assert.deepEqual(await probePorts([twice]), [port])
})
