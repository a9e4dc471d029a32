/**
 * The development network as contract developers use it: one command, a transaction, its receipt. After a kill and a
 * restart the chain continues with the next transaction.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEV_ACCOUNTS, DEV_CHAIN_ID } from '#consensus/dev/dev-genesis.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/wallet.fixture.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'

const [from, to] = DEV_ACCOUNTS
/** Far more than an idle machine needs; the test prints the measured time. */
const MAX_RECEIPT_MS = 60_000
/**
 * CPU time of all threads from program start to the first receipt. With two cores that is less than three seconds.
 */
const MAX_CPU_MS = 6_000
const TICKS_PER_SECOND = 100

function transfer(nonce: number): string {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n, accessList: [] }
  const value = { to: parseAddress(to!.address), value: 1n, gasLimit: 21_000n, data: new Uint8Array(0) }
  const fields = { type: 2, chainId: BigInt(DEV_CHAIN_ID), nonce: BigInt(nonce), ...value, ...fees } as const
  return formatData(signTransaction(fields, parseData(from!.privateKey)).encoded)
}

async function send(client: RpcClient, nonce: number): Promise<void> {
  const { result: hash, error } = await client.call('eth_sendRawTransaction', transfer(nonce))
  assert.equal(error, undefined)
  const deadline = Date.now() + MAX_RECEIPT_MS
  for (;;) {
    const { result } = await client.call('eth_getTransactionReceipt', hash)
    if (result) return assert.equal((result as { readonly status: string }).status, '0x1')
    assert.ok(Date.now() < deadline, `no receipt of nonce ${nonce}`)
  }
}

function cpuMsOf({ pid }: RunningNode): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000
}

test('one command starts a chain that includes transactions at once and survives a restart and a kill', async (context) => {
  const data = mkdtempSync(join(tmpdir(), 'cairn-dev-'))
  context.after(() => rmSync(data, { recursive: true, force: true }))
  let nonce = 0
  for (const end of ['stop', 'kill', 'stop'] as const) {
    const startMs = Date.now()
    const node = await startNode(['--network=dev'], data)
    const client = openRpcClient(node.http)
    await send(client, nonce++)
    const [wallMs, cpuMs] = [Date.now() - startMs, cpuMsOf(node)]
    context.diagnostic(`first receipt ${wallMs} ms after the command, CPU ${cpuMs} ms`)
    assert.ok(cpuMs < MAX_CPU_MS, `${cpuMs} ms of CPU until the first receipt`)
    for (let more = 0; more < 3; more++) await send(client, nonce++)
    const { result: height } = await client.call('eth_blockNumber')
    assert.equal(Number(height), nonce, 'not one block for each transaction')
    if (end === 'stop') {
      for (const { address, privateKey } of DEV_ACCOUNTS) {
        assert.ok(node.output().includes(address) && node.output().includes(privateKey))
      }
    }
    client.close()
    if (end === 'kill') await node.kill()
    else assert.equal(await node.stop(), 0, node.output())
    assert.doesNotMatch(node.output(), /"level":"ERROR"/)
  }
})

test('with a period the development network produces empty blocks', async () => {
  const node = await startNode(['--network=dev', '--dev-block-period-seconds=1'])
  const client = openRpcClient(node.http)
  const deadline = Date.now() + MAX_RECEIPT_MS
  for (;;) {
    const { result } = await client.call('eth_getBlockByNumber', '0x2', false)
    if (result) break
    assert.ok(Date.now() < deadline, 'no second block')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  client.close()
  assert.equal(await node.stop(), 0, node.output())
})
