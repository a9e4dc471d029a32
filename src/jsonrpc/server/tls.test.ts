import assert from 'node:assert/strict'
import { request } from 'node:https'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { Secret } from '#platform/secret.ts'
import { connectRaw, keptLog } from '#serve/serve.fixture.ts'
import {
  fingerprint,
  hasOpenSsl,
  type MadeCertificate,
  makeCertificate,
  makeKeystore,
  makeTruststore,
  PASSWORD,
  passwordFile,
  pathIn,
  write,
} from '#serve/tls/tls.fixture.ts'
import type { TlsSettings } from '#serve/tls/tls.ts'
import { Fault } from '#types/fault.ts'
import { CALL, RESULT, startHttp, startWebSocket } from './server.fixture.ts'

const needsOpenSsl = { skip: hasOpenSsl ? false : 'openssl is not on this machine' }

const password = { file: passwordFile }
const passwordSecret = { secret: new Secret(PASSWORD) }

let made: { server: MadeCertificate; keystore: string } | undefined

function settings(overrides: Partial<TlsSettings> = {}): TlsSettings {
  if (made === undefined) {
    const server = makeCertificate('server')
    made = { server, keystore: makeKeystore('server.p12', server) }
  }
  return {
    optionPrefix: '--rpc-http-tls',
    identity: { kind: 'pkcs12', file: made.keystore, password },
    clients: null,
    protocols: ['TLSv1.3', 'TLSv1.2'],
    cipherSuites: [],
    ...overrides,
  }
}

interface Seen {
  readonly body: string
  readonly commonName: string
  readonly protocol: string | null
  readonly cipher: string
}

function call(port: number, options: object = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const path = { host: '127.0.0.1', port, method: 'POST', agent: false, rejectUnauthorized: false }
    const outgoing = request({ ...path, ...options }, (response) => {
      const socket = response.socket as import('node:tls').TLSSocket
      const commonName = String(socket.getPeerCertificate().subject.CN)
      const [protocol, cipher] = [socket.getProtocol(), socket.getCipher().standardName]
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ body, commonName, protocol, cipher }))
    })
    outgoing.on('error', reject)
    outgoing.end(CALL)
  })
}

async function startTls(t: TestContext, overrides: Partial<TlsSettings> = {}): Promise<number> {
  return (await startHttp(t, { tls: settings(overrides) })).port
}

test('HTTP over TLS with a PKCS#12 keystore and its password file', needsOpenSsl, async (t) => {
  const port = await startTls(t)
  const { body, commonName, protocol } = await call(port)
  assert.deepEqual([body, commonName, protocol], [RESULT, 'server', 'TLSv1.3'])
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`), 'plain HTTP is not understood')
})

test('over TLS fewer silent connections are kept, since each takes more', needsOpenSsl, async (t) => {
  const port = await startTls(t)
  const silent = await Promise.all(Array.from({ length: 129 }, () => connectRaw(t, port)))
  await Promise.race(silent.map((each) => each.untilClosed()))
  assert.equal(silent.filter((each) => each.isClosed).length, 1)
  assert.equal((await call(port)).body, RESULT)
})

test('the options determine protocols and cipher suites', needsOpenSsl, async (t) => {
  const suite = 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'
  const port = await startTls(t, { protocols: ['TLSv1.2'], cipherSuites: [suite] })
  const { protocol, cipher } = await call(port)
  assert.deepEqual([protocol, cipher], ['TLSv1.2', suite])
  await assert.rejects(call(port, { minVersion: 'TLSv1.3' }))
  await assert.rejects(call(port, { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' }))
})

test('only known clients are admitted, by common name and fingerprint', needsOpenSsl, async (t) => {
  const [known, stranger, namesake] = ['known', 'stranger', 'namesake'].map((name) => makeCertificate(name))
  const lines = `# clients\nKnown ${fingerprint(known!)}\nother ${fingerprint(namesake!)}\n`
  const clients = { knownClientsFile: write('known-clients', lines), authorities: null }
  const port = await startTls(t, { clients })
  const as = (client: MadeCertificate) => call(port, { key: client.key, cert: client.certificate })
  assert.equal((await as(known!)).body, RESULT)
  await assert.rejects(as(stranger!))
  await assert.rejects(as(namesake!), 'the name in the file is another')
  await assert.rejects(call(port), 'no certificate at all')
})

test('clients of an authority are admitted, by truststores old and new in form', needsOpenSsl, async (t) => {
  const authority = makeCertificate('authority')
  const [member, stranger] = [makeCertificate('member', authority), makeCertificate('outsider')]
  const stores = [
    { kind: 'pkcs12', file: makeTruststore('trust.p12', [authority]), password },
    {
      kind: 'pkcs12',
      file: makeTruststore('open.p12', [authority], '-certpbe', 'NONE'),
      password: passwordSecret,
    },
    { kind: 'pkcs12', file: makeTruststore('aes128.p12', [authority], '-certpbe', 'AES-128-CBC'), password },
    { kind: 'pem', file: authority.certificateFile },
    { kind: 'pkcs12', file: authority.certificateFile, password },
  ] as const
  for (const authorities of stores) {
    const port = await startTls(t, { clients: { knownClientsFile: null, authorities } })
    const as = (client: MadeCertificate) => call(port, { key: client.key, cert: client.certificate })
    assert.equal((await as(member)).body, RESULT, authorities.file)
    await assert.rejects(as(stranger), authorities.file)
  }
})

test('known clients and clients of an authority are admitted side by side', needsOpenSsl, async (t) => {
  const authority = makeCertificate('side-authority')
  const [member, known, stranger] = [
    makeCertificate('side-member', authority),
    makeCertificate('side-known'),
    makeCertificate('side-stranger'),
  ]
  const knownClientsFile = write('side-clients', `side-known ${fingerprint(known)}`)
  const authorities = { kind: 'pem', file: authority.certificateFile } as const
  const port = await startTls(t, { clients: { knownClientsFile, authorities } })
  const as = (client: MadeCertificate) => call(port, { key: client.key, cert: client.certificate })
  assert.equal((await as(member)).body, RESULT)
  assert.equal((await as(known)).body, RESULT)
  await assert.rejects(as(stranger))
})

test('WebSocket over TLS with PEM files', needsOpenSsl, async (t) => {
  const { keyFile, certificateFile } = makeCertificate('ws')
  const tls = settings({ identity: { kind: 'pem', keyFile, certificateFile } })
  const { port } = await startWebSocket(t, { tls })
  const socket = new WebSocket(`wss://127.0.0.1:${port}`, { rejectUnauthorized: false })
  t.after(() => socket.terminate())
  socket.on('open', () => socket.send(CALL))
  const message = await new Promise((resolve) => socket.once('message', (text) => resolve(String(text))))
  assert.equal(message, RESULT)
})

test(
  'changed files are in use ten seconds later; invalid ones are not, and are reported once',
  needsOpenSsl,
  async (t) => {
    const clock = createFakeClock()
    const { log, lines } = keptLog()
    const [first, second] = [makeCertificate('before'), makeCertificate('after')]
    const identity = {
      kind: 'pem',
      keyFile: write('reload.key', first.key),
      certificateFile: write('reload.pem', first.certificate),
    } as const
    const { port } = await startHttp(t, { clock, log, tls: settings({ identity }) })
    assert.equal((await call(port)).commonName, 'before')
    write('reload.pem', second.certificate)
    clock.advance(20_000)
    assert.equal((await call(port)).commonName, 'before', 'the key is still the old one')
    assert.equal(lines.filter((line) => line.includes('cannot be used')).length, 1)
    write('reload.key', second.key)
    clock.advance(10_000)
    assert.equal((await call(port)).commonName, 'after')
    assert.match(lines.join(''), /Reloaded TLS files/)
  },
)

test('a client that does not finish its handshake holds no slot', needsOpenSsl, async (t) => {
  const port = await startTls(t)
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  t.after(() => socket.destroy())
  await new Promise<void>((resolve) => socket.once('secureConnect', () => resolve()))
  assert.equal((await call(port)).body, RESULT)
})

test('unusable files are refused with an explanation', needsOpenSsl, async (t) => {
  const server = makeCertificate('faulty')
  const keystore = makeKeystore('faulty.p12', server)
  const legacy = ['-certpbe', 'PBE-SHA1-3DES']
  const pkcs12 = (file: string, secret = PASSWORD) =>
    ({ kind: 'pkcs12', file, password: { secret: new Secret(secret) } }) as const
  const trust = (file: string, secret?: string) => ({
    clients: { knownClientsFile: null, authorities: pkcs12(file, secret) },
  })
  const jks = write('store.jks', Buffer.from('feedfeed00000002', 'hex'))
  const rows: readonly [Partial<TlsSettings>, string, RegExp][] = [
    [{ identity: pkcs12(keystore, 'wrong') }, 'KEYSTORE_UNUSABLE', /password/],
    [{ identity: pkcs12(write('junk.p12', 'junk')) }, 'KEYSTORE_UNUSABLE', /junk\.p12/],
    [{ identity: pkcs12(jks) }, 'KEYSTORE_UNUSABLE', /keytool -importkeystore/],
    [{ identity: pkcs12(pathIn('missing.p12')) }, 'FILE_NOT_FOUND', /missing\.p12/],
    [trust(makeTruststore('wrong.p12', [server]), 'wrong'), 'TRUSTSTORE_UNUSABLE', /password is wrong/],
    [trust(makeTruststore('legacy.p12', [server], ...legacy)), 'TRUSTSTORE_UNUSABLE', /outdated/],
    [trust(write('empty.p12', '')), 'TRUSTSTORE_UNUSABLE', /no PKCS#12/],
    [trust(write('truncated.p12', Buffer.from('3082ffff', 'hex'))), 'TRUSTSTORE_UNUSABLE', /no PKCS#12/],
    [
      { clients: { knownClientsFile: write('bad-clients', '\nname zz'), authorities: null } },
      'KNOWN_CLIENTS_INVALID',
      /Line 2 of .*bad-clients/,
    ],
    [{ protocols: ['TLSv1.3', 'TLSv1.1'] }, 'TLS_PROTOCOL_UNKNOWN', /--rpc-http-tls-protocols: TLSv1\.1/],
    [{ protocols: [] }, 'TLS_PROTOCOL_UNKNOWN', /nothing/],
    [{ cipherSuites: ['TLS_NULL'] }, 'CIPHER_SUITE_UNKNOWN', /--rpc-http-tls-cipher-suites: .*TLS_NULL/],
  ]
  for (const [overrides, kind, words] of rows) {
    await assert.rejects(startTls(t, overrides), (error) => {
      assert.ok(error instanceof Fault, String(error))
      assert.equal(error.kind, kind)
      assert.match(error.message, words)
      return true
    })
  }
})
