/*
 * Kills the real program, the only validator of its network, at random moments under load. The node saves its pool.
 * Afterwards it continues: no block that a client saw is lost, nothing was signed twice, and every accepted transaction
 * is in the chain once, although no client sends one again after the last kill.
 *
 * CAIRN_CRASH_SEED repeats a run; CAIRN_POOL_KILLS sets the number of kills (npm run nightly -- crash: 50).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import type { RunningNode } from '../../support/running-node.ts'
import { requireOneSealedBlockPerHeight, requireSignatureLog } from '../../support/sealed-chain.ts'
import { TransferLoad } from '../../support/transfer-load.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'
import { requireWholeHead } from '../../support/whole-head.ts'

const KILLS = Number(process.env.CAIRN_POOL_KILLS ?? 5)
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
const SENDERS = 16
const PER_SECOND = 150
/** As long as many blocks, so a kill hits every step of block production. */
const KILL_WITHIN_MS = 1_200
const END_WITHIN_BLOCKS = 2_000

interface SeenBlock {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly string[]
}

test(`a validator that is killed ${KILLS} times under load continues (CAIRN_CRASH_SEED=${SEED})`, async (context) => {
  const load = new TransferLoad(SENDERS)
  const made = makeNetwork(context, 'qbft', load.alloc())
  const network = { ...made, args: [...made.args, '--tx-pool-enable-save-restore'] }
  const random = createSeededRandom(SEED)
  const seen = new Map<string, SeenBlock>()
  for (let kill = 0; kill < KILLS; kill++) {
    const node = await start(context, network)
    await requireBlocks(node, seen)
    await load.resume(node.http)
    const ending = new AbortController()
    const plan = { perSecond: PER_SECOND, signal: ending.signal }
    const running = Promise.all([load.run(node.http, plan), watch(node, seen, ending.signal)])
    await moreBlocks(node, 3)
    await new Promise((resolve) => setTimeout(resolve, random.randomBelow(KILL_WITHIN_MS)))
    await node.kill()
    ending.abort()
    await running
  }
  const node = await start(context, network)
  await requireBlocks(node, seen)
  for (let blocks = 0; !(await load.isMined(node.http)); blocks++) {
    assert.ok(blocks < END_WITHIN_BLOCKS, 'accepted transactions were not mined')
    await moreBlocks(node, 1)
  }
  const mined = await transactionsOf(node)
  assert.equal(new Set(mined).size, mined.length, 'a transaction is in two blocks')
  const lost = [...load.accepted].filter((hash) => !mined.includes(hash))
  assert.deepEqual(lost, [], 'accepted transactions are not in the chain')
  assert.deepEqual(load.refusals, [])
  assert.equal(await node.stop(), 0, node.output())
  assert.doesNotMatch(node.output(), /"level":"ERROR"/)

  const head = await requireWholeHead(network.data, network.folder)
  await requireOneSealedBlockPerHeight(network, 'qbft', head)
  await requireSignatureLog(network, 'qbft', head)
  context.diagnostic(`${head} blocks, ${seen.size} of them seen, ${load.accepted.size} transactions accepted`)
})

/** Records the heads that the node reports, until it ends. */
async function watch(node: RunningNode, seen: Map<string, SeenBlock>, signal: AbortSignal): Promise<void> {
  const client = openRpcClient(node.http)
  while (!signal.aborted) {
    const answer = await client.call('eth_getBlockByNumber', 'latest', false).catch(() => undefined)
    if (answer === undefined) break
    const block = answer.result as SeenBlock
    seen.set(block.number, block)
  }
  client.close()
}

async function requireBlocks(node: RunningNode, seen: ReadonlyMap<string, SeenBlock>): Promise<void> {
  const client = openRpcClient(node.http)
  for (const [number, { hash }] of seen) {
    assert.equal(
      (await blockAt(client, number))?.hash,
      hash,
      `block ${Number(number)} is not the block that was seen`,
    )
  }
  client.close()
}

async function transactionsOf(node: RunningNode): Promise<string[]> {
  const client = openRpcClient(node.http)
  const hashes: string[] = []
  for (let number = 1; ; number++) {
    const block = await blockAt(client, `0x${number.toString(16)}`)
    if (block === undefined) break
    hashes.push(...block.transactions)
  }
  client.close()
  return hashes
}

async function blockAt(client: RpcClient, number: string): Promise<SeenBlock | undefined> {
  const { result } = await client.call('eth_getBlockByNumber', number, false)
  return (result as SeenBlock | null) ?? undefined
}
