/*
 * The real program as the only validator of its network: it produces blocks, is killed at random moments, and continues.
 * Afterwards its chain has one block per height with the validator's seal, and its signature log is complete.
 *
 * CAIRN_CRASH_SEED repeats a run; CAIRN_CRASH_KILLS sets the number of kills.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { cairn } from '../../support/program.ts'
import { Random } from '../../support/random.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import type { RunningNode } from '../../support/running-node.ts'
import { requireOneSealedBlockPerHeight, requireSignatureLog } from '../../support/sealed-chain.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'
import { requireWholeHead } from '../../support/whole-head.ts'

const KILLS = Number(process.env.CAIRN_CRASH_KILLS ?? 2)
const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
/** As long as several blocks, so a kill hits every step of block production. */
const KILL_WITHIN_MS = 300

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`a ${protocol} validator that is killed ${KILLS} times continues (CAIRN_CRASH_SEED=${SEED})`, async (context) => {
    const network = makeNetwork(context, protocol)
    const random = new Random(SEED, protocol.length)
    for (let kill = 0; kill < KILLS; kill++) {
      const node = await start(context, network)
      await moreBlocks(node, 2)
      await new Promise((resolve) => setTimeout(resolve, random.below(KILL_WITHIN_MS)))
      await node.kill()
    }
    const node = await start(context, network)
    const height = await moreBlocks(node, 2)
    await requireStatus(node, protocol, network.validator)
    await requireMetrics(node, height)
    assert.equal(await node.stop(), 0, node.output())
    assert.doesNotMatch(node.output(), /"level":"ERROR"/)

    const head = await requireWholeHead(network.data, network.folder)
    assert.ok(head >= height)
    await requireOneSealedBlockPerHeight(network, protocol, head)
    await requireSignatureLog(network, protocol, head)
    context.diagnostic(`${head} blocks`)
  })
}

test('a genesis file with keys of another curve is refused with what to do', (context) => {
  const { folder } = makeNetwork(context, 'qbft')
  const file = join(folder, 'genesis.json')
  const genesis = JSON.parse(readFileSync(file, 'utf8'))
  genesis.config.ecCurve = 'secp256r1'
  writeFileSync(file, JSON.stringify(genesis))
  const { code, stderr } = cairn([`--genesis-file=${file}`, '--data-path=data'], { cwd: folder })
  assert.equal(code, 2)
  assert.match(stderr, /ecCurve says secp256r1; take ecCurve out/)
})

async function requireStatus(node: RunningNode, protocol: BftProtocol, validator: Address): Promise<void> {
  const client: RpcClient = openRpcClient(node.http)
  const { result } = await client.call('bft_status')
  client.close()
  const status = result as Record<string, unknown> & { readonly quorum: Record<string, unknown> }
  assert.deepEqual(
    [status.protocol, status.self, status.validator, status.proposer, status.quorum.needed],
    [protocol, validator, true, validator, 1],
  )
}

async function requireMetrics(node: RunningNode, height: number): Promise<void> {
  const [, address] = /Metrics service started and listening on (\S+:\d+)/.exec(node.output()) ?? []
  const text = await (await fetch(`http://${address}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
  assert.ok(value('ethereum_blockchain_height') >= height, text)
  assert.ok(value('cairn_consensus_height') >= height)
  assert.ok(value('cairn_consensus_commit_time_count') >= 2)
}
