/* The Engine API of the real program: its tokens, its port, and blocks after kill -9. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ephemeryGenesisText } from '#node/networks/ephemery.ts'
import { engineToken } from '../../support/engine-token.ts'
import { freePort } from '../../support/free-port.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'
import { STAKE_GENESIS } from '../conversations/stake-genesis.ts'

const SECRET = 'ab'.repeat(32)
const HOODI = '0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b'
const ZERO = `0x${'00'.repeat(32)}`

const token = (iat?: number, secret = SECRET) => engineToken(secret, iat)

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
type Answer = any

const state = (head: string) => ({ headBlockHash: head, safeBlockHash: ZERO, finalizedBlockHash: ZERO })

test('tokens are required, engine methods stay on their port, and blocks survive kill -9', async (t) => {
  const cwd = temporaryDirectory(t)
  writeFileSync(join(cwd, 'genesis.json'), STAKE_GENESIS)
  writeFileSync(join(cwd, 'secret'), SECRET)
  const [engine, http] = [await freePort(), await freePort()]
  const start = async (): Promise<ChildProcess> => {
    const files = ['--data-path=data', '--genesis-file=genesis.json', '--engine-jwt-secret=secret']
    const ports = [`--engine-rpc-port=${engine}`, `--rpc-http-port=${http}`, '--p2p-enabled=false']
    const on = ['--engine-rpc-enabled', '--rpc-http-enabled', '--rpc-http-api=ENGINE,ETH']
    const child = spawn(process.execPath, [PROGRAM, ...files, ...ports, ...on], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    let output = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (text: Buffer) => {
        output += text
        if (output.includes('Cairn is up')) resolve()
      })
      child.once('close', () => reject(new Error(output)))
    })
    return child
  }
  const ask = async (
    method: string,
    params: unknown[],
    bearer: string | undefined = token(),
    port = engine,
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: bearer === '' ? {} : { authorization: `Bearer ${bearer}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: Answer; error?: { code: number } }
    return { status: response.status, result: result!, error }
  }
  const first = await start()
  const now = Math.floor(Date.now() / 1_000)
  for (const bad of ['', token(now - 70), token(now + 70), token(now, 'cd'.repeat(32)), 'x']) {
    assert.equal((await ask('eth_blockNumber', [], bad)).status, 401)
  }
  assert.equal((await ask('engine_exchangeCapabilities', [[]], '', http)).error?.code, -32604)
  const genesis = (await ask('eth_getBlockByNumber', ['0x0', false])).result.hash
  const attributes = {
    timestamp: '0xf',
    prevRandao: ZERO,
    suggestedFeeRecipient: `0x${'11'.repeat(20)}`,
    withdrawals: [],
  }
  const { payloadId } = (await ask('engine_forkchoiceUpdatedV2', [state(genesis), attributes])).result
  const { executionPayload } = (await ask('engine_getPayloadV2', [payloadId])).result
  assert.equal((await ask('engine_newPayloadV2', [executionPayload])).result.status, 'VALID')
  first.kill('SIGKILL')
  await once(first, 'close')
  const second = await start()
  assert.equal((await ask('eth_blockNumber', [])).result, '0x0')
  const { blockHash } = executionPayload
  const chosen = { ...state(blockHash), safeBlockHash: blockHash, finalizedBlockHash: genesis }
  const update = (await ask('engine_forkchoiceUpdatedV2', [chosen, null])).result
  assert.equal(update.payloadStatus.status, 'VALID')
  second.kill('SIGKILL')
  await once(second, 'close')
  await start()
  assert.equal((await ask('eth_getBlockByNumber', ['safe', false], '', http)).result.hash, blockHash)
  assert.equal((await ask('eth_getBlockByNumber', ['finalized', false], '', http)).result.hash, genesis)
})

test('--network=hoodi serves the Engine API on the genesis block of Hoodi', async (t) => {
  const port = await freePort()
  const args = [
    '--network=hoodi',
    `--engine-rpc-port=${port}`,
    '--engine-jwt-disabled',
    '--p2p-enabled=false',
  ]
  const node = await startNode(args)
  t.after(() => node.kill())
  const client = openRpcClient(port)
  t.after(() => client.close())
  const { result } = await client.call('eth_getBlockByNumber', 'latest', false)
  assert.equal((result as { hash: string }).hash, HOODI)
  const update = (await client.call('engine_forkchoiceUpdatedV3', state(HOODI), null)).result as Answer
  assert.equal(update.payloadStatus.status, 'VALID')
  assert.equal(await node.stop(), 0)
})

test('--network=ephemery refuses the database of another period, and says what to do', (t) => {
  const folder = temporaryDirectory(t)
  const [genesis, data] = [join(folder, 'genesis.json'), `--data-path=${join(folder, 'data')}`]
  // The period before the present one, as a clock that jumps over the end of a period leaves it.
  writeFileSync(genesis, ephemeryGenesisText(Date.now() - 28 * 24 * 60 * 60 * 1_000))
  const blocks = join(folder, 'blocks.rlp')
  writeFileSync(blocks, '')
  const begun = cairn([data, `--genesis-file=${genesis}`, '--logging=ERROR', 'blocks', 'import', blocks])
  assert.equal(begun.code, 0, begun.stderr)
  const { code, stderr } = cairn([data, '--network=ephemery', '--engine-rpc-port=0', '--logging=ERROR'])
  assert.notEqual(code, 0)
  assert.match(
    stderr,
    /belongs to another network.*every 28 days.*delete the database directory or choose another --data-path/,
  )
})
