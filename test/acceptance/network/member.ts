/** One node of the lab. After a stop or a kill it restarts with the same key, data and port. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from '#types/address.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { type NodePlace, type RunningNode, startNode } from '../../support/running-node.ts'
import type { ValidatorNetwork } from '../../support/validator-network.ts'

const LOG_LINES = 25
const ASK_MAX_MS = 10_000
const PAUSE_MS = 100

export type Place = Required<Omit<NodePlace, 'nodeFlags' | 'httpPort'>>

/** The members of `bft_status` that scenarios read. */
export interface SeenStatus {
  readonly height: string
  readonly round: number | null
  readonly validator: boolean
  readonly cause: string
  readonly quorum: { readonly needed: number; readonly heard: number; readonly validators: number }
  readonly validators: readonly {
    readonly address: Address
    readonly self: boolean
    readonly connected: boolean
    readonly lastHeard: string | null
  }[]
}

export interface SeenBlock {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly string[]
}

interface RunSettings {
  readonly command?: readonly string[]
  readonly data?: string
}

export class Member {
  readonly name: string
  readonly network: ValidatorNetwork
  readonly place: Place
  readonly enode: string
  readonly #args: readonly string[]
  #running: RunningNode | undefined
  /** Output of its earlier runs. */
  #earlier = ''

  constructor(name: string, network: ValidatorNetwork, place: Place, extra: readonly string[]) {
    this.name = name
    this.network = network
    this.place = place
    const key = readFileSync(join(network.folder, 'keys', network.validator, 'key.pub'), 'utf8').trim()
    this.enode = `enode://${key.slice(2)}@${place.host}:${place.p2pPort}`
    this.#args = [...network.args, ...hostArgs(place), ...extra]
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get pid(): number {
    return this.#running!.pid
  }

  /** Output of all its runs. */
  get output(): string {
    return this.#earlier + (this.#running?.output() ?? '')
  }

  get port(): number {
    return this.#running!.http
  }

  /** `command` wraps the program; `data` replaces its directory for this run. */
  async start({ command = [], data = this.network.data }: RunSettings = {}): Promise<void> {
    const place = { ...this.place, command: [...this.place.command, ...command] }
    this.#running = await startNode(this.#args, data, undefined, place)
  }

  /** Stops the node as an operator does. */
  async stop(): Promise<number | null> {
    const running = this.#leave()
    const code = await running.stop()
    this.#earlier += running.output()
    return code
  }

  /** Kills the node, like a power cut. */
  async kill(): Promise<void> {
    const running = this.#leave()
    await running.kill()
    this.#earlier += running.output()
  }

  #leave(): RunningNode {
    const running = this.#running
    if (running === undefined) throw new Error(`${this.name} is not running`)
    this.#running = undefined
    return running
  }

  /** Retries while the machine is busy. Returns undefined if the node is gone. */
  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const beganMs = performance.now()
    while (this.isRunning) {
      const client = openRpcClient(this.port, this.place.host)
      try {
        const { result, error } = await client.call(method, ...params)
        if (error === undefined) return result
        if (!/timeout|busy/i.test(error.message)) throw new Error(`${this.name}: ${error.message}`)
      } catch (error) {
        if (performance.now() - beganMs > ASK_MAX_MS) throw error
      } finally {
        client.close()
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    return undefined
  }

  async head(): Promise<number> {
    return Number(await this.ask('eth_blockNumber'))
  }

  async block(number: number): Promise<SeenBlock | undefined> {
    const found = await this.ask('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    return (found as SeenBlock | null) ?? undefined
  }

  async status(): Promise<SeenStatus> {
    return (await this.ask('bft_status')) as SeenStatus
  }

  async readiness(query = ''): Promise<{ readonly status: number; readonly body: string }> {
    const answer = await fetch(`http://${this.place.host}:${this.port}/readiness${query}`)
    return { status: answer.status, body: await answer.text() }
  }

  /** A report for the log of a failed scenario. */
  async report(): Promise<string> {
    const lines = this.output.trimEnd().split('\n').slice(-LOG_LINES)
    const status = this.isRunning ? await this.ask('bft_status').catch(String) : 'is not running'
    return [`-- ${this.name} ${this.network.validator}`, ...lines, JSON.stringify(status)].join('\n')
  }
}

function hostArgs({ host }: Place): readonly string[] {
  if (host === '127.0.0.1') return []
  return [`--p2p-host=${host}`, `--rpc-http-host=${host}`, '--host-allowlist=*']
}
