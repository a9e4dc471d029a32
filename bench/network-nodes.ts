/** Networks of real validators on this machine, each a process of its own, linked with each other. */
import { rmSync } from 'node:fs'
import type { SeenStatus } from '../test/network/member.ts'
import { type RunningNode, startNode } from '../test/process/running-node.ts'
import { makeValidators } from '../test/process/validator-network.ts'
import { Connection } from './keep-alive.ts'
import { poolAlloc } from './pool-workload.ts'

const SEALED = 'A block has a quorum of commits.'
const ROUND = 'A round starts.'
const UP_MAX_MS = 240_000
const LOOK_MS = 50
const STARTED_AT_ONCE = 4

export interface NetworkPlan {
  readonly validators: number
  /** They follow, and have no key of the network. */
  readonly observers?: number
  readonly periodMs: number
  readonly engineThreads?: number
  /** A folder for the CPU profiles of each. */
  readonly profiles?: (index: number) => string
}

export interface NetworkNode extends RunningNode {
  /** undefined: it observes. */
  readonly validator: string | undefined
}

export interface SealedBlock {
  readonly height: number
  readonly atMs: number
}

/** Validators first, then those that observe. */
export class Network {
  readonly nodes: readonly NetworkNode[]
  readonly #remove: () => void

  constructor(nodes: readonly NetworkNode[], remove: () => void) {
    this.nodes = nodes
    this.#remove = remove
  }

  get validators(): readonly NetworkNode[] {
    return this.nodes.filter(({ validator }) => validator !== undefined)
  }

  /** In order of their heights, as the log of a validator tells; by the clock of the machine. */
  sealedBy(node: NetworkNode): SealedBlock[] {
    const sealed = linesOf(node, SEALED).map(({ time, height }) => ({
      height: Number(height),
      atMs: Date.parse(time),
    }))
    return sealed.sort((a, b) => a.height - b.height)
  }

  /** Above the first of a height, since the start. */
  laterRounds(): number {
    return this.validators.flatMap((node) => linesOf(node, ROUND)).filter(({ round }) => Number(round) > 0)
      .length
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()))
    this.#remove()
  }
}

interface Line {
  readonly time: string
  readonly height?: number
  readonly round?: number
}

function linesOf(node: RunningNode, sentence: string): Line[] {
  const lines = node.output().split('\n')
  // The last one may be under way.
  return lines.slice(0, -1).flatMap((line) => (line.includes(sentence) ? [JSON.parse(line) as Line] : []))
}

export async function startNetwork(plan: NetworkPlan): Promise<Network> {
  const removals: (() => void)[] = []
  const remove = (): void => {
    for (const each of removals.splice(0)) each()
  }
  const context = { after: (run: unknown) => void removals.push(run as () => void) }
  const made = makeValidators(context, 'qbft', plan.validators, await poolAlloc(), plan.periodMs)
  const common = [
    '--logging=INFO',
    '--rpc-ws-enabled',
    '--rpc-http-max-active-connections=200',
    '--tx-pool-max-size=50000',
    '--tx-pool-max-future-by-sender=10000',
    '--tx-pool-limit-by-account-percentage=1',
    `--rpc-engine-threads=${plan.engineThreads ?? 0}`,
  ]
  const unwanted = /^--(rpc-engine-threads|rpc-http-api)=/
  const api = '--rpc-http-api=ETH,ADMIN,NET,TRACE,BFT'
  const begin = async (index: number): Promise<NetworkNode> => {
    const own = made[index]
    const args = (own ?? made[0]!).args.filter((arg) => !unwanted.test(arg))
    const withKey = own ? args : args.filter((arg) => !arg.startsWith('--node-private-key-file'))
    const profiles = plan.profiles?.(index)
    const nodeFlags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
    const node = await startNode([...withKey, ...common, api], own?.data, undefined, { nodeFlags })
    return Object.assign(node, { validator: own?.validator })
  }
  const count = plan.validators + (plan.observers ?? 0)
  const nodes: NetworkNode[] = []
  // Many at once would take longer than one may take to start.
  while (nodes.length < count) {
    const group = Array.from({ length: Math.min(STARTED_AT_ONCE, count - nodes.length) }, (_, at) =>
      begin(nodes.length + at),
    )
    nodes.push(...(await Promise.all(group)))
  }
  const network = new Network(nodes, () => {
    remove()
    for (const { data } of made) rmSync(data, { recursive: true, force: true })
  })
  await linkAll(network.nodes)
  return network
}

/**
 * Everyone to everyone; ready when all have a block of the network and every validator has heard every other: one that missed
 * the first block may miss its turn at the second, which then takes a round more.
 */
async function linkAll(nodes: readonly NetworkNode[]): Promise<void> {
  const enodes = nodes.map((node) => /Enode URL (enode:\/\/[^\s"]+)/.exec(node.output())![1]!)
  for (const [index, node] of nodes.entries()) {
    const connection = await Connection.open(node.http)
    for (const enode of enodes.slice(0, index)) await connection.ask('admin_addPeer', enode)
    connection.close()
  }
  const deadline = Date.now() + UP_MAX_MS
  for (const node of nodes) {
    const connection = await Connection.open(node.http)
    for (;;) {
      const [height, peers] = [
        await connection.ask<string>('eth_blockNumber'),
        await connection.ask<string>('net_peerCount'),
      ]
      const isLinked = Number(height) > 0 && Number(peers) === nodes.length - 1
      if (isLinked && (node.validator === undefined || (await hearsAll(connection)))) break
      if (Date.now() > deadline) throw new Error('The network did not come together.')
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    connection.close()
  }
}

async function hearsAll(connection: Connection): Promise<boolean> {
  const { validators } = await connection.ask<SeenStatus>('bft_status')
  return validators.every(({ self, lastHeard }) => self || lastHeard !== null)
}
