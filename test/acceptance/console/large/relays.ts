/**
 * A network of many validators on one machine: one of them is a real node, and a relay on the port of each other one
 * gives its answers under another identity, as a connected validator of the same network would.
 */
import { createServer, type Server } from 'node:http'

interface Answer {
  readonly id: number
  readonly result?: unknown
}

interface Status {
  readonly self: string
  readonly validators: readonly { readonly address: string; readonly self: boolean }[]
}

/** `origin` and each of `ports` are the JSON-RPC ports of the validators. */
export async function startRelays(origin: number, ports: readonly number[]): Promise<readonly Server[]> {
  const ids = [origin, ...ports].map((port) => port.toString(16).padStart(128, '0'))
  return await Promise.all(
    ports.map(async (port, at) => {
      const server = createServer((request, response) => {
        let text = ''
        request.on('data', (piece) => {
          text += piece
        })
        request.on('end', () => {
          relay(origin, text, at + 1, ids).then(
            (answer) => response.setHeader('content-type', 'application/json').end(answer),
            () => response.destroy(),
          )
        })
      })
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      return server
    }),
  )
}

async function relay(origin: number, text: string, own: number, ids: readonly string[]): Promise<string> {
  const requests = JSON.parse(text) as { id: number; method: string }[]
  const methods = new Map(requests.map(({ id, method }) => [id, method]))
  const answers = await answersOf(origin, text)
  return JSON.stringify(
    answers.map((answer) => ({
      ...answer,
      result: disguised(methods.get(answer.id)!, answer.result, own, ids),
    })),
  )
}

const KEPT_MS = 1_000
const kept = new Map<string, { readonly atMs: number; readonly answers: Promise<readonly Answer[]> }>()

/** The relays ask the node once per second together, or it would do the work of a hundred nodes. */
function answersOf(origin: number, text: string): Promise<readonly Answer[]> {
  const known = kept.get(text)
  if (known !== undefined && performance.now() - known.atMs < KEPT_MS) return known.answers
  const answers = fetch(`http://127.0.0.1:${origin}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  }).then(async (response) => (await response.json()) as Answer[])
  kept.set(text, { atMs: performance.now(), answers })
  return answers
}

function disguised(method: string, result: unknown, own: number, ids: readonly string[]): unknown {
  const enodeOf = (id: string): string => `enode://${id}@127.0.0.1:30303`
  if (method === 'admin_nodeInfo') return { ...(result as object), id: ids[own], enode: enodeOf(ids[own]!) }
  if (method === 'bft_status') {
    const status = result as Status
    const lastHeard = new Date().toISOString()
    const others = status.validators.filter(({ self }) => !self)
    const { address } = others[own - 1]!
    const validators = status.validators.map((each) => ({
      ...each,
      self: each.address === address,
      connected: true,
      lastHeard,
    }))
    return { ...status, self: address, validators }
  }
  if (method !== 'admin_peers') return result
  return ids.flatMap((id, at) =>
    at === own
      ? []
      : [
          {
            version: '0x5',
            name: 'cairn/v0.1.0/linux-x86_64/node-v24',
            caps: ['eth/68', 'istanbul/100'],
            network: { localAddress: '127.0.0.1:30303', remoteAddress: `127.0.0.1:${at}`, inbound: at < own },
            port: '0x765f',
            id: `0x${id}`,
            protocols: { eth: { version: 68, latestBlock: 0 } },
            enode: enodeOf(id),
            why: 'it is a static node',
            connectedSeconds: at,
            bytesIn: 1_000 * at,
            bytesOut: 2_000 * at,
            queuedBytes: 0,
          },
        ],
  )
}
