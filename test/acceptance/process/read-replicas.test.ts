/** Two nodes that follow a validator serve reads behind a round-robin proxy, as in docs/operate/read-replicas.md. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createRelay, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { makeNetwork, start, type ValidatorNetwork } from '../../support/validator-network.ts'

const PERIOD_MS = 200
/** One follower receives everything this much later than the other. */
const LINK_DELAY_MS = 120
const WRITES = 10
const KEY = new Uint8Array(32).fill(9)
const SENDER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))

interface Answer {
  readonly status: number
  readonly height: number
  readonly result: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

class ReplicaClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  async ask(method: string, params: readonly unknown[], leastHeight?: string): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      ...(leastHeight !== undefined && { 'cairn-min-height': leastHeight }),
    }
    const sent = request({
      agent: this.#agent,
      host: '127.0.0.1',
      port: this.#port,
      method: 'POST',
      headers,
    })
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const [response] = await once(sent, 'response')
    const text = (await Array.fromAsync(response as AsyncIterable<Buffer>)).join('')
    const height = Number(response.headers['cairn-height'])
    return { status: response.statusCode, height, ...JSON.parse(text) }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Sends each request to the next node, regardless of method and client. */
async function startRoundRobin(context: TestContext, ports: readonly number[]): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  let turn = 0
  const proxy = createServer((incoming, outgoing) => {
    const port = ports[turn++ % ports.length]!
    const { method, headers } = incoming
    const passed = request({ agent, host: '127.0.0.1', port, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  context.after(() => {
    agent.destroy()
    proxy.close()
    proxy.closeAllConnections()
  })
  return (proxy.address() as AddressInfo).port
}

/** A link that delays every byte. */
async function startSlowLink(context: TestContext, port: number): Promise<number> {
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.on('data', (bytes) => void setTimeout(() => to.destroyed || to.write(bytes), LINK_DELAY_MS))
    from.on('close', () => to.destroy())
    from.on('error', () => to.destroy())
  }
  const relay = createRelay((near) => {
    const far = connect(port, '127.0.0.1')
    pass(near, far)
    pass(far, near)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  context.after(() => {
    relay.close()
    for (const socket of sockets) socket.destroy()
  })
  return (relay.address() as AddressInfo).port
}

/** Leaves out the validator's key: the follower creates its own. */
async function startFollower(context: TestContext, { args }: ValidatorNetwork): Promise<RunningNode> {
  const node = await startNode(args.filter((arg) => !arg.startsWith('--node-private-key-file')))
  context.after(() => node.kill())
  return node
}

async function dial(node: RunningNode, enode: string): Promise<void> {
  const client = openRpcClient(node.http)
  assert.equal((await client.call('admin_addPeer', enode)).result, true)
  while (Number((await client.call('eth_blockNumber')).result) < 3) await pause()
  client.close()
}

const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 20))

interface Replicas {
  readonly proxy: number
  readonly follower: RunningNode
}

async function startReplicas(context: TestContext): Promise<Replicas> {
  const alloc = { [SENDER]: { balance: '0xffffffffffffffffffff' } }
  const network = makeNetwork(context, 'qbft', alloc, PERIOD_MS)
  const [validator, near, far] = await Promise.all([
    start(context, network),
    startFollower(context, network),
    startFollower(context, network),
  ])
  const enode = /Enode URL (enode:\/\/[^\s"]+)/.exec(validator.output())![1]!
  const { port } = new URL(enode)
  await dial(near, enode)
  await dial(far, enode.replace(`:${port}`, `:${await startSlowLink(context, Number(port))}`))
  return { proxy: await startRoundRobin(context, [near.http, far.http]), follower: near }
}

function transfer(nonce: number): string {
  const unsigned = {
    type: 0,
    chainId: 1337n,
    nonce: BigInt(nonce),
    gasLimit: 21_000n,
    gasPrice: 10_000_000_000n,
    to: parseAddress('77'.repeat(20)),
    value: 1n,
    data: new Uint8Array(0),
  } as const
  return formatData(signTransaction(unsigned, KEY).encoded)
}

/** Returns the receipt's block number. */
async function untilReceipt(client: ReplicaClient, hash: unknown): Promise<string> {
  for (;;) {
    const answer = await client.ask('eth_getTransactionReceipt', [hash])
    if (answer.result !== null) {
      const { blockNumber } = answer.result as { readonly blockNumber: string }
      // A node that returns a block must report a height that includes it.
      assert.ok(answer.height >= Number(blockNumber))
      return blockNumber
    }
    await pause()
  }
}

/** Requests that wait for a missing block do not delay others, and their answers report the height. */
async function crowd(context: TestContext, follower: RunningNode): Promise<void> {
  const direct = new ReplicaClient(follower.http)
  context.after(() => direct.close())
  const { height } = await direct.ask('eth_blockNumber', [])
  let answered = 0
  const waiting = Array.from({ length: 70 }, async () => {
    const answer = await direct.ask('eth_blockNumber', [], String(height + 60))
    answered++
    return answer
  })
  const beside = await direct.ask('eth_blockNumber', [])
  assert.equal(beside.status, 200)
  assert.equal(answered, 0, 'requests without a wait were delayed')
  for (const late of await Promise.all(waiting)) {
    assert.deepEqual([late.status, late.error?.code], [503, -32002])
    assert.ok(late.height > height)
  }
}

test('behind a proxy that asks two followers in turn, who names the block of a receipt reads its own writes', {
  timeout: 240_000,
}, async (context) => {
  const { proxy, follower } = await startReplicas(context)
  const client = new ReplicaClient(proxy)
  context.after(() => client.close())
  let stale = 0
  let written = '0x0'
  for (let nonce = 0; nonce < WRITES; nonce++) {
    const sent = await client.ask('eth_sendRawTransaction', [transfer(nonce)], written)
    assert.equal(sent.error, undefined)
    written = await untilReceipt(client, sent.result)
    const count = (leastHeight?: string) =>
      client.ask('eth_getTransactionCount', [SENDER, 'latest'], leastHeight)
    // Two requests, so both followers are asked; first without the header, which would wait.
    for (const answer of [await count(), await count()]) {
      const isStale = Number(answer.result) !== nonce + 1
      // The height in the answer shows it too.
      assert.equal(answer.height < Number(written), isStale)
      if (isStale) stale++
    }
    for (const answer of [await count(written), await count(written)]) {
      assert.deepEqual([answer.status, Number(answer.result)], [200, nonce + 1])
      assert.ok(answer.height >= Number(written))
    }
  }
  assert.ok(stale > 0, 'no follower was behind, so the test proves nothing')
  context.diagnostic(`${stale} of ${2 * WRITES} reads without the header were stale; with it, 0`)
  await crowd(context, follower)
})
