import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { call, GENESIS_TEXT, makeBlocks } from '#chain/chain.fixture.ts'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { devGenesisText } from '#consensus/dev/dev-genesis.ts'
import { createNode, type EmbeddedNode, type NodeOptions } from '#node/create-node.ts'
import { temporaryDirectory } from '../../support/program.ts'

const IN_USE = /in use by another node of this process.*--data-path/

async function start(context: TestContext, dataPath: string): Promise<EmbeddedNode> {
  const node = await createNode({ genesis: GENESIS_TEXT, dataPath })
  context.after(() => node.stop())
  return node
}

const attempt = (dataPath: string): Promise<unknown> => createNode({ genesis: GENESIS_TEXT, dataPath })

test('a second node on the data path of the first is refused, whatever the path is called, and changes nothing', async (context) => {
  const folder = temporaryDirectory(context)
  const dataPath = join(folder, 'node')
  const node = await start(context, dataPath)
  const [first, second] = await makeBlocks([call(0)], [call(1)])
  assert.ok((await node.importBlock(first!, 'none')).ok)
  const link = join(folder, 'link')
  symlinkSync(dataPath, link)
  // Only the database directory is shared, as with a separate disk for it.
  const half = join(folder, 'half')
  mkdirSync(half)
  symlinkSync(join(dataPath, 'database'), join(half, 'database'))
  const before = readdirSync(dataPath).sort()
  for (const path of [dataPath, `${dataPath}/`, relative(process.cwd(), dataPath), link, half]) {
    await assert.rejects(attempt(path), IN_USE, path)
  }
  assert.deepEqual(readdirSync(dataPath).sort(), before)
  assert.deepEqual(readdirSync(half), ['database'])
  assert.ok((await node.importBlock(second!, 'none')).ok)
  await node.stop()
  const again = await start(context, link)
  assert.equal(await again.provider.request({ method: 'eth_blockNumber' }), '0x2')
})

test('of two that start at once on one data path one is refused', async (context) => {
  const dataPath = join(temporaryDirectory(context), 'node')
  const results = await Promise.allSettled([start(context, dataPath), start(context, dataPath)])
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('a node on another thread is refused as well', async (context) => {
  const dataPath = join(temporaryDirectory(context), 'node')
  await start(context, dataPath)
  const options: NodeOptions = { genesis: GENESIS_TEXT, dataPath }
  const script = `
    import { createNode } from ${JSON.stringify(import.meta.resolve('#node/create-node.ts'))}
    import { parentPort } from 'node:worker_threads'
    const said = createNode(${JSON.stringify(options)}).then(() => 'started', (error) => error.message)
    parentPort.postMessage(await said)`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
  const said = await new Promise((resolve) => worker.once('message', resolve))
  await worker.terminate()
  assert.match(String(said), IN_USE)
})

test('a node that did not start leaves its data path to the next', async (context) => {
  const dataPath = join(temporaryDirectory(context), 'node')
  const taken = createServer().listen(0, '127.0.0.1')
  context.after(() => void taken.close())
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const options = { 'rpc-http-enabled': true, 'rpc-http-port': port }
  await assert.rejects(createNode({ genesis: GENESIS_TEXT, dataPath, options }), /port/i)
  const other = JSON.stringify({ ...JSON.parse(GENESIS_TEXT), gasLimit: '0x2' })
  await assert.rejects(createNode({ genesis: other, dataPath }), /another network/)
  const node = await start(context, dataPath)
  assert.equal(await node.provider.request({ method: 'eth_blockNumber' }), '0x0')
})

test('createNode refuses an unknown member with a suggestion, and a missing genesis', async () => {
  const mistyped = { genesis: GENESIS_TEXT, datapath: 'chain' } as unknown as NodeOptions
  await assert.rejects(createNode(mistyped), /does not know datapath\. Did you mean dataPath\?/)
  await assert.rejects(createNode({}), /createNode needs genesis.* or network: 'dev'/)
  await assert.rejects(
    createNode({ genesis: GENESIS_TEXT, network: 'dev' }),
    /genesis or network, and not both/,
  )
  await assert.rejects(
    createNode({ network: 'main' } as unknown as NodeOptions),
    /does not know the network main/,
  )
})

test('invalid block data is a verdict, and unwinding above the head is refused', async (context) => {
  const node = await start(context, join(temporaryDirectory(context), 'node'))
  for (const nonsense of [new Uint8Array(0), Uint8Array.of(1, 2, 3), '0xc0', '0xzz', 'block']) {
    const verdict = await node.importBlock(nonsense)
    assert.ok(!verdict.ok && verdict.reason === 'UNDECODABLE', JSON.stringify(verdict))
    assert.match(verdict.sentence, /^Malformed block\. ./)
  }
  for (const number of [99, -1, 0.5]) {
    await assert.rejects(node.unwind(number), /cannot go back to block \S+ it has blocks 0 to 0/)
  }
  await node.unwind(0)
})

test('the temporary directory of a program that was killed is removed by the next', async (context) => {
  const script = `
    import { createNode } from ${JSON.stringify(import.meta.resolve('#node/create-node.ts'))}
    await createNode({ genesis: ${JSON.stringify(GENESIS_TEXT)} })
    console.log('up')`
  const file = join(temporaryDirectory(context), 'program.mjs')
  writeFileSync(file, script)
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`cairn-data-${child.pid}-`))
  assert.equal(left().length, 1)
  const path = join(tmpdir(), left()[0]!)
  utimesSync(path, 0, 0)
  const first = await createNode({ genesis: GENESIS_TEXT })
  context.after(() => first.stop())
  assert.equal(left().length, 1, 'a running node has its directory')
  child.kill('SIGKILL')
  await once(child, 'exit')
  utimesSync(path, 0, 0)
  const second = await createNode({ genesis: GENESIS_TEXT })
  await second.stop()
  assert.deepEqual(left(), [])
})

test('a development chain in this process signs, mines and remembers', async (context) => {
  const dataPath = join(temporaryDirectory(context), 'dev')
  const node = await createNode({ network: 'dev', dataPath })
  assert.deepEqual([node.http, node.websocket], [undefined, undefined])
  const [from, to] = (await node.provider.request({ method: 'eth_accounts' })) as string[]
  const send = { method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] }
  // At once, so that each needs its own nonce.
  const hashes = await Promise.all([1, 2, 3, 4, 5].map(() => node.provider.request(send)))
  for (const hash of hashes) {
    const receipt = await node.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    assert.equal((receipt as { readonly status: string }).status, '0x1')
  }
  await node.provider.request({ method: 'evm_mine' })
  assert.equal(await node.provider.request({ method: 'eth_blockNumber' }), '0x6')
  await node.stop()
  const again = await createNode({ network: 'dev', dataPath })
  context.after(() => again.stop())
  assert.equal(await again.provider.request({ method: 'eth_blockNumber' }), '0x6')
  assert.equal(
    await again.provider.request({ method: 'eth_getTransactionCount', params: [from, 'latest'] }),
    '0x5',
  )
})

test('a block of endless loops ends with its time and lets timers of the program run', async (context) => {
  const options = { 'block-txs-selection-max-time': 50 }
  const node = await createNode({ network: 'dev', options })
  context.after(() => node.stop())
  const request = (method: string, ...params: unknown[]) => node.provider.request({ method, params })
  await request('evm_setAutomine', false)
  const [from] = (await request('eth_accounts')) as string[]
  const loop = { from, data: '0x5b600056', gas: '0x1e8480' }
  await Promise.all(Array.from({ length: 100 }, () => request('eth_sendTransaction', loop)))
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  await request('evm_mine')
  clearInterval(timer)
  const { transactions } = (await request('eth_getBlockByNumber', 'latest', false)) as {
    readonly transactions: readonly string[]
  }
  assert.ok(transactions.length > 0 && transactions.length < 100, `${transactions.length} transactions`)
  assert.ok(ticks > 1, `${ticks} ticks`)
})

test('two development chains in one process do not mix', async (context) => {
  const nodes = await Promise.all([1, 2].map(() => createNode({ network: 'dev' })))
  for (const node of nodes) context.after(() => node.stop())
  const [one, other] = nodes.map(({ provider }) => provider.request)
  const [from, to] = await one!({ method: 'eth_accounts' })
  const balance = (request: typeof one) =>
    request!({ method: 'eth_getBalance', params: [to!, 'latest'] }).then((wei) => BigInt(wei!))
  const snapshot = (request: typeof one) => request!({ method: 'evm_snapshot' })
  const before = await balance(one)
  const send = (request: typeof one, value: bigint) =>
    request!({
      method: 'eth_sendTransaction',
      params: [{ from, to, value: `0x${value.toString(16)}`, gas: '0x5208' }],
    })
  const snapshots = await Promise.all([snapshot(one), snapshot(other)])
  for (let round = 0; round < 5; round++) {
    await Promise.all([send(one, 1n), send(other, 1000n)])
    const moved = BigInt(round + 1)
    assert.deepEqual(await Promise.all([balance(one), balance(other)]), [
      before + moved,
      before + moved * 1000n,
    ])
  }
  // A server keeps the result of a call for the next one on the same state.
  const code = (value: string) => `0x60${value}5f5260205ff3`
  const to2 = `0x${'c0'.repeat(20)}` as const
  const setCode = (request: typeof one, value: string) =>
    request!({ method: 'anvil_setCode', params: [to2, code(value)] } as never)
  await Promise.all([setCode(one, '01'), setCode(other, '02')])
  const read = (request: typeof one) => request!({ method: 'eth_call', params: [{ to: to2 }, 'latest'] })
  for (let round = 0; round < 3; round++) {
    assert.deepEqual((await Promise.all([read(one), read(other)])).map(Number), [1, 2])
  }
  assert.equal(await one!({ method: 'evm_revert', params: [snapshots[0]] } as never), true)
  assert.deepEqual(await Promise.all([balance(one), balance(other)]), [before, before + 5000n])
})

test('two server threads that send at once use each nonce once', async (context) => {
  const node = await createNode({ network: 'dev', options: { 'rpc-threads': 2 } })
  context.after(() => node.stop())
  const { request } = node.provider
  const [from, to] = await request({ method: 'eth_accounts' })
  const send = () => request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] })
  const hashes = await Promise.all(Array.from({ length: 24 }, send))
  const sent = await Promise.all(
    hashes.map((hash) => request({ method: 'eth_getTransactionByHash', params: [hash] })),
  )
  const nonces = sent.map((transaction) => Number(transaction?.nonce)).sort((a, b) => a - b)
  assert.deepEqual(nonces, [...hashes.keys()])
  assert.ok(sent.every((transaction) => transaction?.blockHash != null))
})

test('other networks do not know the methods of the development chain, and it does not open their directories', async (context) => {
  const dataPath = join(temporaryDirectory(context), 'node')
  // The format of the development chain, whose refusal of another one would hide that of the genesis block.
  const options = { 'data-storage-format': 'FOREST' } as const
  const node = await createNode({ genesis: GENESIS_TEXT, dataPath, options })
  const codeOf = async (method: string): Promise<unknown> =>
    await node.provider.request({ method, params: [] }).catch(({ code }) => code)
  assert.equal(await codeOf('evm_mine'), -32601)
  assert.equal(await codeOf('personal_sign'), -32601)
  assert.equal(await codeOf('hardhat_getAutomine'), -32601)
  assert.equal(await codeOf('eth_sendTransaction'), -32604)
  assert.deepEqual(await node.provider.request({ method: 'eth_accounts' }), [])
  await node.stop()
  await assert.rejects(createNode({ network: 'dev', dataPath }), /not created by --network=dev/)
})

test('a directory with the genesis block of the development chain does not open as one, nor the reverse', async (context) => {
  const folder = temporaryDirectory(context)
  const options = { 'data-storage-format': 'FOREST' } as const
  const genesis = devGenesisText(DEV_ACCOUNTS)
  const production = await createNode({ genesis, dataPath: join(folder, 'production'), options })
  await production.stop()
  const asDev = createNode({ network: 'dev', dataPath: join(folder, 'production') })
  await assert.rejects(asDev, /not created by --network=dev/)
  const dev = await createNode({ network: 'dev', dataPath: join(folder, 'dev') })
  await dev.stop()
  const asProduction = createNode({ genesis, dataPath: join(folder, 'dev'), options })
  await assert.rejects(asProduction, /created by --network=dev/)
})

/** At night 100. */
const NODES = process.env.CAIRN_EMBEDDED_NODES ?? '4'
const GROWTH_MAX_BYTES = 20 * 1024 * 1024

test('nodes that come and go leave no memory, object or handle behind', async (context) => {
  const program = join(import.meta.dirname, 'embedded-nodes.ts')
  // It ends by itself, so nothing of a stopped node keeps a process alive.
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, NODES])
  context.diagnostic(stdout.trim())
  const { before, after } = JSON.parse(stdout)
  // The last node may not be collected yet.
  assert.ok(after.objects.every((count: number) => count <= 1))
  assert.deepEqual(after.resources, before.resources)
  assert.ok(after.residentBytes - before.residentBytes < GROWTH_MAX_BYTES)
})

test('await using stops a node, and a stopped node may be stopped again', async () => {
  let seen: EmbeddedNode
  {
    await using node = await createNode({ network: 'dev', options: { 'rpc-threads': undefined } })
    seen = node
    assert.equal(await node.provider.request({ method: 'eth_chainId' }), '0x539')
  }
  await assert.rejects(seen.provider.request({ method: 'eth_chainId' }))
  await seen.stop()
})
