/**
 * Measures nodes that share an archive on a real S3 server: two with the chain, and a fresh third one that begins with a
 * state file. The third is compared with a node that has the same state file and no archive.
 *
 *   npm run bench -- long-chain --folder chains --sizes 1000000
 *   npm run bench -- archive --folder chains --size 1000000
 *
 * Ready means that the node answers for the head. The server throttles nothing, so times are those of the nodes.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exportState, importState, type StateFile } from '#chain/snapshot/state-file.fixture.ts'
import type { NodeOptions } from '#node/create-node.ts'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { formatQuantity } from '#types/hex.ts'
import { segmentsIn } from '../test/support/old-blocks.ts'
import { findS3Server, startS3Server } from '../test/support/s3-server.ts'
import { ask } from './read-load.ts'
import { type NodeServer, startNode, stopNode } from './read-servers.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    size: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
})
if (values.folder === undefined) throw new Error('Name the folder of bench long-chain with --folder.')
const chainPath = join(values.folder, values.size)
const genesisText = readFileSync(join(values.folder, 'genesis.json'), 'utf8')

/** As bench/long-chain.ts, so the copy has no further segment to make. */
const HOT_BLOCKS = 1_000
const FORMAT = 'BONSAI'
const OLD_BLOCK = formatQuantity(3n)
const POLL_MS = 20
const WAIT_MS = 600_000

const program = findS3Server()
if (program === undefined) throw new Error('Install Go, which builds the S3 server.')
const ends: (() => unknown)[] = []
const server = await startS3Server({ after: (end) => void ends.push(end as () => unknown) }, program)
const temporary = createTemporaryDirectory('cairn-bench-')
const running = new Set<NodeServer>()

const plain: NodeOptions['options'] = {
  'data-storage-format': FORMAT,
  'history-hot-blocks': HOT_BLOCKS,
  'rpc-http-api': ['ETH', 'TRACE'],
}
const shared: NodeOptions['options'] = {
  ...plain,
  'history-archive': `${server.url}/bench`,
  'history-archive-credentials-file': server.credentialsFile,
  'history-local-bytes': 0,
}

async function start(dataPath: string, options: NonNullable<NodeOptions['options']>): Promise<NodeServer> {
  const node = await startNode({ genesisText, blocks: [], further: [], options, dataPath })
  running.add(node)
  return node
}

async function stop(node: NodeServer): Promise<void> {
  running.delete(node)
  await stopNode(node.child)
}

async function secondsUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<number> {
  const startMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - startMs > WAIT_MS) throw new Error(`${what}: not within ${WAIT_MS / 1_000} s`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return (performance.now() - startMs) / 1_000
}

function bytesOf(folder: string, kind: string): number {
  const names = readdirSync(folder, { recursive: true }).map(String)
  return names
    .filter((name) => name.endsWith(kind))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

const databaseOf = (dataPath: string): string => join(dataPath, 'database')
const folderOf = (dataPath: string): string => join(databaseOf(dataPath), 'segments')

/** A node with the complete chain, which ends with its old blocks only in the archive. */
async function share(
  name: string,
  segments: number,
): Promise<{ readonly node: NodeServer; readonly seconds: number }> {
  const dataPath = join(temporary.path, name)
  cpSync(chainPath, dataPath, { recursive: true })
  const node = await start(dataPath, shared!)
  const isDone = () =>
    segmentsIn(databaseOf(dataPath), '.outline').length === segments &&
    segmentsIn(databaseOf(dataPath)).length === 0
  return { node, seconds: await secondsUntil(`${name} drops its copies`, isDone) }
}

interface Joined {
  readonly importSeconds: number
  readonly readySeconds: number
  readonly oldSeconds: number | undefined
  readonly outlinesSeconds: number | undefined
}

/** A node that begins with the state file. */
async function joinWith(
  name: string,
  file: StateFile,
  head: string,
  segments: number | undefined,
): Promise<Joined> {
  const dataPath = join(temporary.path, name)
  mkdirSync(dataPath)
  cpSync(join(chainPath, 'key'), join(dataPath, 'key'))
  const startMs = performance.now()
  await importState(file, { database: databaseOf(dataPath), format: FORMAT, genesisText })
  const importSeconds = (performance.now() - startMs) / 1_000
  const node = await start(dataPath, segments === undefined ? plain! : shared!)
  if ((await ask(node, 'eth_blockNumber')) !== head) throw new Error(`${name} has another head.`)
  const readySeconds = (performance.now() - startMs) / 1_000
  let oldSeconds: number | undefined
  let outlinesSeconds: number | undefined
  if (segments !== undefined) {
    const isServed = () => ask(node, 'eth_getBlockByNumber', OLD_BLOCK, true).then(Boolean, () => false)
    const more = await secondsUntil('old blocks are served', isServed)
    oldSeconds = readySeconds + more
    const hasAll = () => segmentsIn(databaseOf(dataPath), '.outline').length === segments
    outlinesSeconds = oldSeconds + (await secondsUntil('all outlines are there', hasAll))
  }
  await stop(node)
  return { importSeconds, readySeconds, oldSeconds, outlinesSeconds }
}

async function main(): Promise<void> {
  const segments = segmentsIn(databaseOf(chainPath)).length
  const file = await exportState(databaseOf(chainPath))
  const first = await share('first', segments)
  const stored = bytesOf(server.bucket, '.segment')
  const second = await share('second', segments)
  if (bytesOf(server.bucket, '.segment') !== stored) throw new Error('The second node stored segments again.')
  const head = (await ask(first.node, 'eth_blockNumber')) as string
  console.log(
    `chain: ${Number(head)} blocks, ${segments} segments, ${(stored / 1e6).toFixed(1)} MB in the archive`,
  )
  console.log(`first node uploads and drops its copies: ${first.seconds.toFixed(1)} s`)
  console.log(`second node finds them in the archive and drops its copies: ${second.seconds.toFixed(1)} s`)
  console.log(`state file: ${(file.bytes.length / 1e6).toFixed(1)} MB`)
  const ready: [number[], number[]] = [[], []]
  for (let round = 0; round < Number(values.rounds); round++) {
    const alone = await joinWith(`alone-${round}`, file, head, undefined)
    const third = await joinWith(`third-${round}`, file, head, segments)
    ready[0].push(alone.readySeconds)
    ready[1].push(third.readySeconds)
    console.log(
      `fresh node: state ${third.importSeconds.toFixed(2)} s, ready after ${third.readySeconds.toFixed(2)} s ` +
        `(${alone.readySeconds.toFixed(2)} without an archive), block 3 after ${third.oldSeconds!.toFixed(2)} s, ` +
        `all old blocks after ${third.outlinesSeconds!.toFixed(2)} s`,
    )
  }
  const [alone, third] = ready.map((seconds) => Math.min(...seconds))
  const outlines = bytesOf(folderOf(join(temporary.path, 'third-0')), '.outline')
  console.log(
    `ready with the archive: ${(third! / alone!).toFixed(2)} of the time without; outlines: ` +
      `${(outlines / 1e6).toFixed(1)} MB, ${(outlines / stored).toFixed(2)} of the segments`,
  )
  for (const { node } of [first, second]) await stop(node)
}

try {
  await main()
} finally {
  for (const { child } of running) child.kill()
  for (const end of ends) await end()
  temporary.remove()
}
