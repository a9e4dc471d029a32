/**
 * Client libraries in their published versions read an imported chain: blocks, transactions, receipts, logs, current
 * and past state, calls, estimates, fees and filters. Each must find the same facts through its own API.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, hexToBigInt, http } from 'viem'
import { Web3 } from 'web3'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import * as fixture from '../conversations/fixture-chain.ts'
import {
  BUSY_BLOCK,
  EARLIER_BLOCK,
  type Facts,
  FEE_BLOCKS,
  type ReadableChain,
  serveChain,
} from './imported-chain.ts'

/** The libraries declare hex values like this. */
type Text = `0x${string}`
const COUNTER = fixture.COUNTER as string as Text
const REVERTER = fixture.REVERTER as string as Text
const RICH = fixture.RICH as string as Text
const SOMEBODY = fixture.SOMEBODY as string as Text

let chain: ReadableChain

before(async () => {
  chain = await serveChain()
})

after(async () => {
  await chain?.node.stop()
})

const bytesOf = (code: string | undefined): number => ((code ?? '0x').length - 2) / 2

test('ethers 6', async (t) => {
  const provider = new JsonRpcProvider(chain.url)
  t.after(() => provider.destroy())
  await chain.removeLast()
  const filter = await provider.send('eth_newBlockFilter', [])
  await chain.importLast()
  const newBlocks = await provider.send('eth_getFilterChanges', [filter])
  const block = await provider.getBlock(BUSY_BLOCK, true)
  const receipts = await Promise.all(block!.transactions.map((hash) => provider.getTransactionReceipt(hash)))
  const logs = await provider.getLogs({ address: COUNTER, fromBlock: 0, toBlock: 'latest' })
  const fees = await provider.send('eth_feeHistory', [`0x${FEE_BLOCKS}`, 'latest', [50]])
  const call = { to: COUNTER }
  const facts: Facts = {
    chainId: (await provider.getNetwork()).chainId,
    head: BigInt(await provider.getBlockNumber()),
    blockHash: block!.hash!,
    transactionHashes: block!.transactions,
    sender: block!.prefetchedTransactions[0]!.from.toLowerCase(),
    statuses: receipts.map((receipt) => receipt!.status === 1),
    logs: logs.map(({ blockNumber, topics, data }) => ({
      block: BigInt(blockNumber),
      topic: BigInt(topics[0]!),
      data: BigInt(data),
    })),
    balance: await provider.getBalance(SOMEBODY),
    earlierBalance: await provider.getBalance(SOMEBODY, EARLIER_BLOCK),
    nonce: BigInt(await provider.getTransactionCount(RICH)),
    codeBytes: bytesOf(await provider.getCode(COUNTER)),
    slot: BigInt(await provider.getStorage(COUNTER, 0)),
    called: BigInt(await provider.call(call)),
    calledEarlier: BigInt(await provider.call({ ...call, blockTag: EARLIER_BLOCK })),
    transferGas: await provider.estimateGas({ from: RICH, to: SOMEBODY, value: 1n }),
    oldestOfFees: BigInt(fees.oldestBlock),
    baseFees: fees.baseFeePerGas.length,
    newBlocks,
  }
  assert.deepEqual(facts, chain.facts)
  assert.notEqual((await provider.getFeeData()).maxFeePerGas, null)
  await assert.rejects(provider.call({ to: REVERTER }), { code: 'CALL_EXCEPTION', reason: 'no' })
})

test('viem', async () => {
  const client = createPublicClient({ transport: http(chain.url, { retryCount: 0 }) })
  await chain.removeLast()
  const filter = await client.createBlockFilter()
  await chain.importLast()
  const newBlocks = await client.getFilterChanges({ filter })
  assert.equal(await client.uninstallFilter({ filter }), true)
  const block = await client.getBlock({ blockNumber: BigInt(BUSY_BLOCK), includeTransactions: true })
  const transactionHashes = block.transactions.map(({ hash }) => hash)
  const receipts = await Promise.all(transactionHashes.map((hash) => client.getTransactionReceipt({ hash })))
  const events = await client.createEventFilter({ address: COUNTER, fromBlock: 0n })
  const logs = await client.getFilterLogs({ filter: events })
  assert.deepEqual(await client.getLogs({ address: COUNTER, fromBlock: 0n, toBlock: 'latest' }), logs)
  const fees = await client.getFeeHistory({ blockCount: FEE_BLOCKS, rewardPercentiles: [50] })
  const earlier = { blockNumber: BigInt(EARLIER_BLOCK) }
  const facts: Facts = {
    chainId: BigInt(await client.getChainId()),
    head: await client.getBlockNumber(),
    blockHash: block.hash,
    transactionHashes,
    sender: block.transactions[0]!.from,
    statuses: receipts.map(({ status }) => status === 'success'),
    logs: logs.map(({ blockNumber, topics, data }) => ({
      block: blockNumber,
      topic: hexToBigInt(topics[0]!),
      data: hexToBigInt(data),
    })),
    balance: await client.getBalance({ address: SOMEBODY }),
    earlierBalance: await client.getBalance({ address: SOMEBODY, ...earlier }),
    nonce: BigInt(await client.getTransactionCount({ address: RICH })),
    codeBytes: bytesOf(await client.getCode({ address: COUNTER })),
    slot: hexToBigInt((await client.getStorageAt({ address: COUNTER, slot: '0x0' }))!),
    called: hexToBigInt((await client.call({ to: COUNTER })).data!),
    calledEarlier: hexToBigInt((await client.call({ to: COUNTER, ...earlier })).data!),
    transferGas: await client.estimateGas({ account: RICH, to: SOMEBODY, value: 1n }),
    oldestOfFees: fees.oldestBlock,
    baseFees: fees.baseFeePerGas.length,
    newBlocks,
  }
  assert.deepEqual(facts, chain.facts)
  const proof = await client.getProof({ address: COUNTER, storageKeys: [`0x${'0'.repeat(64)}`] })
  assert.equal(proof.storageProof[0]!.value, chain.facts.slot)
  const [simulated] = await client.simulateBlocks({ blocks: [{ calls: [{ to: COUNTER, account: RICH }] }] })
  assert.equal(hexToBigInt(simulated!.calls[0]!.data), chain.facts.called)
  await assert.rejects(client.call({ to: REVERTER }), /no/)
})

test('web3.js 4', async () => {
  const { eth } = new Web3(chain.url)
  await chain.removeLast()
  const filter = await eth.createNewBlockFilter()
  await chain.importLast()
  const newBlocks = (await eth.getFilterChanges(filter)) as unknown as string[]
  const block = await eth.getBlock(BUSY_BLOCK, true)
  const transactions = block.transactions as unknown as readonly { hash: string; from: string }[]
  const receipts = await Promise.all(transactions.map(({ hash }) => eth.getTransactionReceipt(hash)))
  const logs = await eth.getPastLogs({ address: COUNTER, fromBlock: 0, toBlock: 'latest' })
  const fees = await eth.getFeeHistory(FEE_BLOCKS, 'latest', [50])
  const facts: Facts = {
    chainId: await eth.getChainId(),
    head: await eth.getBlockNumber(),
    blockHash: String(block.hash),
    transactionHashes: transactions.map(({ hash }) => hash),
    sender: transactions[0]!.from,
    statuses: receipts.map(({ status }) => status === 1n),
    logs: logs.map((log) => {
      assert(typeof log !== 'string')
      return {
        block: BigInt(log.blockNumber!),
        topic: BigInt(log.topics![0]!),
        data: BigInt(String(log.data)),
      }
    }),
    balance: await eth.getBalance(SOMEBODY),
    earlierBalance: await eth.getBalance(SOMEBODY, EARLIER_BLOCK),
    nonce: await eth.getTransactionCount(RICH),
    codeBytes: bytesOf(await eth.getCode(COUNTER)),
    slot: BigInt(await eth.getStorageAt(COUNTER, 0)),
    called: BigInt(await eth.call({ to: COUNTER })),
    calledEarlier: BigInt(await eth.call({ to: COUNTER }, EARLIER_BLOCK)),
    transferGas: await eth.estimateGas({ from: RICH, to: SOMEBODY, value: 1n }),
    oldestOfFees: BigInt(fees.oldestBlock),
    baseFees: (fees.baseFeePerGas as unknown as readonly unknown[]).length,
    newBlocks,
  }
  assert.deepEqual(facts, chain.facts)
  await assert.rejects(eth.call({ to: REVERTER }))
})

const run = promisify(execFile)
const CAST = join(CHECKOUT, 'node_modules', '.bin', 'cast')

test('cast', async () => {
  const cast = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await run(CAST, [...args, '--rpc-url', chain.url])
    // Its launcher always exits with 0, so errors show only in stderr.
    if (stderr !== '') throw new Error(stderr)
    return stdout.trim()
  }
  const json = async (...args: string[]) => JSON.parse(await cast(...args, '--json'))
  const earlier = ['--block', String(EARLIER_BLOCK)]
  await chain.removeLast()
  const filter = JSON.parse(await cast('rpc', 'eth_newBlockFilter'))
  await chain.importLast()
  const newBlocks = JSON.parse(await cast('rpc', 'eth_getFilterChanges', filter))
  const block = await json('block', String(BUSY_BLOCK), '--full')
  const transactionHashes: string[] = block.transactions.map(({ hash }: { hash: string }) => hash)
  const receipts = await Promise.all(transactionHashes.map((hash) => json('receipt', hash)))
  const logs = await json('logs', '--from-block', '0', '--to-block', 'latest', '--address', COUNTER)
  const fees = JSON.parse(await cast('rpc', 'eth_feeHistory', `0x${FEE_BLOCKS}`, 'latest', '[50]'))
  const facts: Facts = {
    chainId: BigInt(await cast('chain-id')),
    head: BigInt(await cast('block-number')),
    blockHash: block.hash,
    transactionHashes,
    sender: block.transactions[0].from,
    statuses: receipts.map(({ status }) => status === '0x1'),
    logs: logs.map(({ blockNumber, topics, data }: Record<string, string>) => ({
      block: BigInt(blockNumber!),
      topic: BigInt(topics![0]!),
      data: BigInt(data!),
    })),
    balance: BigInt(await cast('balance', SOMEBODY)),
    earlierBalance: BigInt(await cast('balance', SOMEBODY, ...earlier)),
    nonce: BigInt(await cast('nonce', RICH)),
    codeBytes: bytesOf(await cast('code', COUNTER)),
    slot: BigInt(await cast('storage', COUNTER, '0')),
    called: BigInt(await cast('call', COUNTER, 'count()(uint256)')),
    calledEarlier: BigInt(await cast('call', COUNTER, 'count()(uint256)', ...earlier)),
    transferGas: BigInt(await cast('estimate', '--from', RICH, SOMEBODY, '--value', '1')),
    oldestOfFees: BigInt(fees.oldestBlock),
    baseFees: fees.baseFeePerGas.length,
    newBlocks,
  }
  assert.deepEqual(facts, chain.facts)
  await assert.rejects(cast('call', REVERTER, 'count()(uint256)'), /error code 3: Execution reverted \(no\)/)
})
