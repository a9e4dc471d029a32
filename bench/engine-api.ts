/**
 * Measures the Engine API next to geth: newPayload of full blocks of ERC-20 transfers, and getPayload of the node that builds
 * them. Both execution clients get every block, in turn as the first, and execute it; neither built it.
 *
 *   npm run bench -- engine-api [--gas 30,60 --blocks 20 --accounts 20000]
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SYSTEM_CONTRACTS } from '#consensus/dev/system-contracts.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { formatData } from '#types/hex.ts'
import { type ExecutionClient, startGeth } from '../test/acceptance/interop/prysm/geth-node.ts'
import { engineToken } from '../test/support/engine-token.ts'
import { freePort } from '../test/support/free-port.ts'
import { findGethProgram } from '../test/support/geth-program.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { startNode } from '../test/support/running-node.ts'
import { CHAIN_ID, TOKEN, Workload } from './import-workload.ts'
import { Connection, postAll } from './keep-alive.ts'

const { values } = parseArgs({
  options: {
    gas: { type: 'string', default: '30,60' },
    blocks: { type: 'string', default: '20' },
    accounts: { type: 'string', default: '20000' },
  },
})
/** Blocks before the measured ones, for compiled code and caches. */
const WARM_UP_BLOCKS = 5
/** A transfer to a holder costs a little more than this, so the pool always fills the block. */
const MIN_TRANSFER_GAS = 29_000
const BUILD_MS = 1_500
const MIN_FULL = 0.95
const CONNECTIONS = 8
const ZERO = `0x${'00'.repeat(32)}`
const SECONDS_PER_BLOCK = 12
const BLOBS = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }

interface Payload {
  readonly blockHash: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly transactions: readonly string[]
}

interface Built {
  readonly executionPayload: Payload
  readonly executionRequests: readonly string[]
}

const program = findGethProgram('geth')
if (program === undefined) throw new Error('Go is missing, which builds geth.')
const crypto = await loadCrypto()
const secret = randomBytes(32).toString('hex')
for (const millions of values.gas.split(',').map(Number)) await compare(millions, program)

async function compare(millions: number, geth: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-engine-api-'))
  const workload = new Workload(Number(values.accounts), crypto)
  const [genesisFile, jwtFile] = [join(folder, 'genesis.json'), join(folder, 'jwt.hex')]
  writeFileSync(genesisFile, genesisText(workload, millions * 1_000_000))
  writeFileSync(jwtFile, secret)
  const ports = { builder: await freePort(), cairn: await freePort(), geth: await freePort() }
  const startCairn = (name: 'builder' | 'cairn'): Promise<ExecutionClient> =>
    startNode(
      [
        ...[`--genesis-file=${genesisFile}`, '--engine-rpc-enabled', `--engine-rpc-port=${ports[name]}`],
        ...[`--engine-jwt-secret=${jwtFile}`, '--rpc-http-enabled', '--p2p-enabled=false'],
        ...['--min-gas-price=0', `--target-gas-limit=${millions * 1_000_000}`],
      ],
      join(folder, name),
    )
  const builder = await startCairn('builder')
  const clients = [
    builder,
    await startCairn('cairn'),
    await startGeth(geth, {
      ...{ genesisFile, jwtFile, data: join(folder, 'geth'), networkId: CHAIN_ID },
      ...{ p2pPort: await freePort(), enginePort: ports.geth },
    }),
  ]
  try {
    await measure(workload, { millions, http: builder.http, ports })
  } finally {
    for (const client of clients) await client.kill()
    rmSync(folder, { recursive: true })
  }
}

interface Course {
  readonly millions: number
  /** The builder's JSON-RPC port. */
  readonly http: number
  readonly ports: Readonly<Record<'builder' | 'cairn' | 'geth', number>>
}

async function measure(workload: Workload, { millions, http, ports }: Course): Promise<void> {
  const newPayloadMs = { cairn: [] as number[], geth: [] as number[] }
  const getPayloadMs: number[] = []
  let transactions = 0
  let head = await genesisHash(ports.builder)
  for (let number = 1; number <= WARM_UP_BLOCKS + Number(values.blocks); number++) {
    await send(workload, http, Math.ceil((millions * 1_000_000) / MIN_TRANSFER_GAS))
    const { built, ms } = await build(ports.builder, head, number)
    const { executionPayload: payload } = built
    if (Number(payload.gasUsed) < MIN_FULL * Number(payload.gasLimit))
      throw new Error(`Block ${number} is not full: ${Number(payload.gasUsed)} gas.`)
    const isMeasured = number > WARM_UP_BLOCKS
    if (isMeasured) getPayloadMs.push(ms)
    const turn = number % 2 === 0 ? (['cairn', 'geth'] as const) : (['geth', 'cairn'] as const)
    for (const name of turn) {
      const took = await offer(ports[name], built)
      if (isMeasured) newPayloadMs[name].push(took)
    }
    await offer(ports.builder, built)
    head = payload.blockHash
    transactions = payload.transactions.length
    for (const port of Object.values(ports)) await choose(port, head)
  }
  const [cairn, geth] = [percentile(newPayloadMs.cairn, 50), percentile(newPayloadMs.geth, 50)]
  const ratios = newPayloadMs.cairn.map((ms, index) => ms / newPayloadMs.geth[index]!)
  console.log(
    `${millions} M gas, ${transactions} transfers: newPayload ${cairn.toFixed(0)} ms, geth ${geth.toFixed(0)} ms, ratio ${percentile(ratios, 50).toFixed(2)}; getPayload ${percentile(getPayloadMs, 50).toFixed(0)} ms, at most ${Math.max(...getPayloadMs).toFixed(0)} ms`,
  )
}

async function send(workload: Workload, http: number, count: number): Promise<void> {
  const bodies = workload.transactions('ERC-20 transfers', count).map(({ encoded }) =>
    JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransaction' },
      params: [formatData(encoded)],
    }),
  )
  await postAll(http, bodies, CONNECTIONS, (text) => {
    if (!text.includes('"result"')) throw new Error(text)
  })
}

async function build(port: number, head: string, number: number): Promise<{ built: Built; ms: number }> {
  const timestamp = `0x${(number * SECONDS_PER_BLOCK).toString(16)}`
  const attributes = {
    ...{ timestamp, prevRandao: ZERO, suggestedFeeRecipient: `0x${'11'.repeat(20)}` },
    ...{ withdrawals: [], parentBeaconBlockRoot: ZERO },
  }
  const { payloadId } = await choose(port, head, attributes)
  await pause(BUILD_MS)
  return await onPort(port, async (connection) => {
    const startedMs = performance.now()
    const built = await connection.ask<Built>('engine_getPayloadV5', payloadId)
    return { built, ms: performance.now() - startedMs }
  })
}

/** The milliseconds until the block is VALID. */
function offer(port: number, { executionPayload, executionRequests }: Built): Promise<number> {
  return onPort(port, async (connection) => {
    const startedMs = performance.now()
    const { status } = await connection.ask<{ readonly status: string }>(
      'engine_newPayloadV4',
      ...[executionPayload, [], ZERO, executionRequests],
    )
    const ms = performance.now() - startedMs
    if (status !== 'VALID') throw new Error(`The block is ${status}.`)
    return ms
  })
}

function choose(
  port: number,
  head: string,
  attributes: object | null = null,
): Promise<{ payloadId: string }> {
  const state = { headBlockHash: head, safeBlockHash: ZERO, finalizedBlockHash: ZERO }
  return onPort(port, (connection) => connection.ask('engine_forkchoiceUpdatedV3', state, attributes))
}

async function genesisHash(port: number): Promise<string> {
  const block = await onPort(port, (connection) =>
    connection.ask<{ readonly hash: string }>('eth_getBlockByNumber', '0x0', false),
  )
  return block.hash
}

/** Tokens expire after a minute, so each task has its own connection. */
async function onPort<Result>(
  port: number,
  task: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.open(port, `authorization: Bearer ${engineToken(secret)}\r\n`)
  try {
    return await task(connection)
  } finally {
    connection.close()
  }
}

function genesisText(workload: Workload, gasLimit: number): string {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
  const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
  const storage = Object.fromEntries([...workload.tokenStorage].map((slot) => slot.map(word)))
  const accounts = [...workload.genesis.alloc].map(([address, { balance, code }]) => [
    address,
    {
      balance: `0x${balance.toString(16)}`,
      code: formatData(code),
      ...(address === TOKEN && { storage }),
    },
  ])
  const contracts = Object.entries(SYSTEM_CONTRACTS).map(([address, code]) => [
    address,
    { balance: '0x0', code },
  ])
  return JSON.stringify({
    config: {
      chainId: Number(CHAIN_ID),
      ...Object.fromEntries([...blocks, 'istanbul', 'berlin', 'london'].map((name) => [`${name}Block`, 0])),
      ...{ shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0, terminalTotalDifficulty: 0 },
      depositContractAddress: `0x${'42'.repeat(20)}`,
      blobSchedule: { cancun: BLOBS, prague: BLOBS, osaka: BLOBS },
    },
    ...{ difficulty: '0x0', nonce: '0x0', timestamp: '0x0', extraData: '0x', baseFeePerGas: '0x7' },
    gasLimit: `0x${gasLimit.toString(16)}`,
    alloc: Object.fromEntries([...accounts, ...contracts]),
  })
}
