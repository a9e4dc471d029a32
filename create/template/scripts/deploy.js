// npm run deploy: deploys the contract to the network in ./network and reads it from every validator.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compile } from './compile.js'

const status = execFileSync('npx', ['cairn', 'network', 'status', '--json'], { encoding: 'utf8' })
const validators = JSON.parse(status).filter(({ state }) => state === 'running')
if (validators.length === 0)
  throw new Error('No validator runs. Start the network: npx cairn network up --detach')

const { abi, bytecode } = compile('Counter')
const account = privateKeyToAccount(readFileSync('network/account.key', 'utf8').trim())
const wallet = createWalletClient({ account, transport: http(validators[0].url) })
const hash = await wallet.deployContract({ abi, bytecode, args: [10n], chain: null })

for (const { name, url } of validators) {
  const client = createPublicClient({ transport: http(url), pollingInterval: 200 })
  const { contractAddress: address, blockNumber } = await client.waitForTransactionReceipt({ hash })
  const limit = await client.readContract({ address, abi, functionName: 'limit' })
  console.log(`${name}: Counter at ${address} in block ${blockNumber}, limit ${limit}`)
}
