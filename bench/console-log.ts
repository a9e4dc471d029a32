/*
 * Measures how much of a development node's CPU time the search for console.log takes if no contract logs.
 *
 *   npm run bench -- console-log [--blocks 500] [--judge]
 *
 * A node in this process includes token transfers, one per block; all its threads count as CPU time. The same search then
 * runs on its blocks. Calls of the same contract are compared with the check that each account read gets. `--judge` fails
 * if the search or the checks take 1 % or more.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONSOLE_ADDRESS } from '#abi/console-log.ts'
import { silentLog } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { databaseIn } from '#config/data-directory.ts'
import { isConsole } from '#consensus/dev/console-lines.ts'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { devGenesisText } from '#consensus/dev/dev-genesis.ts'
import { consoleMessages } from '#consensus/dev/log-transactions.ts'
import { createNode } from '#node/create-node.ts'
import { openStore } from '#store/open-store.ts'
import { addressToBytes } from '#types/address.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { ERC20_CODE } from './erc20-code.ts'

const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '500' }, judge: { type: 'boolean', default: false } },
})
const BLOCKS = Number(values.blocks)
const WARM_BLOCKS = 100
const MAX_PERCENT = 1
/** The search is far below a millisecond, so it is repeated. */
const ROUNDS = 20
const MICROSECONDS_PER_MS = 1_000
const CALLS = 2_000
/** Sender, contract and coinbase, although later calls in the same block find them in the session. */
const READS_PER_CALL = 3
const CHECKS = 1_000_000
/** transfer(address,uint256) of nothing. */
const TRANSFER = `0xa9059cbb${'22'.repeat(20).padStart(64, '0')}${'0'.repeat(64)}`

function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / MICROSECONDS_PER_MS
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-console-log-'))
try {
  const { hashes, nodeMs, callMs } = await includeTransfers()
  const searchMs = await searchBlocks(hashes)
  const percent = (100 * searchMs) / nodeMs
  const checkMs = READS_PER_CALL * msPerCheck()
  const callPercent = (100 * checkMs) / callMs
  console.log(`node: ${(nodeMs / BLOCKS).toFixed(2)} ms of CPU per block with one token transfer`)
  console.log(`search: ${((1_000 * searchMs) / BLOCKS).toFixed(1)} µs per block, ${percent.toFixed(2)} %`)
  console.log(`calls: ${(1_000 * callMs).toFixed(0)} µs of CPU per eth_call`)
  console.log(`checks: ${(1_000_000 * checkMs).toFixed(0)} ns per eth_call, ${callPercent.toFixed(2)} %`)
  if (values.judge && Math.max(percent, callPercent) >= MAX_PERCENT) {
    console.log(`FAILED: the search or the checks take ${MAX_PERCENT} % or more`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

interface Included {
  readonly hashes: readonly Hash[]
  readonly nodeMs: number
  readonly callMs: number
}

async function includeTransfers(): Promise<Included> {
  const node = await createNode({ network: 'dev', dataPath: folder, options: { logging: 'OFF' } })
  const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params })
  const from = DEV_ACCOUNTS[0]!.address
  const send = (transaction: object) =>
    ask('eth_sendTransaction', { from, gas: '0x100000', gasPrice: '0x0', ...transaction })
  const code = ERC20_CODE.replace(/^0x/, '')
  const size = (code.length / 2).toString(16).padStart(4, '0')
  const created = await send({ data: `0x61${size}80600a3d393df3${code}` })
  const { contractAddress: to } = (await ask('eth_getTransactionReceipt', created)) as Record<string, string>
  for (let block = 0; block < WARM_BLOCKS; block++) await send({ to, data: TRANSFER })
  const start = process.cpuUsage()
  const hashes: Hash[] = []
  for (let block = 0; block < BLOCKS; block++) await send({ to, data: TRANSFER })
  const nodeMs = cpuMsSince(start)
  for (let block = 0; block < BLOCKS; block++) {
    const number = `0x${(WARM_BLOCKS + 2 + block).toString(16)}`
    const { hash } = (await ask('eth_getBlockByNumber', number, false)) as { hash: Hash }
    hashes.push(hash)
  }
  const callStart = process.cpuUsage()
  for (let made = 0; made < CALLS; made++) await ask('eth_call', { from, to, data: TRANSFER })
  const callMs = cpuMsSince(callStart) / CALLS
  await node.stop()
  return { hashes, nodeMs, callMs }
}

/** With addresses that differ from the console's in the first and in the last byte. */
function msPerCheck(): number {
  const near = addressToBytes(CONSOLE_ADDRESS).slice()
  near[near.length - 1] = 0
  const addresses = DEV_ACCOUNTS.map(({ address }) => addressToBytes(address)).concat(near)
  const start = process.cpuUsage()
  let found = 0
  for (let made = 0; made < CHECKS; made++) if (isConsole(addresses[made % addresses.length]!)) found++
  if (found !== 0) throw new Error('No address is the console.')
  return cpuMsSince(start) / CHECKS
}

async function searchBlocks(hashes: readonly Hash[]): Promise<number> {
  const verdict = parseGenesis(devGenesisText(DEV_ACCOUNTS))
  if (!verdict.ok) throw new Error('The genesis file of the development network is valid.')
  const { genesis } = verdict
  const store = await openStore({
    path: databaseIn(folder),
    format: 'FOREST',
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHashOf(genesis, keccak256)),
    forks: genesis.config.forks.forks,
    log: silentLog,
    isDevelopment: true,
  })
  const lookup = new Lookup(store)
  const start = process.cpuUsage()
  let found = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const hash of hashes) found += consoleMessages(lookup, hash).size
  }
  const searchMs = cpuMsSince(start) / ROUNDS
  await store.close()
  if (found !== 0) throw new Error('No transfer logs anything.')
  return searchMs
}
