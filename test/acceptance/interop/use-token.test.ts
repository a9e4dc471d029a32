/**
 * Client libraries in their published versions against a development chain of the real program. Each plays the
 * scenario of token-story.ts over HTTP and WebSocket, with and without an access token. use-token-programs.test.ts
 * covers the command line programs.
 */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { Contract, ContractFactory, FetchRequest, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import {
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { HttpProvider, Web3, WebSocketProvider as Web3WebSocketProvider } from 'web3'
import { WebSocket } from 'ws'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { DEV_CHAIN_ID } from '#consensus/dev/dev-genesis.ts'
import type { SolidityContract } from '../../support/compile-solidity.ts'
import type { RunningNode } from '../../support/running-node.ts'
import { bearer, httpUrl, startNodePair, websocketUrl } from './guarded-nodes.ts'
import { compileToken } from './test-token.ts'
import {
  EXPECTED,
  GRANTS,
  NOBODY,
  NODE_ARGS,
  RECIPIENT,
  SENT,
  type Story,
  SUPPLY,
  until,
} from './token-story.ts'

type Text = `0x${string}`

const CHAIN = defineChain({
  id: DEV_CHAIN_ID,
  name: 'development',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

let token: SolidityContract
let open: RunningNode
let guarded: RunningNode
let stop: () => Promise<void>

before(async () => {
  ;({ open, guarded, stop } = await startNodePair(NODE_ARGS, GRANTS))
  token = compileToken()
})

after(() => stop?.())

async function ethersStory(
  t: TestContext,
  provider: JsonRpcProvider | WebSocketProvider,
  key: string,
): Promise<Story> {
  t.after(() => provider.destroy())
  const wallet = new Wallet(key, provider)
  const factory = new ContractFactory(token.abi, token.bytecode, wallet)
  const deployed = await factory.deploy(SUPPLY)
  await deployed.waitForDeployment()
  const contract = new Contract(await deployed.getAddress(), token.abi, wallet)
  // Calls without the wallet, which only calls for its own account.
  const reader = new Contract(await deployed.getAddress(), token.abi, provider)
  const watched: bigint[] = []
  await contract.on('Transfer', (_from, _to, value: bigint) => void watched.push(value))
  // The request that creates the subscription or filter is sent before this one is answered.
  await provider.getBlockNumber()
  const estimate = await contract.getFunction('transfer').estimateGas(RECIPIENT, SENT)
  const receipt = await (
    await contract.getFunction('transfer')(RECIPIENT, SENT, { gasLimit: estimate })
  ).wait()
  await until(() => watched.length > 0)
  const logs = await contract.queryFilter('Transfer', 0)
  const failure = await reader
    .getFunction('transfer')
    .staticCall(RECIPIENT, 1n, { from: NOBODY })
    .catch((error) => error)
  // The library batches calls that are made at the same time.
  const [network, nothing] = await Promise.all([
    provider.getNetwork(),
    contract.getFunction('balanceOf')(NOBODY),
  ])
  await contract.removeAllListeners()
  return {
    supply: await contract.getFunction('totalSupply')(),
    balance: await contract.getFunction('balanceOf')(RECIPIENT),
    isSuccess: receipt.status === 1,
    found: logs.map((log) => ('args' in log ? log.args.value : undefined)),
    watched,
    error: failure.revert?.name,
    isEstimateEnough: receipt.gasUsed <= estimate,
    knowsFee: (await provider.getFeeData()).gasPrice !== null,
    batch: [Number(network.chainId), nothing],
  }
}

test('ethers 6 over HTTP, and with a token', async (t) => {
  for (const node of [open, guarded]) {
    const request = new FetchRequest(httpUrl(node))
    if (node === guarded) request.setHeader('authorization', await bearer(node.http))
    const provider = new JsonRpcProvider(request, undefined, { pollingInterval: 100, cacheTimeout: -1 })
    assert.deepEqual(await ethersStory(t, provider, DEV_ACCOUNTS[0]!.privateKey), EXPECTED)
  }
})

test('ethers 6 over WebSocket, and with a token', async (t) => {
  for (const node of [open, guarded]) {
    const headers = node === guarded ? { authorization: await bearer(node.websocket) } : {}
    const connect = () => new WebSocket(websocketUrl(node), { headers }) as never
    const provider = new WebSocketProvider(connect, undefined, { cacheTimeout: -1 })
    assert.deepEqual(await ethersStory(t, provider, DEV_ACCOUNTS[0]!.privateKey), EXPECTED)
  }
})

test('viem over HTTP and WebSocket, and with a token', async (t) => {
  const account = privateKeyToAccount(DEV_ACCOUNTS[1]!.privateKey as Text)
  const fetchOptions = { headers: { authorization: await bearer(guarded.http) } }
  for (const transport of [
    http(httpUrl(open), { batch: true }),
    http(httpUrl(guarded), { batch: true, fetchOptions }),
    webSocket(websocketUrl(open), { reconnect: false }),
  ]) {
    const client = createPublicClient({ transport, chain: CHAIN, pollingInterval: 100, cacheTime: 0 })
    const wallet = createWalletClient({ account, transport, chain: CHAIN })
    const hash = await wallet.deployContract({ abi: token.abi, bytecode: token.bytecode, args: [SUPPLY] })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    const contract = { address: contractAddress!, abi: token.abi } as const
    const watched: bigint[] = []
    const stop = client.watchContractEvent({
      ...contract,
      eventName: 'Transfer',
      onLogs: (logs) =>
        void watched.push(...logs.map((log) => (log as unknown as { args: { value: bigint } }).args.value)),
    })
    t.after(async () => {
      stop()
      if ('getRpcClient' in client.transport) (await client.transport.getRpcClient()).close()
    })
    const transfer = { ...contract, functionName: 'transfer', account } as const
    const gas = await client.estimateContractGas({ ...transfer, args: [RECIPIENT, SENT] })
    // Gives the library time to create its filter, which reports only later logs.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const sent = await wallet.writeContract({ ...transfer, args: [RECIPIENT, SENT], gas })
    const receipt = await client.waitForTransactionReceipt({ hash: sent })
    await until(() => watched.length > 0)
    const logs = await client.getContractEvents({ ...contract, eventName: 'Transfer', fromBlock: 0n })
    const failure = await client
      .simulateContract({ ...transfer, args: [RECIPIENT, 1n], account: NOBODY })
      .catch((error: BaseError) => error.walk((each) => each instanceof ContractFunctionRevertedError))
    const read = (functionName: string, ...args: unknown[]) =>
      client.readContract({ ...contract, functionName, args }) as Promise<bigint>
    const [chainId, nothing] = await Promise.all([client.getChainId(), read('balanceOf', NOBODY)])
    const story: Story = {
      supply: await read('totalSupply'),
      balance: await read('balanceOf', RECIPIENT),
      isSuccess: receipt.status === 'success',
      found: logs.map((log) => (log as unknown as { args: { value: bigint } }).args.value),
      watched,
      error: (failure as ContractFunctionRevertedError).data!.errorName,
      isEstimateEnough: receipt.gasUsed <= gas,
      knowsFee: (await client.estimateFeesPerGas()).maxFeePerGas >= 0n,
      batch: [chainId, nothing],
    }
    assert.deepEqual(story, EXPECTED)
  }
})

test('web3.js over HTTP and WebSocket, and with a token', async (t) => {
  const headers = { authorization: await bearer(guarded.http) }
  const websocketHeaders = { authorization: await bearer(guarded.websocket) }
  for (const [provider, stays] of [
    [new HttpProvider(httpUrl(open)), false],
    [new HttpProvider(httpUrl(guarded), { providerOptions: { headers } }), false],
    [new Web3WebSocketProvider(websocketUrl(open)), true],
    [new Web3WebSocketProvider(websocketUrl(guarded), { headers: websocketHeaders } as never), true],
  ] as const) {
    const web3 = new Web3(provider as never)
    t.after(() => stays && provider.disconnect())
    const from = web3.eth.accounts.wallet.add(DEV_ACCOUNTS[2]!.privateKey).get(0)!.address
    const contract = new web3.eth.Contract(token.abi, { from, dataInputFill: 'data' } as never)
    const deployed = await contract
      .deploy({ data: token.bytecode, arguments: [SUPPLY] } as never)
      .send({ from })
    const { address } = deployed.options
    const watched: bigint[] = []
    const filter = stays
      ? undefined
      : await web3.requestManager.send({ method: 'eth_newFilter', params: [{ address }] } as never)
    const subscription = stays ? await web3.eth.subscribe('logs', { address: address! }) : undefined
    subscription?.on('data', ({ data }) => void watched.push(BigInt(String(data))))
    const methods = deployed.methods as unknown as Record<
      string,
      (...args: unknown[]) => {
        estimateGas(options: object): Promise<bigint>
        send(options: object): Promise<{ status: bigint; gasUsed: bigint }>
        call(options?: object): Promise<bigint>
      }
    >
    const gas = await methods.transfer!(RECIPIENT, SENT).estimateGas({ from })
    const receipt = await methods.transfer!(RECIPIENT, SENT).send({ from, gas: String(gas) })
    if (filter !== undefined) {
      const changes = await web3.requestManager.send({
        method: 'eth_getFilterChanges',
        params: [filter],
      } as never)
      watched.push(...(changes as { data: string }[]).map(({ data }) => BigInt(data)))
    }
    await until(() => watched.length > 0)
    const logs = await web3.eth.getPastLogs({ address: address!, fromBlock: '0x0', toBlock: 'latest' })
    const failure = await methods.transfer!(RECIPIENT, 1n)
      .call({ from: NOBODY })
      .catch((error) => error)
    const batch = new web3.BatchRequest()
    const asked = [
      batch.add({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] } as never),
      batch.add({
        jsonrpc: '2.0',
        id: 2,
        method: 'eth_getTransactionCount',
        params: [NOBODY, 'latest'],
      } as never),
    ]
    if (!stays) await batch.execute()
    const [chainId, nothing] = stays
      ? [await web3.eth.getChainId(), await methods.balanceOf!(NOBODY).call()]
      : await Promise.all(asked)
    const story: Story = {
      supply: await methods.totalSupply!().call(),
      balance: await methods.balanceOf!(RECIPIENT).call(),
      isSuccess: receipt.status === 1n,
      found: logs.map((log) => BigInt(String((log as { data: unknown }).data))),
      watched,
      error: failure.cause?.errorName ?? failure.innerError?.errorName,
      isEstimateEnough: receipt.gasUsed <= gas,
      knowsFee: (await web3.eth.calculateFeeData()).gasPrice !== undefined,
      batch: [Number(chainId), BigInt(nothing as never)],
    }
    assert.deepEqual(story, EXPECTED)
  }
})
