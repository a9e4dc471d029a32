/**
 * Client libraries in their published versions watch a chain: blocks, logs and pending transactions, over WebSocket
 * subscriptions and through the provider of an embedded node.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BrowserProvider, type Eip1193Provider, WebSocketProvider } from 'ethers'
import { createPublicClient, custom, webSocket } from 'viem'
import { Web3 } from 'web3'
import { call, GENESIS_TEXT, LOGGER, makeBlocks } from '#chain/chain.fixture.ts'
import { createNode, type EmbeddedNode } from '#node/create-node.ts'
import { formatData } from '#types/hex.ts'

const POLL_MS = 50
const ADDRESS = LOGGER as string as `0x${string}`
/** The log topic, as a 32-byte word. */
const TOPIC = `0x${'7'.padStart(64, '0')}` as const

let node: EmbeddedNode
let blocks: Uint8Array[]
/** Nonce of the next pending transaction, above the nonces in blocks. */
let nonce = 10

before(async () => {
  const options = {
    logging: 'ERROR',
    'rpc-engine-threads': 0,
    'rpc-ws-enabled': true,
    'rpc-ws-port': 0,
  } as const
  node = await createNode({ genesis: GENESIS_TEXT, options })
  blocks = await makeBlocks([call(0, LOGGER)], [call(1, LOGGER)], [call(2, LOGGER), call(3, LOGGER)])
})

after(async () => {
  await node?.stop()
})

const url = (): string => `ws://127.0.0.1:${node.websocket!.port}`

/** Events that a library reported. */
class Seen {
  readonly blocks: number[] = []
  readonly logs: number[] = []
  readonly pending: string[] = []

  async until(isEnough: (seen: this) => boolean): Promise<void> {
    while (!isEnough(this)) await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/**
 * Sends transactions until the library reports one, which proves that it watches. Then three blocks follow one by
 * one, because a polling library may report only the newest block.
 */
async function live(seen: Seen, tellsPending: boolean): Promise<void> {
  while (tellsPending && seen.pending.length === 0) {
    const { encoded } = call(nonce++)
    await node.provider.request({ method: 'eth_sendRawTransaction', params: [formatData(encoded)] })
    await settle()
  }
  for (const [index, block] of blocks.entries()) {
    assert.ok((await node.importBlock(block, 'none')).ok)
    await seen.until((now) => now.blocks.includes(index + 1))
  }
  await seen.until(({ logs }) => logs.length === 4)
  assert.deepEqual(seen.blocks, [1, 2, 3])
  assert.deepEqual(seen.logs, [1, 2, 3, 3])
}

/** Starts each library on a new chain. */
async function watched(watch: (seen: Seen) => Promise<boolean>): Promise<void> {
  await node.unwind(0)
  const seen = new Seen()
  const tellsPending = await watch(seen)
  await live(seen, tellsPending)
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 4 * POLL_MS))

test('ethers 6 over WebSocket', (t) =>
  watched(async (seen) => {
    const provider = new WebSocketProvider(url())
    t.after(() => provider.destroy())
    await provider.on('block', (number: number) => void seen.blocks.push(number))
    await provider.on({ address: ADDRESS, topics: [TOPIC] }, (log) => void seen.logs.push(log.blockNumber))
    await provider.on('pending', (hash: string) => void seen.pending.push(hash))
    await settle()
    return true
  }))

test('ethers 6 through the provider of the node', (t) =>
  watched(async (seen) => {
    let asked = 0
    const counting: Eip1193Provider = {
      request: async (request) => {
        asked++
        return await node.provider.request(request as never).finally(() => asked--)
      },
    }
    const provider = new BrowserProvider(counting, undefined, { cacheTimeout: -1 })
    provider.pollingInterval = POLL_MS
    t.after(async () => {
      // A poll that is under way starts new timers even after `destroy`, which would keep this process alive.
      await provider.removeAllListeners()
      do await settle()
      while (asked > 0)
      provider.destroy()
    })
    await provider.on('block', (number: number) => void seen.blocks.push(number))
    await provider.on({ address: ADDRESS, topics: [TOPIC] }, (log) => void seen.logs.push(log.blockNumber))
    await settle()
    return false
  }))

test('viem over WebSocket, and through the provider of the node', async (t) => {
  for (const transport of [webSocket(url(), { reconnect: false }), custom(node.provider)]) {
    await watched(async (seen) => {
      const client = createPublicClient({ transport, pollingInterval: POLL_MS, cacheTime: 0 })
      const stops = [
        // A polling client also reports the current block.
        client.watchBlocks({ onBlock: ({ number }) => number > 0n && seen.blocks.push(Number(number)) }),
        client.watchEvent({
          address: ADDRESS,
          onLogs: (logs) => void seen.logs.push(...logs.map((log) => Number(log.blockNumber))),
        }),
        client.watchPendingTransactions({ onTransactions: (hashes) => void seen.pending.push(...hashes) }),
      ]
      t.after(async () => {
        for (const stop of stops) stop()
        if ('getRpcClient' in client.transport) (await client.transport.getRpcClient()).close()
      })
      await settle()
      return transport({ retryCount: 0 }).config.type === 'webSocket'
    })
  }
})

test('web3.js over WebSocket, and through the provider of the node', async (t) => {
  for (const web3 of [new Web3(url()), new Web3(node.provider as never)]) {
    await watched(async (seen) => {
      const heads = await web3.eth.subscribe('newBlockHeaders')
      heads.on('data', ({ number }) => void seen.blocks.push(Number(number)))
      const logs = await web3.eth.subscribe('logs', { address: ADDRESS, topics: [TOPIC] })
      logs.on('data', ({ blockNumber }) => void seen.logs.push(Number(blockNumber)))
      const pending = await web3.eth.subscribe('pendingTransactions')
      pending.on('data', (hash) => void seen.pending.push(String(hash)))
      t.after(async () => {
        for (const each of [heads, logs, pending]) await each.unsubscribe().catch(() => undefined)
        web3.provider?.disconnect?.()
      })
      return true
    })
  }
})
