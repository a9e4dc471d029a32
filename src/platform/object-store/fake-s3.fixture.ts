/** An S3 server in memory whose answers tests can change. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { S3Place } from './s3-store.ts'

export interface FakeS3 {
  readonly place: S3Place
  /** Objects by key. */
  readonly objects: Map<string, Buffer>
  /** Sizes in lists that differ from the objects. */
  readonly listedBytes: Map<string, number>
  /** Method and path of every request. */
  readonly requests: string[]
  /** Answers a request instead of the server; returns false to leave it to the server. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
}

export async function startFakeS3(t: TestContext): Promise<FakeS3> {
  const server = createServer((request, response) => void serve(fake, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const fake: FakeS3 = {
    place: { url: `http://127.0.0.1:${port}/bucket`, region: 'us-east-1', credentialsFile: undefined },
    objects: new Map(),
    listedBytes: new Map(),
    requests: [],
    answer: undefined,
  }
  return fake
}

async function serve(fake: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  fake.requests.push(`${request.method} ${request.url}`)
  if (fake.answer?.(request, response) === true) return
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
  const key = pathname.slice('/bucket/'.length)
  const prefix = searchParams.get('prefix')
  if (prefix !== null) response.end(listOf(fake, prefix))
  else if (request.method === 'PUT') {
    fake.objects.set(key, Buffer.concat(await Array.fromAsync(request)))
    response.end()
  } else sendObject(fake.objects.get(key), request, response)
}

function listOf({ objects, listedBytes }: FakeS3, prefix: string): string {
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
  const sizeOf = (key: string) => listedBytes.get(key) ?? objects.get(key)!.length
  const entries = keys.map((key) => `<Contents><Key>${key}</Key><Size>${sizeOf(key)}</Size></Contents>`)
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListBucketResult>`
}

function sendObject(object: Buffer | undefined, request: IncomingMessage, response: ServerResponse): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
  if (object === undefined) response.writeHead(404).end()
  else if (request.method === 'HEAD') response.writeHead(200, { 'content-length': object.length }).end()
  else if (first === undefined || last === undefined) response.end(object)
  else if (Number(first) >= object.length) response.writeHead(416).end()
  else {
    const part = object.subarray(Number(first), Number(last) + 1)
    const range = `bytes ${first}-${Number(first) + part.length - 1}/${object.length}`
    response.writeHead(206, { 'content-range': range }).end(part)
  }
}
