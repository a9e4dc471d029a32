/** A signer on a real socket that follows the contract, or a test's answer. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createLocalNodeKey } from '#p2p/node-key.ts'
import { systemClock } from '#platform/clock.ts'
import { Secret } from '#platform/secret.ts'
import { sign } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import { createHttpSigner, type HttpSigner, type SignerConfig } from './http-signer.ts'

export const SIGNER_KEY = new Uint8Array(32).fill(7)
export const OTHER_KEY = new Uint8Array(32).fill(9)

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface ServedSigner {
  readonly url: string
  /** Every request in order, such as `GET /publicKey`. */
  readonly asked: string[]
  /** One entry per connection. */
  readonly connections: Set<number>
  /** Replaces the contract's answers if defined. */
  answer: Answer | undefined
  key: Uint8Array
  stop(): Promise<void>
  /** Listens on the same port again. */
  listenAgain(): Promise<void>
}

export async function serveSigner(t: Pick<TestContext, 'after'>): Promise<ServedSigner> {
  const server = createServer(async (request, response) => {
    served.asked.push(`${request.method} ${request.url}`)
    served.connections.add(request.socket.remotePort!)
    await (served.answer ?? byContract)(request, response)
  })
  const byContract: Answer = async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString()
    const { digest, publicKey } = text === '' ? ({} as Record<string, string>) : JSON.parse(text)
    const key = createLocalNodeKey(new Secret(served.key))
    const results: Readonly<Record<string, () => Promise<Uint8Array>>> = {
      '/publicKey': () => key.publicKey(),
      '/sign': () => key.sign(parseData(digest!)),
      '/ecdh': () => key.ecdh(parseData(publicKey!)),
    }
    response.end(JSON.stringify({ result: formatData(await results[request.url!]!()) }))
  }
  const listen = (port: number) =>
    new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  // The first use of the pure implementation is slow.
  sign(SIGNER_KEY, new Uint8Array(32))
  await listen(0)
  const { port } = server.address() as AddressInfo
  t.after(stop)
  const served: ServedSigner = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    connections: new Set(),
    answer: undefined,
    key: SIGNER_KEY,
    stop,
    listenAgain: () => listen(port),
  }
  return served
}

export function askSigner(
  t: Pick<TestContext, 'after'>,
  url: string,
  config: Partial<SignerConfig> = {},
): HttpSigner {
  const whole = { url, readToken: undefined, ca: undefined, timeoutMs: 10_000, ...config }
  const signer = createHttpSigner(whole, systemClock)
  t.after(() => signer.close())
  return signer
}
