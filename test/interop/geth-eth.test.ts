/* The suite by which geth tests how nodes exchange blocks and transactions, against the real program with geth's own chain. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { findGethChain, findGethProgram } from '../geth-program.ts'
import { cairn, temporaryDirectory } from '../process/program.ts'
import { startNode } from '../process/running-node.ts'

const devp2p = findGethProgram('devp2p')
const chain = devp2p === undefined ? undefined : findGethChain()
const skip = chain === undefined && 'there is no Go to fetch devp2p of geth and its chain'
const run = promisify(execFile)

/** The suite waits two seconds for each message, which a busy machine may need. */
const ATTEMPTS = 4
const RUN_MAX_MS = 300_000

/** 15 of 19, and InvalidTxs below. */
const MET = [
  'Status',
  'MaliciousHandshake',
  'BlockRangeUpdateExpired',
  'BlockRangeUpdateFuture',
  'BlockRangeUpdateInvalid',
  'GetBlockHeaders',
  'GetNonexistentBlockHeaders',
  'SimultaneousRequests',
  'SameRequestID',
  'ZeroRequestID',
  'GetBlockBodies',
  'GetReceipts',
  'LargeTxRequest',
  'Transaction',
  'NewPooledTxs',
] as const

/* The others: BlobViolations, BlobTxWithoutSidecar and BlobTxWithMismatchedSidecar are about transactions with blobs, which the pool does not take. */

/** Transactions are sent once a node that makes blocks elsewhere was told so: nothing is asked of the answer. */
async function answerEngine(context: TestContext): Promise<string> {
  const status = { status: 'VALID', latestValidHash: null, validationError: null }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      const { id } = JSON.parse(text) as { readonly id: unknown }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { payloadStatus: status, payloadId: null } }))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  context.after(() => server.close())
  const { port } = server.address() as { readonly port: number }
  return `http://127.0.0.1:${port}`
}

/** With geth's chain; `more` are options. */
async function startWithChain(context: TestContext, data: string, more: readonly string[]) {
  const node = await startNode(
    [...networkOptions(), '--min-gas-price=0', '--discovery-enabled=false', ...more],
    data,
  )
  context.after(() => node.kill())
  const enode = /Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())?.[1]
  assert.ok(enode, node.output())
  return { node, enode }
}

function networkOptions(): readonly string[] {
  const { genesisFile, networkId } = chain!
  return [`--genesis-file=${genesisFile}`, `--network-id=${networkId}`]
}

function importChain(context: TestContext): string {
  const data = temporaryDirectory(context)
  const imported = cairn([`--data-path=${data}`, ...networkOptions(), 'blocks', 'import', chain!.chainFile])
  assert.equal(imported.code, 0, imported.stderr)
  return data
}

/** What the suite printed. */
async function runSuite(enode: string, engine: string, names: readonly string[]): Promise<string> {
  const args = ['--chain', chain!.folder, '--node', enode, '--engineapi', engine]
  const secret = ['--jwtsecret', `0x${'11'.repeat(32)}`]
  const asked = ['rlpx', 'eth-test', ...args, ...secret, '--tap', '--run', `^(${names.join('|')})$`]
  // It exits with 1 where a test failed, and says which.
  return run(devp2p!, asked, { timeout: RUN_MAX_MS }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout?: string }) => error.stdout ?? '',
  )
}

function passedIn(printed: string): ReadonlySet<string> {
  return new Set([...printed.matchAll(/^ok \d+ (\S+)/gm)].map(([, name]) => name!))
}

test('the suite of geth for eth/68 and eth/69 is met', { skip, timeout: 1_200_000 }, async (context) => {
  const { enode } = await startWithChain(context, importChain(context), [])
  const engine = await answerEngine(context)
  let left: readonly string[] = MET
  let last = ''
  for (let attempt = 0; attempt < ATTEMPTS && left.length > 0; attempt++) {
    last = await runSuite(enode, engine, left)
    const passed = passedIn(last)
    left = left.filter((name) => !passed.has(name))
  }
  assert.deepEqual(left, [], last)
})

/*
 * Two of the list are meant to be too large and are not: they are refused because another transaction has their nonce and they
 * pay as much. With --min-gas-price=0 that is enough to replace it, here as in Besu, unless a bump is asked for.
 */
test('of transactions that geth calls invalid none is passed on, where a replacement has to pay more', {
  skip,
  timeout: 600_000,
}, async (context) => {
  const data = importChain(context)
  const engine = await answerEngine(context)
  let last = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // A pool that has seen the first of them would not announce it again.
    const { node, enode } = await startWithChain(context, data, ['--tx-pool-price-bump=10'])
    last = await runSuite(enode, engine, ['InvalidTxs'])
    await node.stop()
    if (passedIn(last).has('InvalidTxs')) return
  }
  assert.fail(last)
})
