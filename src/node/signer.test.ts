import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { settingsOf } from '#node/settings.fixture.ts'
import { validateOptions } from '#node/validate-options.ts'
import { keyForNewChain, refuseOtherHolders } from '#p2p/key/key-file.ts'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { OTHER_KEY, SIGNER_KEY, serveSigner } from '#p2p/signer/signer.fixture.ts'
import {
  exposureOf,
  readSignerConfig,
  SIGNER,
  type SignerTimes,
  trySignerOf,
} from '#p2p/signer/start-signer.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import type { RoomLife } from '#platform/room.ts'
import { Secret } from '#platform/secret.ts'
import { hasOpenSsl, makeCertificate } from '#serve/tls/tls.fixture.ts'
import { publicKeyFromPrivate, sign } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-signer-'))
after(() => rmSync(root, { recursive: true }))
const DIGEST = new Uint8Array(32).fill(1)
const TIMES = { startWaitMs: 20_000, watchMs: 20 }

function start(t: TestContext, ...args: string[]) {
  return startFor(t, TIMES, ...args)
}

function startFor(t: TestContext, times: SignerTimes, ...args: string[]) {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'INFO', format: 'PLAIN', destination })
  const config = readSignerConfig(settingsOf(...args))!
  const { signal } = new AbortController()
  const onStop: RoomLife['onStop'] = (close) => t.after(() => close(signal))
  return {
    lines,
    started: Promise.resolve(SIGNER.start({ config, clock: systemClock, log, times }, { signal, onStop })),
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(systemClock, 10)
}

test('with a signer no key file is created, and the key itself is not accessible', async (t) => {
  const { url } = await serveSigner(t)
  const { started, lines } = start(t, `--node-signer-url=${url}`)
  const signer = await started
  const [votes, handshakes] = [await signer.holder(), await signer.holder()]
  assert.deepEqual(await votes.publicKey(), publicKeyFromPrivate('secp256k1', SIGNER_KEY))
  assert.deepEqual(await handshakes.sign(DIGEST), sign(SIGNER_KEY, DIGEST))
  assert.equal(signer.failure, undefined)
  assert.match(lines.join(''), /Signer holds the node key/)
  const data = join(root, 'new')
  mkdirSync(data)
  const settings = settingsOf(`--data-path=${data}`, `--node-signer-url=${url}`)
  keyForNewChain(settings)()
  assert.deepEqual(readdirSync(data), [])
  assert.throws(() => refuseOtherHolders(settings), /with the signer at http:.*does not give it away/)
})

test('the start waits for a late signer, and fails with a message if it is missing', async (t) => {
  const served = await serveSigner(t)
  await served.stop()
  const option = `--node-signer-url=${served.url}`
  const late = start(t, option)
  await until(() => late.lines.some((line) => /waiting for it.*ECONNREFUSED.*waitSeconds=20/.test(line)))
  await served.listenAgain()
  await late.started
  await served.stop()
  await assert.rejects(startFor(t, { ...TIMES, startWaitMs: 1_000 }, option).started, {
    kind: 'SIGNER_AWAY',
    message: /ECONNREFUSED.*waited 1 s for it\. Start it, or correct --node-signer-url\.$/,
  })
})

test('a misbehaving signer stops the start at once', async (t) => {
  const served = await serveSigner(t)
  served.answer = (_, response) => void response.writeHead(404).end()
  const startMs = performance.now()
  await assert.rejects(start(t, `--node-signer-url=${served.url}`).started, {
    kind: 'SIGNER_REFUSED',
    message: /answered publicKey with status 404/,
  })
  assert.ok(performance.now() - startMs < TIMES.startWaitMs)
})

test('a signer that goes away is reported once, and again when it is back', async (t) => {
  const served = await serveSigner(t)
  const { started, lines } = start(t, `--node-signer-url=${served.url}`)
  const signer = await started
  const holder = await signer.holder()
  served.answer = (_, response) => void response.writeHead(served.asked.length % 2 ? 503 : 502).end()
  await until(() => signer.failure !== undefined)
  await assert.rejects(holder.sign(DIGEST), { kind: 'SIGNER_AWAY' })
  const { length } = served.asked
  await until(() => served.asked.length > length + 4)
  served.answer = undefined
  await until(() => signer.failure === undefined)
  assert.deepEqual(await holder.sign(DIGEST), sign(SIGNER_KEY, DIGEST))
  assert.equal(lines.filter((line) => line.includes('answered publicKey with status')).length, 1)
  assert.equal(lines.filter((line) => line.includes('answers again')).length, 1)
})

test('a signer whose key has changed is not used', async (t) => {
  const served = await serveSigner(t)
  const { started } = start(t, `--node-signer-url=${served.url}`)
  const signer = await started
  const holder = await signer.holder()
  served.key = OTHER_KEY
  await assert.rejects(holder.sign(DIGEST), {
    kind: 'SIGNER_REFUSED',
    message: /not by the key of this node/,
  })
  await until(() => signer.failure !== undefined)
  assert.match(signer.failure!, /now has the key of 0x\w+, but this node started with the key of 0x\w+/)
  const agreed = holder.ecdh(publicKeyFromPrivate('secp256k1', OTHER_KEY))
  await assert.rejects(agreed, { kind: 'SIGNER_REFUSED' })
  assert.deepEqual(await holder.publicKey(), publicKeyFromPrivate('secp256k1', SIGNER_KEY))
  served.key = SIGNER_KEY
  await until(() => signer.failure === undefined)
  await holder.sign(DIGEST)
})

test('a key has one holder, and signer options need a signer', () => {
  const url = '--node-signer-url=http://127.0.0.1:9000'
  const refused = (sentence: RegExp, ...args: string[]) =>
    assert.throws(() => validateOptions(settingsOf(...args)), { kind: 'USAGE', message: sentence })
  refused(
    /holds the key of this node, and --node-private-key-file names another holder/,
    url,
    '--node-private-key-file=key',
  )
  refused(/--node-key-password-file names another/, url, '--node-key-password-file=password')
  refused(/--security-module names another/, url, '--security-module=vault')
  refused(/needs a signer, but none is configured/, '--node-signer-token-file=token')
  refused(/needs a signer with https/, url, '--node-signer-ca-file=ca.pem')
  validateOptions(settingsOf(url, '--node-signer-token-file=token', '--security-module=localfile'))
})

test('an invalid URL, or one with a password, is refused without showing the password', () => {
  for (const value of ['127.0.0.1:9000', 'ftp://u:hunter2@x', 'http://u:hunter2@x', 'http://x/?a', '']) {
    assert.throws(
      () => settingsOf(`--node-signer-url=${value}`),
      (error: Error) => !error.message.includes('hunter2') && error.message.includes('--node-signer-url'),
    )
  }
  assert.equal(readSignerConfig(settingsOf('--node-signer-url=http://x/signer/'))?.url, 'http://x/signer')
})

test('a token that cannot be sent is refused without showing it', async (t) => {
  const { url } = await serveSigner(t)
  const file = join(root, 'token')
  writeFileSync(file, 'hunter2 häh\n')
  const { started } = start(t, `--node-signer-url=${url}`, `--node-signer-token-file=${file}`)
  await assert.rejects(
    started,
    (error: Error) => /not a bearer token/.test(error.message) && !/hunter2/.test(error.message),
  )
})

test('a remote signer without TLS is reported', () => {
  for (const url of ['http://127.0.0.1:1', 'http://[::1]:1', 'http://localhost', 'https://10.0.0.1'])
    assert.equal(exposureOf(url), undefined)
  assert.match(exposureOf('http://10.0.0.1:1')!, /without TLS/)
})

test('an https signer is trusted only with the named certificates', {
  skip: !hasOpenSsl,
}, async (t) => {
  const [authority, stranger] = [makeCertificate('authority'), makeCertificate('stranger')]
  const identity = makeCertificate('signer', authority)
  const key = createLocalNodeKey(new Secret(SIGNER_KEY))
  const server = createServer(
    { key: identity.key, cert: identity.certificate },
    async (request, response) => {
      const text = Buffer.concat(await Array.fromAsync(request)).toString() || '{}'
      const { digest, publicKey } = JSON.parse(text)
      const asked = digest ? key.sign(parseData(digest)) : publicKey && key.ecdh(parseData(publicKey))
      response.end(JSON.stringify({ result: formatData(await (asked ?? key.publicKey())) }))
    },
  )
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const url = `--node-signer-url=https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const by = (...more: string[]) => trySignerOf(readSignerConfig(settingsOf(url, ...more))!, systemClock)
  const { publicKey } = await by(`--node-signer-ca-file=${authority.certificateFile}`)
  assert.deepEqual(publicKey, await key.publicKey())
  await assert.rejects(by(`--node-signer-ca-file=${stranger.certificateFile}`), { kind: 'SIGNER_AWAY' })
  await assert.rejects(by(), { kind: 'SIGNER_AWAY', message: /certificate/ })
})
