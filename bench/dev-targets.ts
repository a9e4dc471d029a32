/** The programs that bench/dev-suite.ts and bench/embed.ts compare: each a new development chain with an EIP-1193 `request`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findAnvil } from '../test/support/anvil.ts'
import { freePort } from '../test/support/free-port.ts'
import { installGanache } from '../test/support/ganache-program.ts'
import { installHardhat, withoutHardhat } from '../test/support/hardhat-program.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { Connection } from './keep-alive.ts'

export type Request = (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>

export interface DevTarget {
  readonly request: Request
  /** CPU time of a target that runs in another process; 0 for targets in this one. */
  otherCpuSeconds(): number
  stop(): Promise<void>
}

/** Starts a target; its import and its start are the time until the first answer. */
export type StartDevTarget = (entry: string) => Promise<DevTarget>

const RETRY_MS = 5

interface InProcess {
  readonly request: Request
  stop(): Promise<void>
}

function inProcess({ request, stop }: InProcess): DevTarget {
  return { request, stop, otherCpuSeconds: () => 0 }
}

/** `entry` is the file that a program imports, or runs. */
export const START_DEV_TARGET: Readonly<Record<string, StartDevTarget>> = {
  cairn: (entry) => startCairn(entry, {}),
  /** With a server and a writer thread, for comparison. */
  'cairn-threads': (entry) => startCairn(entry, { 'rpc-threads': 1 }),
  async hardhat(entry) {
    const { createHardhatRuntimeEnvironment } = await import(pathToFileURL(entry).href)
    const { network } = await createHardhatRuntimeEnvironment({})
    const { provider, close } = await network.create()
    return inProcess({ request: (call) => provider.request(call), stop: close })
  },
  async ganache(entry) {
    const { default: ganache } = await import(pathToFileURL(entry).href)
    const provider = ganache.provider({ logging: { quiet: true } })
    return inProcess({ request: (call) => provider.request(call), stop: () => provider.disconnect() })
  },
  /** Over one connection, since it is a program. */
  async anvil(entry) {
    const port = await freePort()
    const child = spawn(entry, ['--port', String(port), '--silent'], { stdio: 'ignore' })
    const kill = (): void => void child.kill('SIGKILL')
    process.on('exit', kill)
    const exited = once(child, 'exit')
    const connection = await connected(port, () => child.exitCode !== null)
    return {
      request: ({ method, params = [] }) => connection.ask(method, ...params),
      otherCpuSeconds: () => cpuSecondsOf(child.pid!),
      stop: async () => {
        connection.close()
        child.kill()
        await exited
        process.off('exit', kill)
      },
    }
  },
}

async function startCairn(entry: string, options: Readonly<Record<string, unknown>>): Promise<DevTarget> {
  const { createNode } = await import(pathToFileURL(entry).href)
  const node = await createNode({ network: 'dev', options })
  return inProcess({ request: (call) => node.provider.request(call), stop: () => node.stop() })
}

async function connected(port: number, hasEnded: () => boolean): Promise<Connection> {
  for (;;) {
    if (hasEnded()) throw new Error('The program ended during its start.')
    const connection = await Connection.open(port).catch(() => undefined)
    if (connection !== undefined) return connection
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** The entries of the programs for this machine by name; `place` has Cairn's package. Installs what is missing. */
export function devTargetEntries(place: string): Readonly<Record<string, string>> {
  const anvil = findAnvil()
  const cairn = join(place, 'dist', 'node', 'create-node.js')
  return {
    cairn,
    'cairn-threads': cairn,
    ...(withoutHardhat() === undefined && {
      hardhat: join(installHardhat(), 'node_modules', 'hardhat', 'dist', 'src', 'hre.js'),
    }),
    ganache: installGanache(),
    ...(anvil !== undefined && { anvil }),
  }
}
