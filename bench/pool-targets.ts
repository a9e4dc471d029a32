/** The programs that bench/pool.ts compares, each with a block every second and its own chain. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findAnvil } from '../test/support/anvil.ts'
import { freePort } from '../test/support/free-port.ts'
import { makeHardhatProject, withoutHardhat } from '../test/support/hardhat-program.ts'
import { Connection } from './keep-alive.ts'
import { POOL_CHAIN_ID, poolAlloc } from './pool-workload.ts'

export interface PoolTarget {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

/** Options that only Cairn supports. */
export interface StartOptions {
  /** A folder for the threads' CPU profiles. */
  readonly profiles?: string
  /** Additional options, such as the enabled APIs. */
  readonly args?: readonly string[]
  /** Receives every log line, instead of printing it. */
  readonly onLine?: (line: string) => void
}

export type StartTarget = (options: StartOptions) => Promise<PoolTarget>

const ROOT = join(import.meta.dirname, '..')
const PROGRAM = join(ROOT, 'bin', 'cairn')
const STOP_MAX_MS = 60_000

/** Stores data on disk and syncs every block. */
export const startCairn: StartTarget = async ({ profiles, args = ['--rpc-http-api=ETH'], onLine }) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-pool-'))
  const qbft = { blockperiodseconds: 1, requesttimeoutseconds: 10, epochlength: 30_000 }
  const genesis = {
    config: { chainId: POOL_CHAIN_ID, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, qbft },
    gasLimit: '0x1fffffffffffff',
    difficulty: '0x1',
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    alloc: await poolAlloc(),
  }
  const config = { genesis, blockchain: { nodes: { generate: true, count: 1 } } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const make = ['operator', 'generate-blockchain-config', '--config-file=config.json', '--to=network']
  execFileSync(process.execPath, [PROGRAM, ...make], { cwd: folder, stdio: 'ignore' })
  const [name] = readdirSync(join(folder, 'network', 'keys'))
  const port = await freePort()
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const child = spawn(
    process.execPath,
    [
      ...flags,
      PROGRAM,
      `--data-path=${join(folder, 'data')}`,
      `--genesis-file=${join(folder, 'network', 'genesis.json')}`,
      `--node-private-key-file=${join(folder, 'network', 'keys', name!, 'key.priv')}`,
      '--rpc-http-enabled',
      `--rpc-http-port=${port}`,
      '--p2p-enabled=false',
      `--logging=${onLine === undefined ? 'WARN' : 'INFO'}`,
      '--tx-pool-max-size=50000',
      '--tx-pool-max-future-by-sender=10000',
      '--tx-pool-limit-by-account-percentage=1',
      ...args,
    ],
    { stdio: ['ignore', 'inherit', onLine === undefined ? 'inherit' : 'pipe'] },
  )
  if (onLine !== undefined) createInterface({ input: child.stderr! }).on('line', onLine)
  return running(child, port, () => rmSync(folder, { recursive: true, force: true }))
}

/** Keeps everything in memory. */
function anvilStarter(program: string): StartTarget {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-anvil-'))
    const genesis = {
      config: { chainId: POOL_CHAIN_ID, londonBlock: 0, shanghaiTime: 0, terminalTotalDifficulty: 0 },
      gasLimit: '0x1fffffffffffff',
      difficulty: '0x0',
      alloc: await poolAlloc(),
    }
    const file = join(folder, 'genesis.json')
    writeFileSync(file, JSON.stringify(genesis))
    const port = await freePort()
    const args = ['--init', file, '--port', String(port), '--silent', '--accounts', '0', '--block-time', '1']
    const more = ['--gas-limit', '9007199254740991', '--order', 'fees']
    const child = spawn(program, [...args, ...more], { stdio: 'ignore' })
    return running(child, port, () => rmSync(folder, { recursive: true, force: true }))
  }
}

/** Keeps everything in memory. Its accounts are created by its own methods. */
const startHardhat: StartTarget = async () => {
  const { folder, program, env } = makeHardhatProject(HARDHAT_CONFIG)
  mkdirSync(join(folder, 'contracts'))
  const port = await freePort()
  const args = [program, 'node', '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore', env })
  const target = await running(child, port, () => rmSync(folder, { recursive: true, force: true }))
  const connection = await Connection.open(port)
  for (const [address, { balance, code, storage }] of Object.entries(await poolAlloc())) {
    await connection.ask('hardhat_setBalance', address, balance)
    if (code !== undefined) await connection.ask('hardhat_setCode', address, code)
    for (const [slot, value] of Object.entries(storage ?? {})) {
      await connection.ask('hardhat_setStorageAt', address, slot.replace(/^0x0+(?=.)/, '0x'), value)
    }
  }
  connection.close()
  return target
}

const HARDHAT_CONFIG = `export default {
  networks: {
    node: {
      type: 'edr-simulated',
      chainId: ${POOL_CHAIN_ID},
      blockGasLimit: 1_000_000_000n,
      mining: { auto: false, interval: 1000 },
      accounts: [],
      loggingEnabled: false,
    },
  },
}
`

async function running(child: ChildProcess, port: number, remove: () => void): Promise<PoolTarget> {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = (): void => void child.kill('SIGKILL')
  process.on('exit', kill)
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`The program ended during its start with code ${child.exitCode}.`)
    const connection = await Connection.open(port).catch(() => undefined)
    const chainId = await connection?.ask('eth_chainId').catch(() => undefined)
    connection?.close()
    if (chainId !== undefined) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    pid: child.pid!,
    port,
    stop: async () => {
      child.kill()
      const late = setTimeout(kill, STOP_MAX_MS)
      await exited
      clearTimeout(late)
      process.off('exit', kill)
      remove()
    },
  }
}

/** The installed programs by name. */
export function poolTargets(): Readonly<Record<string, StartTarget>> {
  const anvil = findAnvil()
  return {
    cairn: startCairn,
    ...(anvil !== undefined && existsSync(anvil) ? { anvil: anvilStarter(anvil) } : {}),
    ...(withoutHardhat() === undefined ? { hardhat: startHardhat } : {}),
  }
}
