/* The client for S3-compatible stores, against a real server and against servers that misbehave. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { systemClock } from '#platform/clock.ts'
import { S3Store } from '#platform/object-store/s3-store.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { findS3Server, startS3Server } from '../../support/s3-server.ts'

const program = findS3Server()
const skip = program === undefined && 'Go is missing, which builds versitygw'
const REGION = 'us-east-1'
const SECRET = 'hidden-secret-key'
const PART_BYTES = 100_000

const bodyOf = (bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('hex')) => ({
  bytes: bytes.length,
  sha256,
  open: async function* () {
    for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES)
  },
})

const someBytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31) % 251)

test('objects of a real S3 server are written, listed and read in ranges', { skip }, async (context) => {
  const server = await startS3Server(context, program!)
  const { credentialsFile } = server
  const store = new S3Store(
    { url: `${server.url}/cairn prefix`, region: REGION, credentialsFile },
    systemClock,
  )
  context.after(() => store.close())
  const bytes = someBytes(1_000_000)
  assert.equal(await store.length('chain/a+b (1).segment'), undefined)
  await store.write('chain/a+b (1).segment', bodyOf(bytes))
  assert.equal(await store.length('chain/a+b (1).segment'), bytes.length)
  assert.deepEqual(
    Buffer.from(await store.read('chain/a+b (1).segment', 999_000, 1_000)),
    Buffer.from(bytes.subarray(999_000)),
  )
  const all = await Array.fromAsync(store.readAll('chain/a+b (1).segment', bytes.length))
  assert.deepEqual(Buffer.concat(all), Buffer.from(bytes))
  await assert.rejects(store.read('chain/a+b (1).segment', 999_000, 2_000), { kind: 'HTTP_FAILED' })
  await assert.rejects(store.read('chain/missing', 0, 10), { message: /status 404 \(NoSuchKey\)/ })
  await store.write('chain/second', bodyOf(someBytes(3)))
  await store.write('other/third', bodyOf(someBytes(3)))
  assert.deepEqual(await Array.fromAsync(store.list('chain/s')), [{ key: 'chain/second', bytes: 3 }])
  assert.deepEqual(await Array.fromAsync(store.list('none/')), [])
})

test('a real S3 server refuses a body that differs from its checksum, and wrong credentials', {
  skip,
}, async (context) => {
  const server = await startS3Server(context, program!)
  const credentialsFile = join(temporaryDirectory(context), 'credentials')
  writeFileSync(credentialsFile, `cairn-archive\n${server.secretKey}`)
  const store = new S3Store({ url: server.url, region: REGION, credentialsFile }, systemClock)
  context.after(() => store.close())
  const other = createHash('sha256').update('other').digest('hex')
  await assert.rejects(store.write('changed', bodyOf(someBytes(200_000), other)), { kind: 'HTTP_FAILED' })
  assert.equal(await store.length('changed'), undefined)
  writeFileSync(credentialsFile, `cairn-archive\n${SECRET}`)
  const refused = await store.read('changed', 0, 1).catch((error: unknown) => error)
  assert.match(inspect(refused), /status 403/)
  assert.doesNotMatch(inspect(refused, { depth: 9 }), new RegExp(SECRET))
  // New credentials need no new client.
  writeFileSync(credentialsFile, `cairn-archive\n${server.secretKey}`)
  assert.equal(await store.length('changed'), undefined)
})

async function hostile(context: TestContext, answer: RequestListener): Promise<S3Store> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const credentialsFile = join(temporaryDirectory(context), 'credentials')
  writeFileSync(credentialsFile, `key\n${SECRET}`)
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/bucket`
  const store = new S3Store({ url, region: REGION, credentialsFile }, systemClock)
  context.after(() => {
    store.close()
    server.closeAllConnections()
    server.close()
  })
  return store
}

const RANGE = { 'content-range': 'bytes 0-9/100' }

for (const [name, answer, message] of [
  [
    'an error',
    (_, response) => response.writeHead(503).end('<Code>SlowDown</Code>'),
    /status 503 \(SlowDown\)/,
  ],
  [
    'an error without words',
    (_, response) => response.writeHead(500).end('<Code>no < word</Code>'),
    /status 500$/,
  ],
  ['a long error', (_, response) => response.writeHead(500).end('x'.repeat(1_000_000)), /status 500$/],
  ['too few bytes', (_, response) => response.writeHead(206, RANGE).end('short'), /5 bytes instead of 10/],
  [
    'too many bytes',
    (_, response) => response.writeHead(206, RANGE).end('x'.repeat(11)),
    /more than 10 bytes/,
  ],
  ['everything', (_, response) => response.writeHead(200).end('0123456789'), /status 200$/],
  [
    'another range',
    (_, response) => response.writeHead(206, { 'content-range': 'bytes 5-14/100' }).end('0123456789'),
    /another range/,
  ],
  [
    'a broken answer',
    (_, response) => {
      response.writeHead(206, { ...RANGE, 'content-length': '10' })
      response.write('01', () => response.destroy())
    },
    /broke off/,
  ],
] as const satisfies [string, RequestListener, RegExp][]) {
  test(`a store that returns ${name} for a range is refused`, async (context) => {
    const store = await hostile(context, answer)
    await assert.rejects(store.read('object', 0, 10), { kind: 'HTTP_FAILED', message })
  })
}

test('a redirect is not followed', async (context) => {
  const seen: string[] = []
  const elsewhere = await hostile(context, ({ url }, response) => {
    seen.push(url!)
    response.writeHead(206, RANGE).end('0123456789')
  })
  const store = await hostile(context, (_, response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:1/bucket/object' }).end()
  })
  await assert.rejects(store.read('object', 0, 10), { message: /status 307/ })
  assert.equal((await elsewhere.read('object', 0, 10)).length, 10)
  assert.deepEqual(seen, ['/bucket/object'])
})

test('a store that never answers or answers slowly is given up when the caller does', async (context) => {
  for (const answer of [
    () => undefined,
    (_: unknown, response: Parameters<RequestListener>[1]) => {
      response.writeHead(206, RANGE)
      response.write('0')
    },
  ]) {
    const store = await hostile(context, answer)
    const signal = AbortSignal.timeout(200)
    await assert.rejects(store.read('object', 0, 10, signal), { name: 'TimeoutError' })
  }
})

test('an unreachable store is a failure that names its address and no secret', async (context) => {
  const credentialsFile = join(temporaryDirectory(context), 'credentials')
  writeFileSync(credentialsFile, `key\n${SECRET}`)
  const store = new S3Store(
    { url: 'http://127.0.0.1:1/bucket', region: REGION, credentialsFile },
    systemClock,
  )
  const refused = await store.length('object').catch((error: unknown) => error)
  assert.match(inspect(refused), /ECONNREFUSED 127\.0\.0\.1:1/)
  assert.doesNotMatch(inspect(refused, { depth: 9 }), new RegExp(SECRET))
  writeFileSync(credentialsFile, SECRET)
  const unreadable = await store.length('object').catch((error: unknown) => error)
  assert.match(inspect(unreadable), /does not have an access key and a secret key/)
  assert.doesNotMatch(inspect(unreadable), new RegExp(SECRET))
})
