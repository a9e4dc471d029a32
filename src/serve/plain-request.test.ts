import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { PlainReader, parsePlainHead } from './plain-request.ts'
import { post } from './serve.fixture.ts'

const HEAD = [
  'POST / HTTP/1.1',
  'Host: localhost:8545',
  'content-type: application/json',
  'Accept: */*',
  'User-Agent: some client/1.0 (with spaces)',
  'Connection: keep-alive',
  'Content-Length: 2',
]

const SOCKET = new Socket()
const read = (text: string) => new PlainReader().read(Buffer.from(text, 'latin1'), SOCKET)

test('a complete POST in one piece is read', () => {
  const request = read(`${HEAD.join('\r\n')}\r\n\r\n{}`)
  assert.equal(Buffer.from(request!.body).toString(), '{}')
  assert.deepEqual(
    { ...request!.headers },
    {
      host: 'localhost:8545',
      'content-type': 'application/json',
      accept: '*/*',
      'user-agent': 'some client/1.0 (with spaces)',
      connection: 'keep-alive',
      'content-length': '2',
    },
  )
})

test('everything unusual is left to node:http', () => {
  const whole = post('{}')
  const unusual = {
    'another path': post('{}', undefined, '/login'),
    'another method': whole.replace('POST', 'PUT'),
    'another version': whole.replace('HTTP/1.1', 'HTTP/1.0'),
    'half a body': whole.slice(0, -1),
    'half a head': whole.slice(0, 20),
    'a second request behind it': whole + whole,
    'a body of 32 KiB': post('x'.repeat(32_768)),
    'no host': post('{}', []),
    'no length': 'POST / HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'two lengths': post('{}', ['Host: localhost', 'Content-Length: 2']),
    'a length with a sign': whole.replace('Content-Length: 2', 'Content-Length: +2'),
    'a length with a zero in front': whole.replace('Content-Length: 2', 'Content-Length: 02'),
    'two hosts': post('{}', ['Host: localhost', 'host: localhost']),
    'a blank before the colon': post('{}', ['Host : localhost']),
    'a folded header': post('{}', ['Host: localhost', 'X-Long: a', ' b']),
    'a line without a colon': post('{}', ['Host: localhost', 'nonsense']),
    'a byte above ASCII': post('{}', ['Host: localhost', 'X-Name: \u00e9']),
    'a bare line feed': post('{}', ['Host: localhost', 'X-Name: a\nTransfer-Encoding: chunked']),
    'a bare carriage return': post('{}', ['Host: localhost', 'X-Name: a\rb']),
    chunks: post('{}', ['Host: localhost', 'Transfer-Encoding: chunked']),
    'a packed body': post('{}', ['Host: localhost', 'Content-Encoding: gzip']),
    'an expectation': post('{}', ['Host: localhost', 'Expect: 100-continue']),
    'an upgrade': post('{}', ['Host: localhost', 'Connection: upgrade', 'Upgrade: h2c']),
    'the last request': post('{}', ['Host: localhost', 'Connection: close']),
    'an origin': post('{}', ['Host: localhost', 'Origin: http://page.example']),
  }
  for (const [name, text] of Object.entries(unusual)) assert.equal(read(text), undefined, name)
})

test('an accepted head means the same to node:http', async (t) => {
  const server = createServer({ requireHostHeader: false })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const seed = Number(process.env.SEED ?? 1)
  const random = createSeededRandom(seed)
  const bytes = ' \t:,;-+\r\n0129aZ_"\u00e9\u0000\u007f'
  let accepted = 0
  for (let round = 0; round < 3_000; round++) {
    let text = HEAD.join('\r\n')
    for (let count = random.randomBelow(3); count >= 0; count--) {
      const at = random.randomBelow(text.length)
      const byte = bytes[random.randomBelow(bytes.length)]!
      text = text.slice(0, at) + byte + text.slice(at + random.randomBelow(2))
    }
    const head = parsePlainHead(text)
    if (head === undefined || head.bodyBytes !== 2) continue
    accepted++
    const { port } = server.address() as AddressInfo
    const seen = await headersSeenBy(server, port, `${text}\r\n\r\n{}`)
    assert.deepEqual({ ...seen }, { ...head.headers }, `SEED=${seed}: ${JSON.stringify(text)}`)
  }
  assert.ok(accepted > 100, `${accepted} heads accepted`)
})

function headersSeenBy(
  server: ReturnType<typeof createServer>,
  port: number,
  text: string,
): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    server.removeAllListeners('request').removeAllListeners('clientError')
    server.once('request', (request) => {
      socket.destroy()
      resolve(request.headers)
    })
    server.once('clientError', (error) => reject(new Error(`${error.message}: ${JSON.stringify(text)}`)))
    socket.write(text, 'latin1')
  })
}
