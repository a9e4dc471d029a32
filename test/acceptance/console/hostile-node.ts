/** A listed node that sends answers of every wrong form. It does not authenticate its callers. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)
const MARKUP = '<img src=x onerror="window.pwned=1">'

/** Wrong types for every method of the page. */
const HOSTILE_RESULTS: readonly string[] = [
  'null',
  '0',
  JSON.stringify(MARKUP),
  '[]',
  '{}',
  `[${JSON.stringify(MARKUP)}]`,
  '{"__proto__":{"validators":[]},"constructor":null,"toString":1}',
  '{"validators":null,"quorum":null,"protocols":{"eth":null},"number":"0xzz","hash":1,"pending":{}}',
  JSON.stringify(Array.from({ length: 5_000 }, () => ({ id: MARKUP, enode: MARKUP }))),
  DEEP,
]

export interface HostileNode {
  readonly url: string
  /** The methods that reached it, in order. */
  readonly methods: readonly string[]
  /** The result of every further call, as JSON text, or how it misbehaves otherwise. */
  answer: string | 'redirect' | 'huge' | 'silent' | 'mixed'
  close(): void
}

export async function startHostileNode(): Promise<HostileNode> {
  const methods: string[] = []
  let turns = 0
  const server: Server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      const body: unknown = JSON.parse(text)
      const calls = (Array.isArray(body) ? body : [body]) as { id: number; method: string }[]
      methods.push(...calls.map(({ method }) => method))
      const { answer } = node
      if (answer === 'silent') return
      if (answer === 'redirect')
        return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
      if (answer === 'huge') return void response.end(Buffer.alloc(9 * 1024 * 1024, ' '))
      const resultOf = (): string =>
        answer === 'mixed' ? HOSTILE_RESULTS[turns++ % HOSTILE_RESULTS.length]! : answer
      const answers = calls.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":${resultOf()}}`)
      response.setHeader('content-type', 'application/json')
      response.end(Array.isArray(body) ? `[${answers.join()}]` : answers[0])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const node = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    answer: 'null',
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return node
}
