/** The real program with a node allowlist: which peers may connect, and from when on. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { handMadePeer } from '#p2p/peers/hand-made-peer.fixture.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { systemRandom } from '#platform/random.ts'
import { parseEnode } from '#types/enode.ts'
import { formatDigits } from '#types/hex.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const TIMEOUT = { timeout: 120_000 }
const enode = (id: string, port: number) => `enode://${id}@127.0.0.1:${port}`

test('methods decide who gets an answer, at once', TIMEOUT, async (context) => {
  const folder = temporaryDirectory(context)
  const file = join(folder, 'permissions.toml')
  writeFileSync(file, '# nobody yet\nnodes-allowlist = []\n')
  const node = await startNode([
    '--rpc-http-enabled',
    '--rpc-http-api=PERM,ADMIN',
    '--rpc-engine-threads=0',
    '--permissions-nodes-config-file-enabled',
    `--permissions-nodes-config-file=${file}`,
  ])
  context.after(() => node.kill())
  const self = parseEnode(/Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())![1]!)
  const peer = await testNode(systemRandom)
  const url = enode(formatDigits(peer.publicKey), 30303)
  const client = openRpcClient(node.http)
  /** Resolves with the disconnect reason for a peer that announces this listening port. */
  const dial = async (listenPort: number) => {
    const dialled = await handMadePeer(self, peer)
    try {
      dialled.sayHello({ listenPort })
      return await dialled.reason()
    } finally {
      dialled.socket.destroy()
    }
  }
  const answers = async (method: string, ...params: unknown[]) => {
    const { result, error } = await client.call(method, ...params)
    return result ?? error?.message
  }
  try {
    await assert.rejects(dial(30303), 'an unlisted peer connected')
    assert.equal(await answers('admin_addPeer', url), 'Cannot add a non-permitted node as a peer')
    assert.equal(await answers('perm_addNodesToAllowlist', [url]), 'Success')
    assert.equal(readFileSync(file, 'utf8'), `# nobody yet\nnodes-allowlist = ["${url}"]\n`)
    assert.equal(await dial(30303), 'uselessPeer', 'a permitted peer without a common protocol')
    assert.equal(await answers('admin_addPeer', url), true)
    assert.equal(await answers('admin_removePeer', url), true)
    assert.equal(await answers('perm_removeNodesFromAllowlist', [url]), 'Success')
    await assert.rejects(dial(30303))
    writeFileSync(file, `nodes-allowlist = ["${url}"]\n`)
    assert.equal(await answers('perm_reloadPermissionsFromFile'), 'Success')
    assert.equal(await dial(30303), 'uselessPeer')
  } finally {
    client.close()
  }
  assert.equal(await node.stop(), 0, node.output())
})

test('a bootnode or static node that is not listed stops the start', TIMEOUT, (context) => {
  const cwd = temporaryDirectory(context)
  const [listed, missing] = [enode('a'.repeat(128), 1), enode('b'.repeat(128), 2)]
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  writeFileSync(join(cwd, 'permissions.toml'), `nodes-allowlist = ["${listed}?discport=9"]\n`)
  writeFileSync(join(cwd, 'static.json'), JSON.stringify([missing]))
  const options = [
    '--data-path=data',
    '--genesis-file=genesis.json',
    '--permissions-nodes-config-file-enabled',
    '--permissions-nodes-config-file=permissions.toml',
    `--bootnodes=${listed}`,
    '--static-nodes-file=static.json',
  ]
  const { code, stderr } = cairn(options, { cwd })
  assert.equal(code, 2, stderr)
  assert.ok(stderr.includes(`Specified node(s) not in nodes-allowlist [${missing}]`), stderr)
})
