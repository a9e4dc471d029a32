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

/** Names without a place to break a line. */
const LONG = '\u{1f9e8}W'.repeat(30_000)
const ADDRESS = `0x${'ee'.repeat(20)}`

/** Answers of the right form that are as large as the page accepts. */
const BULKY_RESULTS: Readonly<Record<string, unknown>> = {
  bft_status: {
    height: '0x7fffffffffffffff',
    round: 4_294_967_295,
    stage: LONG,
    self: ADDRESS,
    validator: true,
    proposer: LONG,
    roundLeftMs: 1e15,
    blockLeftMs: -1e15,
    quorum: {
      validators: 1e9,
      needed: 1e9,
      tolerated: 1e9,
      heard: 0,
      prepares: 0,
      preparesNeeded: 0,
      commits: 0,
    },
    validators: Array.from({ length: 2_000 }, (_, at) => ({
      address: `0x${at.toString(16).padStart(40, '0')}`,
      self: at === 0,
      connected: at % 2 === 0,
      proposed: true,
      prepared: true,
      committed: true,
      wantsRound: null,
      lastHeard: null,
    })),
    time: '2100-01-01T00:00:00.000Z',
    cause: LONG,
  },
  eth_getBlockByNumber: {
    number: '0x7fffffffffffffff',
    hash: `0x${'ab'.repeat(32)}`,
    parentHash: `0x${'ac'.repeat(32)}`,
    miner: LONG,
    timestamp: '0xffffffffffff',
    gasUsed: `0x${'f'.repeat(64)}`,
    gasLimit: `0x${'f'.repeat(64)}`,
    stateRoot: LONG,
    transactions: [],
  },
  txpool_status: { pending: `0x${'f'.repeat(64)}`, queued: '0x0' },
  admin_nodeInfo: {
    enode: LONG,
    id: LONG,
    name: LONG,
    activeFork: LONG,
    protocols: { eth: { genesis: LONG, config: { name: LONG }, network: 1e300 } },
  },
  admin_peers: Array.from({ length: 500 }, (_, at) => ({
    id: `${at}${'a'.repeat(1_000)}`,
    name: 'W'.repeat(1_000),
    enode: `enode://${at}@${'h'.repeat(500)}:1`,
    why: 'W'.repeat(500),
    connectedSeconds: 1e15,
    bytesIn: 1e300,
    bytesOut: -1,
    network: { remoteAddress: 'W'.repeat(500), inbound: true },
    protocols: {},
  })),
  admin_failedDials: Array.from({ length: 500 }, (_, at) => ({
    enode: `enode://${at}@${'h'.repeat(500)}:1`,
    why: 'W'.repeat(500),
    failures: 1e15,
  })),
  web3_clientVersion: LONG,
}

const BULKY: ReadonlyMap<string, string> = new Map(
  Object.entries(BULKY_RESULTS).map(([method, result]) => [method, JSON.stringify(result)]),
)
const LONG_TEXT = JSON.stringify(LONG)

export interface HostileNode {
  readonly url: string
  /** The methods that reached it, in order. */
  readonly methods: readonly string[]
  /** The result of every further call, as JSON text, or how it misbehaves otherwise. */
  answer: string | 'redirect' | 'huge' | 'bulky' | 'silent' | 'mixed'
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
      const resultOf = (method: string): string => {
        if (answer === 'bulky') return BULKY.get(method) ?? LONG_TEXT
        return answer === 'mixed' ? HOSTILE_RESULTS[turns++ % HOSTILE_RESULTS.length]! : answer
      }
      const answers = calls.map(
        ({ id, method }) => `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method)}}`,
      )
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
