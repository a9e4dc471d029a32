/** The p2p port of the real program. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { testPeers, testProtocol, until } from '#p2p/peers/peers.fixture.ts'
import { parseEnode } from '#types/enode.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { makeValidators } from '../../support/validator-network.ts'

const TIMEOUT = { timeout: 120_000 }
const RPC = ['--rpc-http-enabled', '--rpc-http-api=NET,ADMIN,ETH', '--rpc-engine-threads=0']

function enodeOf(node: RunningNode): string {
  const url = /Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())?.[1]
  assert.ok(url, node.output())
  return url
}

async function dial(context: TestContext, url: string, protocol = testProtocol()) {
  const peer = await testPeers([protocol])
  context.after(() => peer.network.stop())
  peer.network.maintain(parseEnode(url))
  return peer
}

test(
  'the program listens for peers, prints its enode URL, and disconnects peers without a common protocol',
  TIMEOUT,
  async (context) => {
    const node = await startNode(RPC)
    context.after(() => node.kill())
    const url = enodeOf(node)
    const peer = await dial(context, url)
    await until(() => peer.network.failedDials().length > 0)
    assert.match(peer.network.failedDials()[0]!.sentence, /none of our protocols|of no use to the other/)
    const client = openRpcClient(node.http)
    try {
      assert.equal((await client.call('net_listening')).result, true)
      assert.equal((await client.call('net_peerCount')).result, '0x0')
      assert.equal((await client.call('net_enode')).result, url)
      const { enode, id } = (await client.call('admin_nodeInfo')).result as Record<string, string>
      assert.deepEqual([enode, id], [url, parseEnode(url).id])
      // A node refuses to add itself; a port without a listener is reported.
      assert.equal((await client.call('admin_addPeer', url)).result, false)
      const nowhere = `enode://${peer.id}@127.0.0.1:1`
      assert.equal((await client.call('admin_addPeer', nowhere)).result, true)
      let failed: readonly { readonly enode: string; readonly why: string }[] = []
      while (failed.length === 0) failed = (await client.call('admin_failedDials')).result as typeof failed
      assert.equal(failed[0]!.enode, nowhere)
      assert.equal(failed[0]!.why, '127.0.0.1:1: nothing listens there.')
    } finally {
      client.close()
    }
    assert.equal(await node.stop(), 0, node.output())
  },
)

test('without a peer-to-peer network no port is opened', TIMEOUT, async () => {
  const node = await startNode(['--p2p-enabled=false'])
  assert.doesNotMatch(node.output(), /Enode URL|Listening for peers/)
  assert.equal(await node.stop(), 0)
})

test(
  'validators connect with each other beyond --max-peers, and strangers do not',
  TIMEOUT,
  async (context) => {
    const made = makeValidators(context, 'qbft', 3, {}, 1_000)
    const nodes: RunningNode[] = []
    for (const { args, data } of made) {
      nodes.push(await startNode([...args, '--max-peers=0'], data))
      context.after(() => nodes.pop()?.kill())
    }
    const [first, ...others] = nodes.map((node) => openRpcClient(node.http))
    context.after(() => [first!, ...others].forEach((client) => void client.close()))
    const url = enodeOf(nodes[0]!)
    for (const other of others) await other.call('admin_addPeer', url)
    while ((await first!.call('net_peerCount')).result !== '0x2');
    const stranger = await dial(context, url, testProtocol('istanbul', 100))
    await until(() => stranger.network.failedDials().length > 0)
    assert.match(stranger.network.failedDials()[0]!.sentence, /as many peers as it may have/)
  },
)

test('a peers port in use is reported with its option', TIMEOUT, async (context) => {
  const taken = createServer()
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve))
  context.after(() => taken.close())
  const { port } = taken.address() as { readonly port: number }
  const cwd = temporaryDirectory(context)
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  const place = ['--p2p-interface=127.0.0.1', `--p2p-port=${port}`]
  const { code, stderr } = cairn(['--data-path=data', '--genesis-file=genesis.json', ...place], { cwd })
  assert.equal(code, 2, stderr)
  assert.match(stderr, /Port \d+ on 127\.0\.0\.1 is used by another program.*--p2p-port/)
})
