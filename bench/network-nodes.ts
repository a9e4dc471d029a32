/** Networks of real validators on this machine, each in its own process, connected with each other. */
import { rmSync } from 'node:fs'
import { NODE_FLAGS } from '#fleet/node-process.ts'
import type { SeenStatus } from '../test/acceptance/network/member.ts'
import { type RunningNode, startNode } from '../test/support/running-node.ts'
import { makeValidators } from '../test/support/validator-network.ts'
import { Connection } from './keep-alive.ts'
import { poolAlloc } from './pool-workload.ts'

const SEALED = 'Imported block'
const ROUND = 'Started round after a round change'
const UP_MAX_MS = 240_000
const LOOK_MS = 50
const STARTED_AT_ONCE = 4
/** For each node, with two cores. */
const START_SECONDS = 3

export interface NetworkPlan {
  readonly validators: number
  /** Nodes without a validator key. */
  readonly observers?: number
  readonly periodMs: number
  readonly engineThreads?: number
  /** A folder for each node's CPU profiles. */
  readonly profiles?: (index: number) => string
}

export interface NetworkNode extends RunningNode {
  /** Undefined for an observer. */
  readonly validator: string | undefined
}

export interface SealedBlock {
  readonly height: number
  readonly atMs: number
}

/** Validators first, then observers. */
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

  /** The blocks in a validator's log, by height, with the machine's clock. */
  sealedBy(node: NetworkNode): SealedBlock[] {
    const sealed = linesOf(node, SEALED).map(({ time, fields }) => ({
      height: Number(fields?.number),
      atMs: Date.parse(time),
    }))
    return sealed.sort((a, b) => a.height - b.height)
  }

  /** The number of rounds above the first of a height, since the start. */
  laterRounds(): number {
    return this.validators.flatMap((node) => linesOf(node, ROUND)).length
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()))
    this.#remove()
  }
}

interface Line {
  readonly time: string
  readonly fields?: { readonly number?: number }
}

function linesOf(node: RunningNode, sentence: string): Line[] {
  const lines = node.output().split('\n')
  // The last line may be incomplete.
  return lines.slice(0, -1).flatMap((line) => (line.includes(sentence) ? [JSON.parse(line) as Line] : []))
}

export async function startNetwork(plan: NetworkPlan): Promise<Network> {
  const removals: (() => void)[] = []
  const remove = (): void => {
    for (const each of removals.splice(0)) each()
  }
  const context = { after: (run: unknown) => void removals.push(run as () => void) }
  const made = makeValidators(context, 'qbft', plan.validators, await poolAlloc(), plan.periodMs, {
    timestamp: firstTimestamp(plan.validators),
  })
  const common = [
    '--logging=INFO',
    '--rpc-ws-enabled',
    '--rpc-http-max-active-connections=200',
    '--tx-pool-max-size=50000',
    // Observers, which are not expected like validators, connect to every node.
    `--max-peers=${2 * (plan.validators + (plan.observers ?? 0))}`,
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
    const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
    const nodeFlags = [...NODE_FLAGS, ...profiling]
    const node = await startNode([...withKey, ...common, api], own?.data, undefined, { nodeFlags })
    return Object.assign(node, { validator: own?.validator })
  }
  const count = plan.validators + (plan.observers ?? 0)
  const nodes: NetworkNode[] = []
  // Starting many at once would exceed the start limit.
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
 * The first validators of a large network would otherwise change rounds while the last ones start, with a timeout that
 * doubles each time, and nothing would happen for minutes.
 */
function firstTimestamp(validators: number): number {
  return validators <= STARTED_AT_ONCE ? 0 : Math.ceil(Date.now() / 1_000) + validators * START_SECONDS
}

/**
 * Connects all nodes with each other. Ready when all have a block and every validator has heard every other: a validator
 * that missed the first block may miss its turn at the second, which then takes one more round.
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
      if (Date.now() > deadline) {
        const seen = `one has ${Number(peers)} of ${nodes.length - 1} peers and is at block ${Number(height)}`
        throw new Error(`The nodes did not connect to each other: ${seen}.`)
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    connection.close()
  }
}

async function hearsAll(connection: Connection): Promise<boolean> {
  const { validators } = await connection.ask<SeenStatus>('bft_status')
  return validators.every(({ self, lastHeard }) => self || lastHeard !== null)
}
