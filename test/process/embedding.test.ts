import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { call, GENESIS_TEXT, makeBlocks } from '#chain/chain.fixture.ts'
import { createNode, type EmbeddedNode, type NodeOptions } from '#node/create-node.ts'
import { temporaryDirectory } from './program.ts'

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
  // Only the database is shared, as where it lies on a disk of its own.
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
