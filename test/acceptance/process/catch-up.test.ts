/*
 * A new node downloads its peer's chain over a slow line. First the node is killed on the way, then only its peers thread:
 * it continues at its last block, and the thread's successor has a connection to the writer.
 *
 * CAIRN_CATCH_UP_KILLS=20 sets the number of kills; CAIRN_CRASH_SEED repeats their times.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { makeSealedBlocks } from '../../../bench/sealed-blocks.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { requireWholeHead } from '../../support/whole-head.ts'
import { endThread, plantDeath } from './planted-death.ts'

const KILLS = Number(process.env.CAIRN_CATCH_UP_KILLS ?? 1)
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
/** Maximum blocks per request: the head moves in steps of about this size. */
const STEP_BLOCKS = 64
const BLOCKS = STEP_BLOCKS * (KILLS + 4)
const TRANSACTIONS = 6
/** A quarter of a second for one step. */
const BYTES_PER_SECOND = 250_000
/** Delay of the kill after the head has moved. */
const KILL_WITHIN_MS = 150
const LOOK_MS = 5
const WAIT_MAX_MS = 60_000
const COMPARED_EVERY = 16

interface Follower {
  readonly node: RunningNode
  readonly client: RpcClient
  /** The node's head before it connects to its peer. */
  readonly begun: number
}

test(`a node that is killed ${KILLS} times during a sync continues at its last block (CAIRN_CRASH_SEED=${SEED})`, {
  timeout: 240_000,
}, async (context) => {
  const random = createSeededRandom(SEED)
  const folder = temporaryDirectory(context)
  const { genesisFile, blocksFile } = await makeSealedBlocks(folder, BLOCKS, TRANSACTIONS, () => undefined)
  const served = join(folder, 'served')
  const root = [`--data-path=${served}`, `--genesis-file=${genesisFile}`, '--logging=ERROR']
  const imported = cairn([...root, 'blocks', 'import', blocksFile])
  assert.equal(imported.code, 0, imported.stderr)
  const server = await startOn(context, served, genesisFile)
  const peer = clientOf(context, server)
  const enode = await enodeBehindRelay(context, peer)
  const data = join(folder, 'new')
  mkdirSync(data)

  const begin = async (): Promise<Follower> => {
    const node = await startOn(context, data, genesisFile)
    const client = clientOf(context, node)
    const begun = await headOf(client)
    assert.equal((await client.call('admin_addPeer', enode)).result, true)
    return { node, client, begun }
  }
  let kept = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const { node, client, begun } = await begin()
    assert.equal(begun, kept, 'it did not continue at its last block')
    const seen = await untilBeyond(client, begun)
    await pause(random.randomBelow(KILL_WITHIN_MS))
    await node.kill()
    // Opens a copy: opening the database repairs it after a kill, and the node must do that itself.
    const copy = join(folder, 'copy')
    cpSync(data, copy, { recursive: true })
    kept = await requireWholeHead(copy, folder)
    rmSync(copy, { recursive: true })
    assert.ok(kept >= seen && kept < BLOCKS, `killed at block ${kept}, seen ${seen}`)
  }
  const { node, client, begun } = await begin()
  assert.equal(begun, kept, 'it did not continue at its last block')
  await untilBeyond(client, begun)
  endThread(data, 'peers')
  await untilHead(client, BLOCKS)
  assert.match(node.output(), /Thread ended unexpectedly/)
  for (let number = 0; number <= BLOCKS; number += COMPARED_EVERY) {
    const place = `0x${number.toString(16)}`
    const block = async (from: RpcClient) => (await from.call('eth_getBlockByNumber', place, false)).result
    assert.deepEqual(await block(client), await block(peer), `block ${number}`)
  }
  assert.equal(await node.stop(), 0, node.output())
  assert.equal(await requireWholeHead(data, folder), BLOCKS)
})

async function startOn(context: TestContext, data: string, genesisFile: string): Promise<RunningNode> {
  const node = await startNode(
    [
      `--genesis-file=${genesisFile}`,
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,ADMIN,NET',
      '--rpc-engine-threads=0',
      '--discovery-enabled=false',
    ],
    data,
    undefined,
    { nodeFlags: [plantDeath(data)] },
  )
  context.after(() => node.kill())
  return node
}

function clientOf(context: TestContext, { http }: RunningNode): RpcClient {
  const client = openRpcClient(http)
  context.after(() => client.close())
  return client
}

/** The peer's enode behind a relay that limits the bandwidth. */
async function enodeBehindRelay(context: TestContext, peer: RpcClient): Promise<string> {
  const { result } = await peer.call('net_enode')
  const [, node, port] = /^(enode:\/\/\w+@127\.0\.0\.1:)(\d+)/.exec(result as string)!
  return `${node}${await openRelay(context, Number(port))}`
}

async function openRelay(context: TestContext, port: number): Promise<number> {
  const relay = createServer((socket) => {
    const peer = connect({ host: '127.0.0.1', port })
    const end = (): void => {
      socket.destroy()
      peer.destroy()
    }
    for (const side of [socket, peer]) side.on('error', end).on('close', end)
    socket.pipe(peer)
    peer.on('data', (bytes) => {
      peer.pause()
      socket.write(bytes)
      setTimeout(() => peer.resume(), (1_000 * bytes.length) / BYTES_PER_SECOND)
    })
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  context.after(() => relay.close())
  return (relay.address() as AddressInfo).port
}

async function headOf(client: RpcClient): Promise<number> {
  return Number((await client.call('eth_blockNumber')).result)
}

/** Waits until the node has imported a block after `begun`. */
async function untilBeyond(client: RpcClient, begun: number): Promise<number> {
  const endMs = performance.now() + WAIT_MAX_MS
  for (;;) {
    const { result } = await client.call('eth_syncing')
    if (result !== false) {
      const { startingBlock, currentBlock, highestBlock } = result as Record<string, string>
      assert.deepEqual([Number(startingBlock), Number(highestBlock)], [begun, BLOCKS])
      if (Number(currentBlock) > begun) return Number(currentBlock)
    }
    assert.ok(performance.now() < endMs, `no block was imported after block ${begun}`)
    await pause(LOOK_MS)
  }
}

async function untilHead(client: RpcClient, number: number): Promise<void> {
  const endMs = performance.now() + WAIT_MAX_MS
  while ((await headOf(client)) !== number) {
    assert.ok(performance.now() < endMs, `block ${number} was not imported`)
    await pause(LOOK_MS)
  }
}
