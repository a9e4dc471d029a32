import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { connect, type SecureVersion, type TLSSocket } from 'node:tls'
import { keptLog, post } from '#serve/serve.fixture.ts'
import {
  fingerprint,
  hasOpenSsl,
  type MadeCertificate,
  makeCertificate,
  write,
} from '#serve/tls/tls.fixture.ts'
import type { TlsSettings } from '#serve/tls/tls.ts'
import type { TlsClients } from '#serve/tls/tls-files.ts'
import {
  CALL,
  dispatcherOf,
  openAuthenticator,
  RESULT_ANSWER,
  startHttp,
  startWebSocket,
} from './server.fixture.ts'

const needsOpenSsl = { skip: hasOpenSsl ? false : 'openssl is not on this machine' }

/** What one server let through, by what a client sent behind its handshake. */
interface Watched {
  readonly port: number
  /** Calls and logins that arrived where they are answered. */
  reached: number
  readonly lines: readonly string[]
}

const VERSIONS: readonly SecureVersion[] = ['TLSv1.2', 'TLSv1.3']
const HTTP_CALL = post(CALL)
const LOGIN = post('{"username":"a","password":"b"}', undefined, '/login')
const FRAME = Buffer.concat([Buffer.from([0x81, 0x80 | CALL.length, 0, 0, 0, 0]), Buffer.from(CALL)])
const UPGRADE = Buffer.concat([
  Buffer.from(
    'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  ),
  FRAME,
])

async function serve(t: TestContext, transport: 'http' | 'websocket', clients: TlsClients): Promise<Watched> {
  identity ??= makeCertificate('stranger-server')
  const { keyFile, certificateFile } = identity
  const tls: TlsSettings = {
    optionPrefix: '--rpc-http-tls',
    identity: { kind: 'pem', keyFile, certificateFile },
    clients,
    protocols: VERSIONS,
    cipherSuites: [],
  }
  const { log, lines } = keptLog()
  const dispatcher = dispatcherOf(() => {
    watched.reached += 1
    return RESULT_ANSWER
  })
  const authenticator = {
    ...openAuthenticator,
    login: async () => {
      watched.reached += 1
      return { status: 200, reason: 'OK', contentType: null, body: '' }
    },
  }
  const start = transport === 'http' ? startHttp : startWebSocket
  const { port } = await start(t, { tls, log, dispatcher, authenticator })
  const watched: Watched = { port, reached: 0, lines }
  return watched
}

let identity: MadeCertificate | undefined

interface Attempt {
  readonly bytes: string | Uint8Array
  readonly certificate?: MadeCertificate
  readonly session?: Buffer
  readonly version?: SecureVersion
}

interface Seen {
  readonly received: string
  readonly sessions: readonly Buffer[]
  readonly isResumed: boolean
}

/** Sends at once, so that the request travels with the last message of the handshake. */
function attempt(
  { port }: Watched,
  { bytes, certificate, session, version = 'TLSv1.3' }: Attempt,
): Promise<Seen> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ...(certificate && { key: certificate.key, cert: certificate.certificate }),
      ...(session && { session }),
    })
    const sessions: Buffer[] = []
    let received = ''
    let isResumed = false
    socket.on('secureConnect', () => {
      isResumed = socket.isSessionReused()
    })
    socket.on('session', (each) => sessions.push(each))
    socket.on('data', (data) => {
      received += data.toString('latin1')
      socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ received, sessions, isResumed }))
    socket.write(bytes)
  })
}

const KINDS = ['known clients', 'an authority', 'known clients and an authority'] as const

function clientsOf(kind: (typeof KINDS)[number]): { clients: TlsClients; admitted: MadeCertificate } {
  const name = kind.replaceAll(' ', '-')
  const authority = makeCertificate(`${name}-authority`)
  const admitted = kind === 'known clients' ? makeCertificate(name) : makeCertificate(name, authority)
  const knownClientsFile = write(`${name}-list`, `${name} ${fingerprint(admitted)}`)
  return {
    admitted,
    clients: {
      knownClientsFile: kind === 'an authority' ? null : knownClientsFile,
      authorities: kind === 'known clients' ? null : { kind: 'pem', file: authority.certificateFile },
    },
  }
}

for (const kind of KINDS) {
  test(
    `nothing that a stranger sends is taken up where clients are admitted by ${kind}`,
    needsOpenSsl,
    async (t) => {
      const { clients, admitted } = clientsOf(kind)
      const stranger = makeCertificate(`${kind.replaceAll(' ', '-')}-stranger`)
      const rows = [
        ['http', HTTP_CALL],
        ['http', LOGIN],
        ['websocket', LOGIN],
        ['websocket', UPGRADE],
      ] as const
      for (const [transport, bytes] of rows) {
        const watched = await serve(t, transport, clients)
        for (const version of VERSIONS) {
          for (let round = 0; round < 5; round += 1) {
            const nobody = await attempt(watched, { bytes, version })
            const unknown = await attempt(watched, { bytes, version, certificate: stranger })
            assert.deepEqual([nobody.received, unknown.received], ['', ''])
          }
          assert.equal(watched.reached, 0, `${transport} ${version}`)
        }
        assert.match(watched.lines.join(''), /Refused a TLS client without a known certificate/)
        const welcome = await attempt(watched, { bytes, certificate: admitted })
        assert.match(welcome.received, /^HTTP\/1\.1 (200|101)/)
      }
    },
  )
}

test('an admitted client may resume its session', needsOpenSsl, async (t) => {
  for (const kind of KINDS) {
    const { clients, admitted } = clientsOf(kind)
    const watched = await serve(t, 'http', clients)
    const { sessions } = await attempt(watched, { bytes: HTTP_CALL, certificate: admitted })
    const { received, isResumed } = await attempt(watched, { bytes: HTTP_CALL, session: sessions[0]! })
    assert.deepEqual([isResumed, received.slice(0, 15)], [true, 'HTTP/1.1 200 OK'], kind)
  }
})
