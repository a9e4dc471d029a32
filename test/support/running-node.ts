import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { NODE_FLAGS } from '#fleet/node-process.ts'
import { ownChild } from './own-child.ts'
import { PROGRAM } from './program.ts'

const START_MAX_MS = 120_000

export interface RunningNode {
  readonly pid: number
  /** The ports; zero if the service is disabled. */
  readonly http: number
  readonly websocket: number
  readonly console: number
  /** The program's output so far. */
  output(): string
  /** Stops it like an operator. Resolves with the exit code, null after a crash. */
  stop(): Promise<number | null>
  /** Kills it, like a power cut. */
  kill(): Promise<void>
}

/** The environment of a program that is not an ordinary process on the loopback interface. */
export interface NodePlace {
  /** Runs the program in its environment, such as its own network. */
  readonly command?: readonly string[]
  /** Flags of Node itself; by default those of a network created by commands. */
  readonly nodeFlags?: readonly string[]
  /** Its address there. */
  readonly host?: string
  /** The peers port; a free one, unless the node must return at the same port. */
  readonly p2pPort?: number
  /** The JSON-RPC port; a free one, unless a client connects before the node reports it. */
  readonly httpPort?: number
}

/**
 * Starts the real program and waits until it is up. The system chooses ports and a temporary data directory, unless they
 * are given. The network is a small test network, unless the arguments name another. `program` is that of a copied
 * checkout.
 */
export async function startNode(
  args: readonly string[],
  dataPath?: string,
  program = PROGRAM,
  { command = [], nodeFlags = NODE_FLAGS, host = '127.0.0.1', p2pPort = 0, httpPort = 0 }: NodePlace = {},
): Promise<RunningNode> {
  const folder = dataPath ?? mkdtempSync(join(tmpdir(), 'cairn-node-'))
  const ports = [`--rpc-http-port=${httpPort}`, '--rpc-ws-port=0', '--metrics-port=0', '--console-port=0']
  const own = [`--data-path=${folder}`, ...ports, `--p2p-port=${p2pPort}`, `--p2p-interface=${host}`]
  if (!args.some((arg) => /^--(genesis-file|network)=/.test(arg))) {
    const file = join(folder, 'genesis.json')
    writeFileSync(file, GENESIS_TEXT)
    own.push(`--genesis-file=${file}`)
  }
  const [first, ...words] = [...command, process.execPath, ...nodeFlags, program, ...own, ...args]
  const child = spawn(first!, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  ownChild(child)
  let output = ''
  const onText = (text: Buffer): void => {
    output += text
  }
  child.stdout.on('data', onText)
  child.stderr.on('data', onText)
  const exited = once(child, 'exit').then(([code]) => {
    if (dataPath === undefined) rmSync(folder, { recursive: true, force: true })
    return code as number | null
  })
  await untilUp(child, () => output)
  const portOf = (service: string): number =>
    Number(new RegExp(`${service} service started and listening on \\S+:(\\d+)`).exec(output)?.[1] ?? 0)
  return {
    pid: child.pid!,
    http: portOf('JSON-RPC'),
    websocket: portOf('Websocket'),
    console: Number(/http:\/\/[^:"]+:(\d+)\/"\},"msg":"Console started/.exec(output)?.[1] ?? 0),
    output: () => output,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function untilUp(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (isUp: boolean): void => {
      clearTimeout(overdue)
      for (const stream of [child.stdout!, child.stderr!]) stream.off('data', look)
      child.off('exit', fail)
      if (isUp) resolve()
      else reject(new Error(`the program did not start:\n${output()}`))
    }
    const look = (): void => {
      if (output().includes('Cairn is up')) settle(true)
    }
    const fail = (): void => {
      child.kill('SIGKILL')
      settle(false)
    }
    const overdue = setTimeout(fail, START_MAX_MS)
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', look)
    child.on('exit', fail)
  })
}
