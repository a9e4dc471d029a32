/*
 * A node starts from the state file of another one, and a consensus client drives it: it fetches the blocks after the
 * state from a peer, and refuses a branch without the block of the state.
 */
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient, type RpcAnswer } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'
import { STAKE_GENESIS } from '../conversations/stake-genesis.ts'
import { EngineWorld, type Offer, ZERO } from './engine-cases/engine-world.ts'

/** After all forks. */
const FROM_SECONDS = 60
const CHECKPOINT = 5
/** Blocks are fetched in more than one part. */
const HEAD = 40
const WAIT_MAX_MS = 60_000
const WITH_PEERS = ['--discovery-enabled=false', '--rpc-http-enabled', '--rpc-http-api=ADMIN,NET,ETH']

/** Builds blocks on a block, and makes the last one the head. */
async function extend(world: EngineWorld, tip: string, count: number, from: number): Promise<Offer[]> {
  const blocks: Offer[] = []
  for (let index = 0; index < count; index++) {
    const offer = await world.build(blocks.at(-1)?.payload.blockHash ?? tip, from + index)
    assert.equal(world.words(await world.offer(offer)), 'VALID')
    blocks.push(offer)
  }
  await world.choose(hashOf(blocks.at(-1)))
  return blocks
}

const hashOf = (offer: Offer | undefined): string => offer!.payload.blockHash

/** Repeats a choice, like a consensus client, until the answer is not SYNCING. */
async function settled(world: EngineWorld, choose: () => Promise<RpcAnswer>): Promise<RpcAnswer> {
  const endMs = performance.now() + WAIT_MAX_MS
  for (;;) {
    const answer = await choose()
    if (world.words(answer) !== 'SYNCING') return answer
    assert.ok(performance.now() < endMs, world.output())
    await pause(100)
  }
}

async function connect(t: TestContext, from: EngineWorld, to: EngineWorld): Promise<void> {
  const [client, peer] = [openRpcClient(from.http), openRpcClient(to.http)]
  t.after(() => [client, peer].forEach((one) => void one.close()))
  assert.equal((await client.call('admin_addPeer', (await peer.call('net_enode')).result)).result, true)
}

/** A network that began with proof of work has no block 0 to start with, and starts from the state file. */
async function startsAfterMerge(t: TestContext, genesis: string, file: string, checkpoint: string) {
  const data = join(temporaryDirectory(t), 'data')
  const options = [
    `--genesis-file=${genesis}`,
    '--engine-rpc-enabled',
    '--engine-rpc-port=0',
    '--p2p-enabled=false',
  ]
  const root = [`--data-path=${data}`, ...options]
  const early = cairn([...root, '--logging=ERROR'])
  assert.notEqual(early.code, 0)
  assert.match(early.stderr, /first blocks of this network are proof of work.*cairn state import/)
  assert.equal(existsSync(join(data, 'database', 'CURRENT')), false)
  const blocks = cairn([...root, '--logging=ERROR', 'blocks', 'import', file])
  assert.notEqual(blocks.code, 0)
  const imported = cairn([...root, 'state', 'import', `--from=${file}`, `--trusted-block-hash=${checkpoint}`])
  assert.equal(imported.code, 0, imported.stderr)
  const node = await startNode(options, data)
  t.after(() => node.kill())
  assert.match(node.output(), new RegExp(`"hash":"${checkpoint}".*Opened chain`))
  assert.equal(await node.stop(), 0)
}

test('--network=mainnet says that it needs a state file', (t) => {
  const data = join(temporaryDirectory(t), 'data')
  const off = ['--engine-rpc-enabled=false', '--p2p-enabled=false', '--logging=ERROR']
  const { code, stderr } = cairn(['--network=mainnet', `--data-path=${data}`, ...off])
  assert.notEqual(code, 0)
  assert.match(stderr, /first blocks of this network are proof of work/)
  assert.equal(existsSync(join(data, 'database', 'CURRENT')), false)
})

test('a node with a state file fetches the blocks after it, and refuses a branch without its block', {
  timeout: 240_000,
}, async (t) => {
  const from = temporaryDirectory(t)
  const source = await EngineWorld.start(t, { folder: from, more: WITH_PEERS })
  const early = await extend(source, await source.hashOf('0x0'), 3, FROM_SECONDS)
  const fork = [await source.build(hashOf(early[2]), FROM_SECONDS + 50)]
  await source.offer(fork[0]!)
  early.push(...(await extend(source, hashOf(early[2]), CHECKPOINT - 3, FROM_SECONDS + 3)))
  await source.stop()
  const file = join(from, 'state.bin')
  const exported = cairn([`--data-path=${join(from, 'data')}`, 'state', 'export', `--to=${file}`])
  assert.equal(exported.code, 0, exported.stderr)
  await source.restart()

  const folder = temporaryDirectory(t)
  const genesis = join(folder, 'genesis.json')
  writeFileSync(genesis, STAKE_GENESIS)
  const root = [`--data-path=${join(folder, 'data')}`, `--genesis-file=${genesis}`, '--logging=ERROR']
  const importing = [...root, 'state', 'import', `--from=${file}`]
  const untrusted = cairn(importing)
  assert.notEqual(untrusted.code, 0)
  assert.match(untrusted.stderr, /nothing in the file proves the state.*--trusted-block-hash/)
  const other = cairn([...importing, `--trusted-block-hash=${hashOf(early[3])}`])
  assert.match(other.stderr, /The state is of block 5, .*and --trusted-block-hash names/)
  const checkpoint = hashOf(early.at(-1))
  const imported = cairn([...importing, `--trusted-block-hash=${checkpoint}`])
  assert.equal(imported.code, 0, imported.stderr)

  const merged = join(temporaryDirectory(t), 'genesis.json')
  // Its name for block 0 is the same, since the hash does not depend on the merge.
  writeFileSync(merged, STAKE_GENESIS.replace('"terminalTotalDifficulty":0', '"terminalTotalDifficulty":1'))
  await startsAfterMerge(t, merged, file, checkpoint)

  const late = await extend(source, checkpoint, HEAD - CHECKPOINT, FROM_SECONDS + 100)
  const node = await EngineWorld.start(t, { folder, more: WITH_PEERS })
  assert.equal(await node.hashOf('latest'), checkpoint)
  assert.equal(node.words(await node.choose(checkpoint, { finalized: hashOf(early[2]) })), 'VALID')
  assert.equal(node.words(await node.offer(late.at(-1)!)), 'SYNCING')
  await connect(t, node, source)
  const head = hashOf(late.at(-1))
  const choice = { safe: checkpoint, finalized: hashOf(early[3]) }
  assert.equal(node.words(await settled(node, () => node.choose(head, choice))), 'VALID')
  assert.equal(await node.hashOf('latest'), head)
  assert.equal(await node.hashOf('safe'), checkpoint)
  assert.equal((await node.rpc.call('eth_getBlockByNumber', 'finalized', false)).error?.code, 4444)
  assert.equal((await node.rpc.call('eth_getBlockByNumber', '0x4', false)).error?.code, 4444)
  assert.equal(node.words(await node.choose(head, { finalized: head })), 'VALID')
  assert.equal(await node.hashOf('finalized'), head)
  // An ancestor of the head changes nothing, wherever the state begins.
  assert.equal(node.words(await node.choose(hashOf(early[2]))), 'VALID')
  assert.equal(await node.hashOf('latest'), head)

  fork.push(...(await extend(source, hashOf(fork[0]), HEAD, FROM_SECONDS + 500)))
  const [tip, next] = [hashOf(fork.at(-2)), fork.at(-1)!]
  const refused = await settled(node, () => node.choose(tip))
  assert.equal(node.words(refused), '-38006 Too deep reorg')
  assert.match(JSON.stringify(refused.error), /begin with block 5, and the branch does not contain it/)
  assert.match(node.output(), /on a branch without the first block of this node/)
  assert.equal(node.words(await node.offer(next)), 'SYNCING')
  assert.equal(node.words(await node.choose(hashOf(next))), '-38006 Too deep reorg')
  // The blocks are offered one by one, as a client does whose own store is at the fork.
  for (const offer of fork.slice(0, 3)) assert.equal(node.words(await node.offer(offer)), 'ACCEPTED')
  assert.equal(node.words(await node.choose(hashOf(fork[2]))), '-38006 Too deep reorg')
  assert.equal(await node.hashOf('latest'), head)
  assert.equal(node.words(await node.choose(head, { safe: ZERO })), 'VALID')
})
