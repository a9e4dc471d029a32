/** A real geth as a peer of the real program. Each dials the other, and each imports the other's blocks. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findGethChain, findGethProgram, type GethChain } from '../../support/geth-program.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const geth = findGethProgram('geth')
const chain = geth === undefined ? undefined : findGethChain()
const skip = chain === undefined && 'Go is missing, which builds geth'

const WAIT_MAX_MS = 120_000

interface PeerSeen {
  readonly id: string
  readonly network: { readonly inbound: boolean }
  readonly protocols: { readonly eth?: unknown }
}

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

function askerOf(context: TestContext, port: number): Ask {
  const client = openRpcClient(port)
  context.after(() => client.close())
  return async (method, ...params) => {
    const { result, error } = await client.call(method, ...params)
    assert.equal(error, undefined, `${method}: ${error?.message}`)
    return result
  }
}

/** Starts geth with the chain of its own tests or only block 0, on ports that the system chooses. */
async function startGeth(
  context: TestContext,
  { genesisFile, chainFile, networkId }: GethChain,
  isEmpty = false,
): Promise<Ask> {
  const folder = temporaryDirectory(context)
  const data = `--datadir=${folder}`
  execFileSync(geth!, [data, 'init', genesisFile], { stdio: 'pipe' })
  if (!isEmpty) execFileSync(geth!, [data, 'import', chainFile], { stdio: 'pipe' })
  const net = ['--nat=none', '--netrestrict=127.0.0.0/8', '--nodiscover', '--bootnodes=']
  const ports = ['--port=0', '--authrpc.port=0', '--http', '--http.port=0', '--http.api=eth,net,admin,debug']
  const more = [`--networkid=${networkId}`, '--ipcdisable', '--syncmode=full']
  const child = spawn(geth!, [data, ...net, ...ports, ...more], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (text: Buffer) => {
    output += text
  })
  const exited = once(child, 'exit')
  context.after(async () => {
    child.kill()
    await exited
  })
  const port = await waitFor(
    () => /HTTP server started\s+endpoint=127\.0\.0\.1:(\d+)/.exec(output)?.[1],
    () => output,
  )
  return askerOf(context, Number(port))
}

async function waitFor<Value>(
  look: () => Value | undefined | Promise<Value | undefined>,
  why: () => unknown,
) {
  const endMs = performance.now() + WAIT_MAX_MS
  while (performance.now() < endMs) {
    const value = await look()
    if (value !== undefined) return value
    await pause(200)
  }
  throw new Error(`The condition was not met: ${JSON.stringify(await why())}`)
}

const peersOf = async (ask: Ask) => (await ask('admin_peers')) as readonly PeerSeen[]

/** The only peer, once both have exchanged their heads. */
const onlyPeer = (ask: Ask) =>
  waitFor(
    async () => (await peersOf(ask)).find(({ protocols }) => typeof protocols.eth === 'object'),
    () => peersOf(ask),
  )

test('geth connects in both directions, and its chain is imported', {
  skip,
  timeout: 600_000,
}, async (context) => {
  const { genesisFile, networkId } = chain!
  const askGeth = await startGeth(context, chain!)
  const head = await askGeth('eth_blockNumber')
  assert.notEqual(head, '0x0')
  const { enode } = (await askGeth('admin_nodeInfo')) as { readonly enode: string }
  const data = temporaryDirectory(context)
  const options = [
    `--genesis-file=${genesisFile}`,
    `--network-id=${networkId}`,
    '--discovery-enabled=false',
    '--rpc-http-enabled',
    '--rpc-http-api=ETH,NET,ADMIN',
  ]

  const dialling = await startNode(options, data)
  context.after(() => dialling.kill())
  const ask = askerOf(context, dialling.http)
  assert.equal(await ask('admin_addPeer', enode), true)
  await waitFor(
    async () => ((await ask('eth_blockNumber')) === head ? head : undefined),
    async () => [await ask('eth_blockNumber'), head, dialling.output().slice(-2_000)],
  )
  assert.equal((await onlyPeer(ask)).network.inbound, false)
  assert.equal((await onlyPeer(askGeth)).network.inbound, true)
  const block = (of: Ask) => of('eth_getBlockByNumber', head, false) as Promise<{ readonly hash: string }>
  assert.equal((await block(ask)).hash, (await block(askGeth)).hash)
  assert.equal(await dialling.stop(), 0)

  const dialled = await startNode(options, data)
  context.after(() => dialled.kill())
  const askDialled = askerOf(context, dialled.http)
  assert.equal(await askGeth('admin_addPeer', await askDialled('net_enode')), true)
  assert.equal((await onlyPeer(askDialled)).network.inbound, true)
  assert.equal((await onlyPeer(askGeth)).network.inbound, false)
})

test('geth takes the chain that we serve, and executes it', { skip, timeout: 600_000 }, async (context) => {
  const { genesisFile, chainFile, networkId } = chain!
  const data = temporaryDirectory(context)
  const network = [`--genesis-file=${genesisFile}`, `--network-id=${networkId}`]
  const imported = cairn([`--data-path=${data}`, ...network, 'blocks', 'import', chainFile])
  assert.equal(imported.code, 0, imported.stderr)
  const api = ['--rpc-http-enabled', '--rpc-http-api=ETH,NET,ADMIN', '--discovery-enabled=false']
  const node = await startNode([...network, ...api], data)
  context.after(() => node.kill())
  const ask = askerOf(context, node.http)
  const head = (await ask('eth_getBlockByNumber', 'latest', false)) as Record<'hash' | 'number', string>
  assert.notEqual(head.number, '0x0')
  const askGeth = await startGeth(context, chain!, true)
  assert.equal(await askGeth('eth_blockNumber'), '0x0')
  assert.equal(await askGeth('admin_addPeer', await ask('net_enode')), true)
  await onlyPeer(askGeth)
  // A consensus client would name the target block; geth asks us for that header first.
  await askGeth('debug_sync', head.hash)
  await waitFor(
    async () => ((await askGeth('eth_blockNumber')) === head.number ? true : undefined),
    async () => [
      await askGeth('eth_blockNumber'),
      head,
      await askGeth('eth_syncing'),
      await peersOf(askGeth),
    ],
  )
  const taken = (await askGeth('eth_getBlockByNumber', head.number, false)) as { readonly hash: string }
  assert.equal(taken.hash, head.hash)
})
