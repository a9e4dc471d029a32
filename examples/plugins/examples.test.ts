/** The example plugins, each in a node with its counterpart. */
import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { type EmbeddedNode, embedNode } from '#node/create-node.ts'
import { startWithPlugin } from '#node/plugins/plugin-test.ts'
import { parseAddress } from '#types/address.ts'
import { sign } from '#types/curve.ts'
import { parseData } from '#types/hex.ts'
import { temporaryDirectory } from '../../test/support/program.ts'
import { signedTransfer, type TransferTerms } from '../../test/support/signed-transfer.ts'
import { makeNetwork, moreBlocks, start } from '../../test/support/validator-network.ts'

const [first, second] = DEV_ACCOUNTS
const here = (name: string) => new URL(`./${name}.ts`, import.meta.url)
const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 50))

async function send(node: EmbeddedNode, account: typeof first, nonce: bigint, terms?: TransferTerms) {
  const params = [signedTransfer(account!, nonce, terms)]
  const hash = await node.provider.request({ method: 'eth_sendRawTransaction', params })
  for (;;) {
    const receipt = await node.provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    if (receipt !== null)
      return receipt as { readonly contractAddress: string | null; readonly blockNumber: string }
    await pause()
  }
}

async function listen(t: TestContext, answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(answer as never)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request)).toString()
}

/** Emits its call data as a log without topics. */
const ECHO = parseData('0x600b600c600039600b6000f3366000600037366000a000')

test('the webhook sink delivers every log in order, also when the receiver refuses and the node restarts', async (t) => {
  const received: { readonly id: string; readonly data: string }[] = []
  let refusals = 2
  const url = await listen(t, async (request, response) => {
    const { events } = JSON.parse(await bodyOf(request))
    response.statusCode = request.headers.authorization === 'Bearer s3' && refusals-- <= 0 ? 200 : 503
    if (response.statusCode === 200) received.push(...events)
    response.end()
  })
  const dataPath = temporaryDirectory(t)
  const options = { 'plugin-webhook-url': url, 'plugin-webhook-secret': 's3' }
  let node = await startWithPlugin(here('webhook-sink'), { dataPath, options })
  const { contractAddress } = await send(node, first, 0n, { to: null, data: ECHO, gasLimit: 200_000n })
  const log = (nonce: bigint) =>
    send(node, first, nonce, {
      to: parseAddress(contractAddress!),
      data: Uint8Array.of(Number(nonce)),
      gasLimit: 100_000n,
    })
  for (const nonce of [1n, 2n, 3n]) await log(nonce)
  while (received.length < 3) await pause()
  await node.stop()
  node = await startWithPlugin(here('webhook-sink'), { dataPath, options })
  await log(4n)
  while (received.length < 4) await pause()
  await node.stop()
  assert.deepEqual(
    received.map(({ data }) => data),
    ['0x01', '0x02', '0x03', '0x04'],
  )
  assert.equal(new Set(received.map(({ id }) => id)).size, 4)
})

/**
 * Keeps permissions in its storage: isPermitted(account), and with a second word a setter. The first account is
 * permitted.
 */
function registry(): Uint8Array {
  const runtime = '366024106013576004355460005260206000f35b6024356004355500'
  return parseData(`0x600173${first!.address.slice(2)}55601c6024600039601c6000f3${runtime}`)
}

test('the account rule admits permitted accounts and applies changes with the next block', async (t) => {
  const dataPath = temporaryDirectory(t)
  const bare = await embedNode({
    dataPath,
    options: { network: 'dev', 'rpc-http-port': 0, 'rpc-ws-port': 0 },
  })
  const { contractAddress } = await send(bare, first, 0n, { to: null, data: registry(), gasLimit: 200_000n })
  await bare.stop()
  const options = { 'plugin-account-rule-contract': contractAddress! }
  const node = await startWithPlugin(here('account-rule'), { dataPath, options })
  t.after(() => node.stop())
  await assert.rejects(send(node, second, 0n), /Plugin has marked the transaction as not acceptable/)
  const word = (value: string) => value.padStart(64, '0')
  const permit = parseData(`0x00000000${word(second!.address.slice(2))}${word('1')}`)
  await send(node, first, 1n, { to: parseAddress(contractAddress!), data: permit, gasLimit: 100_000n })
  for (;;) {
    try {
      await send(node, second, 0n)
      break
    } catch {
      await pause()
    }
  }
})

test('a validator with a remote signer makes blocks, stops while the signer is away and continues', async (t) => {
  const network = makeNetwork(t, 'qbft')
  const keyFile = network.args.find((arg) => arg.startsWith('--node-private-key-file='))!.split('=')[1]!
  const key = parseData(readFileSync(keyFile, 'utf8').trim())
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(key)
  let isAway = false
  const url = await listen(t, async (request, response) => {
    const body = await bodyOf(request)
    const { digest, publicKey } = body === '' ? ({} as Record<string, string>) : JSON.parse(body)
    response.statusCode = isAway || request.headers.authorization !== 'Bearer t0ken' ? 503 : 200
    const results: Readonly<Record<string, () => Uint8Array>> = {
      '/publicKey': () => pair.getPublicKey().subarray(1),
      '/sign': () => sign(key, parseData(digest)),
      '/ecdh': () => pair.computeSecret(Buffer.concat([Buffer.of(4), parseData(publicKey)])),
    }
    const result = response.statusCode === 200 && results[request.url!]!()
    response.end(JSON.stringify({ result: result && `0x${Buffer.from(result).toString('hex')}` }))
  })
  mkdirSync(join(network.data, 'plugins'))
  copyFileSync(here('remote-signer'), join(network.data, 'plugins', 'remote-signer.ts'))
  writeFileSync(join(network.data, 'token'), 't0ken\n')
  const args = [
    ...network.args.filter((arg) => !arg.startsWith('--node-private-key-file=')),
    '--security-module=remote-signer',
    `--plugin-remote-signer-url=${url}`,
    `--plugin-remote-signer-token-file=${join(network.data, 'token')}`,
  ]
  const node = await start(t, { ...network, args })
  await moreBlocks(node, 2)
  isAway = true
  const readiness = async () => (await fetch(`http://127.0.0.1:${node.http}/readiness?minPeers=0`)).text()
  while (!(await readiness()).includes('The signer does not answer: the signer answered 503')) await pause()
  isAway = false
  await moreBlocks(node, 2)
  assert.equal(await node.stop(), 0)
})
