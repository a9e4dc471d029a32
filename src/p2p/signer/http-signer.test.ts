import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { systemClock } from '#platform/clock.ts'
import { systemRandom } from '#platform/random.ts'
import { Secret } from '#platform/secret.ts'
import { bigintToBytes, bytesToBigint, concatBytes } from '#types/bytes.ts'
import { publicKeyFromPrivate, recoverPublicKey, sign } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { createCheckedNodeKey } from './checked-node-key.ts'
import { askSigner, OTHER_KEY, SIGNER_KEY, serveSigner } from './signer.fixture.ts'
import { trySigner } from './start-signer.ts'

const DIGEST = new Uint8Array(32).fill(1)
const PUBLIC_KEY = publicKeyFromPrivate('secp256k1', SIGNER_KEY)
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const PARTS = { clock: systemClock, random: systemRandom, recover: recoverPublicKey }
const result = (bytes: Uint8Array) => JSON.stringify({ result: formatData(bytes) })

test('a signer answers like a key in memory, on few connections', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  const local = createLocalNodeKey(new Secret(SIGNER_KEY))
  const other = publicKeyFromPrivate('secp256k1', OTHER_KEY)
  assert.deepEqual(await signer.publicKey(), await local.publicKey())
  assert.deepEqual(await signer.sign(DIGEST), await local.sign(DIGEST))
  assert.deepEqual(await signer.ecdh(other), new Uint8Array(await local.ecdh(other)))
  await Promise.all(Array.from({ length: 40 }, () => signer.sign(DIGEST)))
  assert.deepEqual(served.asked.slice(0, 3), ['GET /publicKey', 'POST /sign', 'POST /ecdh'])
  assert.ok(served.connections.size <= 4, `${served.connections.size} connections`)
})

test('invalid answers are refused with a message that does not quote them', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  const hostile: readonly (readonly [RegExp, string, number?])[] = [
    [/something else than \{"result": "0x…"\} of 64 bytes or 65 bytes/, 'not JSON'],
    [/something else/, 'null'],
    [/something else/, '[]'],
    [/something else/, '{"result":7}'],
    [/something else/, '{"result":"0xzz"}'],
    [/something else/, result(new Uint8Array(63))],
    [/something else/, result(new Uint8Array(66))],
    [/more than 1024 bytes/, `{"result":"0x${'00'.repeat(100_000)}"}`],
    [/status 302: redirects are not followed/, '', 302],
    [/status 403: it refuses the token, or wants one/, '', 403],
    [/status 404\./, 'hunter2', 404],
    [/status 503\./, result(new Uint8Array(65)), 503],
    [/status 204\./, '', 204],
  ]
  for (const [sentence, body, status = 200] of hostile) {
    served.answer = (_, response) =>
      void response.writeHead(status, { location: `${served.url}/else` }).end(body)
    await assert.rejects(signer.sign(DIGEST), (error: Error) => {
      assert.match(error.message, sentence)
      return !error.message.includes('hunter2')
    })
  }
  assert.ok(!served.asked.includes('GET /else'))
  served.answer = (_, response) => void response.end(result(new Uint8Array(64).fill(1)))
  await assert.rejects(signer.publicKey(), /not a point of secp256k1/)
})

test('a signer that is silent, slow, endless or breaks off costs its timeout and no more', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url, { timeoutMs: 400 })
  const late = { kind: 'SIGNER_AWAY', message: /did not answer sign within 400 ms/ }
  served.answer = () => undefined
  await assert.rejects(signer.sign(DIGEST), late)
  served.answer = (_, response) => {
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  }
  await assert.rejects(signer.sign(DIGEST), late)
  served.answer = (_, response) => {
    const informing = setInterval(() => response.writeProcessing(), 5)
    response.on('close', () => clearInterval(informing))
  }
  await assert.rejects(signer.sign(DIGEST), late)
  served.answer = (_, response) => {
    const pour = setInterval(() => response.write(' '.repeat(2_000)), 1)
    response.on('close', () => clearInterval(pour))
  }
  await assert.rejects(signer.sign(DIGEST), { message: /more than 1024 bytes/ })
  served.answer = (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{')
    setTimeout(() => request.socket.destroy(), 20)
  }
  await assert.rejects(signer.sign(DIGEST), { kind: 'SIGNER_AWAY', message: /broke off its answer/ })
  served.answer = (request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n')
  await assert.rejects(signer.sign(DIGEST), { kind: 'SIGNER_AWAY', message: /does not answer sign: / })
  served.answer = (_, response) =>
    void response.writeHead(101, { upgrade: 'websocket', connection: 'upgrade' }).end()
  await assert.rejects(signer.sign(DIGEST), { message: /another protocol/ })
  served.answer = undefined
  assert.equal((await signer.sign(DIGEST)).length, 65)
})

test('too many requests at once are refused, and the rest is answered', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  const settled = await Promise.allSettled(Array.from({ length: 70 }, () => signer.sign(DIGEST)))
  assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 64)
})

test('a signer restarted within the timeout costs nothing; after it, the message names the failure', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  await signer.sign(DIGEST)
  await served.stop()
  const signed = signer.sign(DIGEST)
  const again = setTimeout(() => void served.listenAgain(), 250)
  t.after(() => clearTimeout(again))
  assert.equal((await signed).length, 65)
  await served.stop()
  const brief = askSigner(t, served.url, { timeoutMs: 300 })
  await assert.rejects(brief.sign(DIGEST), { kind: 'SIGNER_AWAY', message: /ECONNREFUSED/ })
})

test('a kept connection that is closed on reuse costs nothing', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  const used = new Set<number>()
  served.answer = (request, response) => {
    const { remotePort } = request.socket
    if (used.has(remotePort!)) return void request.socket.destroy()
    used.add(remotePort!)
    response.end(result(sign(SIGNER_KEY, DIGEST)))
  }
  for (let count = 0; count < 5; count++) assert.equal((await signer.sign(DIGEST)).length, 65)
  assert.equal(used.size, 5)
  served.answer = (request) => void request.socket.destroy()
  await assert.rejects(signer.sign(DIGEST), { kind: 'SIGNER_AWAY', message: /socket hang up/ })
})

test('a token is sent, read again when it is refused, and never shown', async (t) => {
  const served = await serveSigner(t)
  let token = 'first-token'
  let reads = 0
  const readToken = () => {
    reads++
    return new Secret(token)
  }
  const guard = (right: string) => {
    served.answer = (request, response) => {
      const isRight = request.headers.authorization === `Bearer ${right}`
      response.statusCode = isRight ? 200 : 401
      response.end(result(sign(SIGNER_KEY, DIGEST)))
    }
  }
  const signer = askSigner(t, served.url, { readToken })
  guard('first-token')
  await signer.sign(DIGEST)
  await signer.sign(DIGEST)
  assert.equal(reads, 1)
  guard('second-token')
  token = 'second-token'
  await signer.sign(DIGEST)
  guard('third-token')
  await assert.rejects(signer.sign(DIGEST), (error: Error) => {
    assert.match(error.message, /status 401: it refuses the token/)
    return !JSON.stringify([error.message, error.stack, error.cause]).includes('-token')
  })
})

test('a signature by the key counts in any form that a device returns', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  const key = createCheckedNodeKey(PUBLIC_KEY, signer, recoverPublicKey, 'The signer')
  const made = sign(SIGNER_KEY, DIGEST)
  const [r, s] = [made.subarray(0, 32), bytesToBigint(made.subarray(32, 64))]
  const highS = concatBytes(r, bigintToBytes(ORDER - s, 32))
  const forms = [made, made.subarray(0, 64), highS, concatBytes(highS, Uint8Array.of(28))]
  for (const form of forms) {
    served.answer = (_, response) => void response.end(result(form))
    assert.deepEqual(await key.sign(DIGEST), made)
  }
  const zero = new Uint8Array(64)
  const others = [
    sign(OTHER_KEY, DIGEST),
    sign(SIGNER_KEY, new Uint8Array(32).fill(2)),
    zero,
    zero.map(() => 255),
  ]
  for (const form of others) {
    served.answer = (_, response) => void response.end(result(form))
    await assert.rejects(key.sign(DIGEST), { kind: 'SIGNER_REFUSED', message: /not by the key of this node/ })
  }
})

test('a signer test requires all three operations to use one key', async (t) => {
  const served = await serveSigner(t)
  const signer = askSigner(t, served.url)
  const { publicKey, signMs } = await trySigner(signer, 'The signer', PARTS)
  assert.deepEqual(publicKey, PUBLIC_KEY)
  assert.ok(signMs > 0)
  const hashed = { ...signer, ecdh: async () => new Uint8Array(32).fill(3) }
  await assert.rejects(trySigner(hashed, 'The signer', PARTS), /must be the x coordinate/)
  const other = { ...signer, publicKey: async () => publicKeyFromPrivate('secp256k1', OTHER_KEY) }
  await assert.rejects(trySigner(other, 'The signer', PARTS), { kind: 'SIGNER_REFUSED' })
})
