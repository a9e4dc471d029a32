/**
 * The development network as contract developers use it: one command, a transaction, its receipt. After a kill and a
 * restart the chain continues with the next transaction.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { DEV_CHAIN_ID } from '#consensus/dev/dev-genesis.ts'
import { parseAddress } from '#types/address.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'

const [from, to] = DEV_ACCOUNTS
/** Far more than an idle machine needs. */
const MAX_BLOCK_MS = 60_000
/**
 * CPU time of all threads from program start to the first receipt. With two cores that is less than three seconds.
 */
const MAX_CPU_MS = 6_000
/** Less than the time that an answer waits for a block. */
const MAX_ANSWER_MS = 9_000
const TICKS_PER_SECOND = 100

interface Sent {
  readonly key?: string
  readonly nonce: number
  /** Undefined creates a contract. */
  readonly to?: string
  readonly gas?: number
  readonly data?: string
  readonly tip?: bigint
}

function signed({
  key = from!.privateKey,
  nonce,
  gas = 21_000,
  data = '0x',
  tip = 0n,
  ...rest
}: Sent): string {
  const fees = { maxFeePerGas: tip, maxPriorityFeePerGas: tip, accessList: [] }
  const to = rest.to === undefined ? null : parseAddress(rest.to)
  const fields = {
    to,
    value: 0n,
    gasLimit: BigInt(gas),
    data: parseData(data),
    chainId: BigInt(DEV_CHAIN_ID),
  }
  const transaction = signTransaction({ type: 2, nonce: BigInt(nonce), ...fields, ...fees }, parseData(key))
  return formatData(transaction.encoded)
}

async function receiptOf(client: RpcClient, hash: unknown): Promise<{ readonly status: string } | null> {
  const { result } = await client.call('eth_getTransactionReceipt', hash)
  return result as { readonly status: string } | null
}

/** The receipt exists when the transaction is answered. */
async function send(client: RpcClient, transaction: Sent, status = '0x1'): Promise<void> {
  const { result: hash, error } = await client.call('eth_sendRawTransaction', signed(transaction))
  assert.equal(error, undefined)
  assert.equal((await receiptOf(client, hash))?.status, status, `nonce ${transaction.nonce}`)
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
    await send(client, { nonce: nonce++, to: to!.address, tip: 1n })
    const [wallMs, cpuMs] = [Date.now() - startMs, cpuMsOf(node)]
    context.diagnostic(`first receipt ${wallMs} ms after the command, CPU ${cpuMs} ms`)
    assert.ok(cpuMs < MAX_CPU_MS, `${cpuMs} ms of CPU until the first receipt`)
    for (let more = 0; more < 3; more++) await send(client, { nonce: nonce++, to: to!.address, tip: 1n })
    const { result: height } = await client.call('eth_blockNumber')
    assert.equal(Number(height), nonce, 'not one block for each transaction')
    assert.match(node.output(), /Transaction included/)
    if (end === 'stop') {
      assert.match(node.output(), new RegExp(`"url":"http://127.0.0.1:${node.http}".*"chainId":1337`))
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
  const deadline = Date.now() + MAX_BLOCK_MS
  for (;;) {
    const { result } = await client.call('eth_getBlockByNumber', '0x2', false)
    if (result) break
    assert.ok(Date.now() < deadline, 'no second block')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  client.close()
  assert.equal(await node.stop(), 0, node.output())
})

/** A new account; gas is free. */
function otherKey(index: number): string {
  return `0x${(index + 1).toString(16).padStart(64, '0')}`
}

test('the answer to a transaction comes after its receipt', async (context) => {
  const node = await startNode(['--network=dev', '--rpc-threads=2'])
  const client = openRpcClient(node.http)
  context.after(() => node.stop())
  context.after(() => client.close())
  const recipient = to!.address
  await context.test('40 of one sender, one after the other', async () => {
    for (let nonce = 0; nonce < 40; nonce++) await send(client, { nonce, to: recipient })
  })
  await context.test('100 senders at once, who read from another connection', async () => {
    const clients = Array.from({ length: 100 }, () => openRpcClient(node.http))
    const hashes = await Promise.all(
      clients.map(async (sender, index) => {
        const transaction = signed({ key: otherKey(index), nonce: 0, to: recipient })
        const { result } = await sender.call('eth_sendRawTransaction', transaction)
        assert.ok(await receiptOf(clients[(index + 1) % 100]!, result), `sender ${index}`)
        return result
      }),
    )
    assert.equal(new Set(hashes).size, 100)
    for (const each of clients) each.close()
  })
  await context.test('several of one sender in a batch', async () => {
    const key = otherKey(150)
    const batch = [0, 1, 2].map((nonce) => ({
      ...{ jsonrpc: '2.0', id: nonce, method: 'eth_sendRawTransaction' },
      params: [signed({ key, nonce, to: recipient })],
    }))
    const response = await fetch(`http://127.0.0.1:${node.http}`, {
      method: 'POST',
      body: JSON.stringify(batch),
    })
    for (const { result } of (await response.json()) as { result: string }[]) {
      assert.equal((await receiptOf(client, result))?.status, '0x1')
    }
  })
  await context.test('a revert, too little gas, a contract', async () => {
    const key = otherKey(151)
    await send(client, { key, nonce: 0, gas: 60_000, data: '0x60006000fd' }, '0x0')
    await send(client, { key, nonce: 1, gas: 60_000, data: '0x5b600056' }, '0x0')
    await send(client, { key, nonce: 2, gas: 60_000, data: '0x00' })
    assert.match(
      node.output(),
      /"status":"failed".*"method":"creation".*"reason":"reverted without a reason"/,
    )
    assert.match(node.output(), /"status":"failed".*"reason":"out of gas or an invalid instruction"/)
  })
  await context.test('at once if a nonce is missing, and the gap is filled later', async () => {
    const key = otherKey(152)
    const { result: later } = await client.call(
      'eth_sendRawTransaction',
      signed({ key, nonce: 1, to: recipient }),
    )
    assert.equal(await receiptOf(client, later), null)
    await send(client, { key, nonce: 0, to: recipient })
    assert.equal((await receiptOf(client, later))?.status, '0x1')
  })
  await context.test('an error if the pool refuses it', async () => {
    const { error } = await client.call('eth_sendRawTransaction', signed({ nonce: 0, to: recipient }))
    assert.equal(error?.message, 'Nonce too low')
  })
})

test('a node that stops answers the senders who wait', async () => {
  const node = await startNode(['--network=dev'])
  const clients = Array.from({ length: 20 }, () => openRpcClient(node.http))
  const sent = clients.map((client, index) =>
    client.call('eth_sendRawTransaction', signed({ key: otherKey(index), nonce: 0, to: to!.address })),
  )
  const outcomes = Promise.allSettled(sent)
  await sent[0]
  assert.equal(await node.stop(), 0, node.output())
  for (const outcome of await outcomes) {
    // A request that the node had not read ends with its connection.
    if (outcome.status === 'rejected') assert.match(String(outcome.reason), /ECONNRESET|hang up|ECONNREFUSED/)
    else assert.equal(outcome.value.error, undefined)
  }
  for (const client of clients) client.close()
})

test('a full pool answers at once', async (context) => {
  const node = await startNode(['--network=dev', '--tx-pool-max-size=1'])
  const client = openRpcClient(node.http)
  context.after(() => node.stop())
  context.after(() => client.close())
  const waiting = signed({ key: otherKey(0), nonce: 1, to: to!.address, tip: 5n })
  await client.call('eth_sendRawTransaction', waiting)
  const startMs = Date.now()
  const answers = await Promise.all(
    [1, 2, 3].map((index) =>
      client.call('eth_sendRawTransaction', signed({ key: otherKey(index), nonce: 0, to: to!.address })),
    ),
  )
  for (const { result, error } of answers) assert.ok(error !== undefined || (await receiptOf(client, result)))
  assert.ok(Date.now() - startMs < MAX_ANSWER_MS, 'an answer waited for its time limit')
})
