/** Starts cairn, the bare echo and anvil in their own processes, for bench/read.ts, bench/growth.ts and bench/requests.ts. */
import { type ChildProcess, type ForkOptions, fork, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { formatData } from '#types/hex.ts'
import { freePort } from '../test/support/free-port.ts'
import { message } from './child-message.ts'
import type { EchoedAnswer } from './echo-server.ts'
import type { ReadChain } from './read-chain.ts'
import type { NodeOrder } from './read-jobs.ts'
import { ask, post, type Server } from './read-load.ts'

/** The nice value of cairn's server threads; the others must have the same. */
const SERVER_NICE = 10

export interface NodeServer extends Server {
  readonly child: ChildProcess
  /** Undefined if the node does not serve WebSocket. */
  readonly websocketPort: number | undefined
}

/** `program` are the flags and variables of the node's process, `folder` has its program. */
export async function startNode(
  chain: Omit<Extract<NodeOrder, { kind: 'start' }>, 'kind'>,
  program: Pick<ForkOptions, 'execArgv' | 'env'> = {},
  folder: string = import.meta.dirname,
): Promise<NodeServer> {
  const file = join(folder, 'read-node.ts')
  const child = fork(file, { serialization: 'advanced', ...program })
  child.send({ kind: 'start', ...chain } satisfies NodeOrder)
  const { http, websocket } = await message<{ http: number; websocket?: number }>(child)
  return { pid: child.pid!, port: http, websocketPort: websocket, child }
}

export async function stopNode(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.send({ kind: 'stop' } satisfies NodeOrder)
  await exited
}

/** Cairn's answer without the headers that node:http adds itself. A long body is cut, since it goes to a command line. */
export async function capture({ port }: Server, body: string): Promise<EchoedAnswer> {
  const response = await post(port, body, { 'accept-encoding': 'identity' })
  const headers = [...response.headers].filter(([name]) => name !== 'connection' && name !== 'keep-alive')
  const text = (await response.text()).slice(0, 50_000)
  const framing = ['content-length', 'transfer-encoding']
  const kept = headers.filter(([name]) => !framing.includes(name))
  return { headers: [...kept.flat(), 'content-length', `${text.length}`], body: text }
}

export async function startEcho(answer: EchoedAnswer, children: ChildProcess[]): Promise<NodeServer> {
  const child = fork(join(import.meta.dirname, 'echo-server.ts'), [JSON.stringify(answer)])
  children.push(child)
  setPriority(child.pid!, SERVER_NICE)
  const { http, websocket } = await message<{ http: number; websocket: number }>(child)
  return { pid: child.pid!, port: http, websocketPort: websocket, child }
}

/** Starts anvil with the same genesis block and transactions, mined block by block; undefined if it is not installed. */
export async function startAnvil(
  { genesisText, transactions, blocks }: ReadChain,
  children: ChildProcess[],
): Promise<Server | undefined> {
  const cpu = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const platform = `@foundry-rs/anvil-${process.platform}-${cpu}`
  const program = join(import.meta.dirname, '..', 'node_modules', platform, 'bin', 'anvil')
  if (!existsSync(program)) return undefined
  const folder = createTemporaryDirectory('cairn-bench-')
  const file = join(folder.path, 'genesis.json')
  writeFileSync(file, genesisText)
  const options = ['--silent', '--no-mining', '--base-fee', '0', '--gas-price', '0', '--order', 'fifo']
  const port = await freePort()
  const child = spawn(program, ['--init', file, '--port', `${port}`, ...options], { stdio: 'ignore' })
  children.push(child)
  child.once('exit', () => folder.remove())
  const server = { pid: child.pid!, port }
  while (!(await ask(server, 'eth_chainId').catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`anvil ended during its start with code ${child.exitCode}.`)
  }
  setPriority(child.pid!, SERVER_NICE)
  for (const list of transactions.slice(0, blocks.length)) {
    for (const encoded of list) await ask(server, 'eth_sendRawTransaction', formatData(encoded))
    await ask(server, 'evm_mine')
  }
  return server
}
