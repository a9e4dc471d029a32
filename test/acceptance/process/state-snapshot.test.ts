/**
 * A state snapshot moves from one real node to another. The import is killed on the way; then the node follows the
 * network.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'
import { makeNetwork, start } from '../../support/validator-network.ts'

const FILLED = 1_500
const LATEST = 12
const WAIT_MAX_MS = 60_000

function manyAccounts(): Record<string, object> {
  const alloc: Record<string, object> = {}
  for (let index = 1; index <= FILLED; index++)
    alloc[`0x${index.toString(16).padStart(40, '0')}`] = { balance: `0x${(index * 7_919).toString(16)}` }
  const storage = Object.fromEntries(
    Array.from({ length: 500 }, (_, slot) => [`0x${slot.toString(16)}`, `0x${(slot + 1).toString(16)}`]),
  )
  alloc[`0x${'cc'.repeat(20)}`] = { balance: '0x0', code: '0x6001600055', storage }
  return alloc
}

test('a node begins with a state from a file, killed on the way, and follows the network from there', {
  timeout: 240_000,
}, async (context) => {
  const network = makeNetwork(context, 'qbft', manyAccounts())
  const cwd = temporaryDirectory(context)
  const file = join(cwd, 'state.bin')
  const until = async (port: number, height: number) => {
    const client = openRpcClient(port)
    const endMs = performance.now() + WAIT_MAX_MS
    for (;;) {
      const { result } = await client.call('eth_blockNumber')
      if (Number(result) >= height) break
      assert.ok(performance.now() < endMs, `stays at ${result}`)
      await pause(100)
    }
    client.close()
  }
  const first = await start(context, network)
  await until(first.http, LATEST)
  assert.equal(await first.stop(), 0)

  const genesis = `--genesis-file=${join(network.folder, 'genesis.json')}`
  const exported = cairn([`--data-path=${network.data}`, 'state', 'export', `--to=${file}`], { cwd })
  assert.equal(exported.code, 0, exported.stderr)
  const said = /^Exported the state of block (\d+), (0x\w{64}), to .*: 1501 accounts and 500 slots\.\n$/.exec(
    exported.stdout,
  )
  assert.ok(said !== null, exported.stdout)
  const [number, hash] = [Number(said[1]), said[2]!]

  const data = join(cwd, 'follower')
  const args = [`--data-path=${data}`, genesis, '--logging=ERROR', 'state', 'import', `--from=${file}`]
  await killedImport(args, cwd)
  const imported = cairn(args, { cwd })
  assert.equal(imported.code, 0, imported.stderr)
  assert.match(imported.stderr, /^The state is of block \d+, 0x\w+\. Reading from byte \d+ of \d+ on\.\n/)
  assert.match(imported.stdout, /^Imported the state of block \d+, 0x\w+: 1501 accounts and 500 slots\./)
  assert.match(cairn(args, { cwd }).stderr, /holds a chain already, up to block \d+/)

  const validator = await start(context, network)
  const follower = await startNode(
    [genesis, '--rpc-http-enabled', '--rpc-http-api=ETH,ADMIN,NET,TRACE,DEBUG', '--discovery-enabled=false'],
    data,
  )
  context.after(() => follower.kill())
  const client = openRpcClient(follower.http)
  const source = openRpcClient(validator.http)
  context.after(() => [client, source].forEach((one) => void one.close()))
  const ask = async (method: string, ...params: unknown[]) => (await client.call(method, ...params)).result
  const codeOf = async (method: string, ...params: unknown[]) =>
    (await client.call(method, ...params)).error?.code
  const hex = (value: number) => `0x${value.toString(16)}`
  assert.equal(((await ask('eth_getBlockByNumber', hex(number), true)) as { hash: string }).hash, hash)
  assert.equal(
    await ask('eth_getBalance', `0x${hex(5).slice(2).padStart(40, '0')}`, 'latest'),
    hex(5 * 7_919),
  )
  assert.equal(Number(await ask('eth_getStorageAt', `0x${'cc'.repeat(20)}`, hex(9), 'latest')), 10)
  assert.equal(await ask('eth_getCode', `0x${'cc'.repeat(20)}`, 'latest'), '0x6001600055')
  assert.equal(await ask('eth_syncing'), false)
  assert.ok(await ask('eth_gasPrice'))
  assert.equal(await codeOf('eth_getBlockByNumber', hex(number - 1), false), 4444)
  assert.equal(await codeOf('eth_getBlockReceipts', hex(number - 1)), 4444)
  assert.equal(await codeOf('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }), 4444)
  assert.deepEqual(await ask('eth_getLogs', { fromBlock: hex(number), toBlock: 'latest' }), [])
  assert.equal(await ask('eth_getBalance', `0x${'cc'.repeat(20)}`, hex(number - 1)), null)
  assert.equal(await codeOf('trace_block', hex(number - 1)), 4444)
  assert.ok(await ask('eth_getBlockByNumber', '0x0', false))
  assert.ok(await ask('eth_feeHistory', hex(number), 'latest', null))

  assert.equal(await ask('admin_addPeer', (await source.call('net_enode')).result), true)
  await until(follower.http, number + 10)
  const place = hex(number + 10)
  const block = (await source.call('eth_getBlockByNumber', place, false)).result as { hash: string }
  assert.equal(((await ask('eth_getBlockByNumber', place, false)) as { hash: string }).hash, block.hash)
  assert.equal(await follower.stop(), 0)

  const again = cairn([`--data-path=${data}`, 'state', 'export', `--to=${file}`], { cwd })
  assert.equal(again.code, 0, again.stderr)
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
  const other = [`--data-path=${join(cwd, 'other')}`, genesis, 'state', 'import', `--from=${file}`]
  assert.match(cairn(other, { cwd }).stderr, /state\.bin is damaged at byte \d+/)
})

/** Kills the import soon after its start; a later import continues from there. */
async function killedImport(args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  // Its first line is written before the first account is read; all of them take less than 60 ms.
  child.stderr.once('data', () => child.kill('SIGKILL'))
  await once(child, 'exit')
}
