import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { post } from '#serve/serve.fixture.ts'
import {
  fingerprint,
  hasOpenSsl,
  type MadeCertificate,
  makeCertificate,
  write,
} from '#serve/tls/tls.fixture.ts'
import type { TlsAuthorities } from '#serve/tls/tls-files.ts'
import { CALL, startHttp, startWebSocket } from './server.fixture.ts'

const needsOpenSsl = { skip: hasOpenSsl ? false : 'openssl is not on this machine' }
const UPGRADE =
  'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n'

const TRANSPORTS = {
  HTTP: { start: startHttp, message: post(CALL) },
  WebSocket: { start: startWebSocket, message: UPGRADE },
}

/** A connection that was served once and stays open. */
async function open(
  t: TestContext,
  port: number,
  client: MadeCertificate,
  message: string,
): Promise<TLSSocket> {
  const { key, certificate: cert } = client
  const socket = connect({ host: '127.0.0.1', port, key, cert, rejectUnauthorized: false })
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  socket.write(message)
  await once(socket, 'data')
  return socket
}

async function serve(
  t: TestContext,
  transport: keyof typeof TRANSPORTS,
  knownClientsFile: string | null,
  authorities: TlsAuthorities | null,
) {
  const clock = createFakeClock()
  const { keyFile, certificateFile } = makeCertificate(`removing-${transport}`)
  const { port } = await TRANSPORTS[transport].start(t, {
    clock,
    tls: {
      optionPrefix: '--rpc-http-tls',
      identity: { kind: 'pem', keyFile, certificateFile },
      clients: { knownClientsFile, authorities },
      protocols: ['TLSv1.3'],
      cipherSuites: [],
    },
  })
  return { clock, port, message: TRANSPORTS[transport].message }
}

for (const transport of ['HTTP', 'WebSocket'] as const) {
  test(
    `${transport}: a client that is removed from the known clients loses its connection`,
    needsOpenSsl,
    async (t) => {
      const [kept, removed] = [makeCertificate('kept'), makeCertificate('removed')]
      const line = (name: string, made: MadeCertificate) => `${name} ${fingerprint(made)}\n`
      const file = write(`list-${transport}`, line('kept', kept) + line('removed', removed))
      const { clock, port, message } = await serve(t, transport, file, null)
      const [staying, leaving] = [await open(t, port, kept, message), await open(t, port, removed, message)]
      write(`list-${transport}`, line('kept', kept))
      const closed = once(leaving, 'close')
      clock.advance(10_000)
      await closed
      assert.equal(staying.destroyed, false)
      staying.write(message)
      if (transport === 'HTTP') await once(staying, 'data')
    },
  )
}

test(
  'clients of an authority that is no longer trusted lose their connections, known ones keep theirs',
  needsOpenSsl,
  async (t) => {
    const [before, after, known] = ['authority-1', 'authority-2', 'self-signed'].map((name) =>
      makeCertificate(name),
    )
    const issued = makeCertificate('issued', before)
    const list = write('list-authority', `self-signed ${fingerprint(known!)}\n`)
    const file = write('authorities.pem', before!.certificate)
    const { clock, port, message } = await serve(t, 'HTTP', list, { kind: 'pem', file })
    const [staying, leaving] = [await open(t, port, known!, message), await open(t, port, issued, message)]
    write('authorities.pem', after!.certificate)
    const closed = once(leaving, 'close')
    clock.advance(10_000)
    await closed
    assert.equal(staying.destroyed, false)
  },
)
