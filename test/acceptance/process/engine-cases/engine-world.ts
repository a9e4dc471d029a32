/** A node that a consensus client drives: blocks of every fork, and answers in words. */
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { headerOf } from '#api/engine-port/payload-block.ts'
import { PayloadWire } from '#api/schema/payload.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { parseHash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { freePort } from '../../../support/free-port.ts'
import { temporaryDirectory } from '../../../support/program.ts'
import { openRpcClient, type RpcAnswer, type RpcClient } from '../../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../../support/running-node.ts'
import { signedTransfer } from '../../../support/signed-transfer.ts'
import { STAKE_GENESIS } from '../../conversations/stake-genesis.ts'

export const ZERO = `0x${'00'.repeat(32)}`
export const UNKNOWN = `0x${'77'.repeat(32)}`
/** The first account of the genesis file. */
const RICH = { privateKey: '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63' }

export const FORKS = ['paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const
export type Fork = (typeof FORKS)[number]
/** A fork begins every ten seconds. */
const FORK_SECONDS = 10
/** The time of branches, after all forks and the blocks of `prepareChain`. */
const BRANCH_SECONDS = 60

export type Payload = Readonly<Record<string, unknown>> & {
  readonly blockHash: string
  readonly parentHash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

/** A payload and the parameters next to it. */
export interface Offer {
  readonly payload: Payload
  readonly versionedHashes: readonly string[]
  readonly beaconRoot: string
  readonly requests: readonly string[]
}

export function forkAt(timestamp: number): Fork {
  return FORKS[Math.min(Math.floor(timestamp / FORK_SECONDS), FORKS.length - 1)]!
}

const versionOf = (fork: Fork, versions: readonly number[]): number => versions[FORKS.indexOf(fork)]!
export const newPayloadVersion = (fork: Fork): number => versionOf(fork, [1, 2, 3, 4, 4])
export const choiceVersion = (fork: Fork): number => versionOf(fork, [1, 2, 3, 3, 3])
export const getPayloadVersion = (fork: Fork): number => versionOf(fork, [1, 2, 3, 4, 5])

export class EngineWorld {
  readonly rpc: RpcClient
  /** Names of blocks for answers. */
  readonly names = new Map<string, string>()
  /** The blocks of branches by hash. */
  readonly offered = new Map<string, Offer>()
  readonly #port: number
  readonly #start: () => Promise<RunningNode>
  #node: RunningNode
  #nonce = 0n

  /** The node has no peers unless `more` gives it a network, and an own directory unless one is given. */
  static async start(
    t: TestContext,
    { folder = temporaryDirectory(t), more = ['--p2p-enabled=false'] as readonly string[] } = {},
  ): Promise<EngineWorld> {
    const genesis = join(folder, 'genesis.json')
    writeFileSync(genesis, STAKE_GENESIS)
    const port = await freePort()
    const args = [
      ...[`--genesis-file=${genesis}`, '--min-gas-price=0', ...more],
      ...['--engine-rpc-enabled', `--engine-rpc-port=${port}`, '--engine-jwt-disabled'],
    ]
    const start = () => startNode(args, join(folder, 'data'))
    const world = new EngineWorld(port, start, await start())
    t.after(async () => {
      world.rpc.close()
      await world.#node.kill()
    })
    return world
  }

  private constructor(port: number, start: () => Promise<RunningNode>, node: RunningNode) {
    this.rpc = openRpcClient(port)
    this.#port = port
    this.#start = start
    this.#node = node
  }

  get pid(): number {
    return this.#node.pid
  }

  /** The port of the other APIs, if `more` enabled it. */
  get http(): number {
    return this.#node.http
  }

  /** The output of the program since its last start. */
  output(): string {
    return this.#node.output()
  }

  /** Stops the node; `restart` starts it again. */
  async stop(): Promise<void> {
    await this.#node.stop()
  }

  /** Kills the node, like a power cut, and starts it again. */
  async restart(): Promise<void> {
    await this.#node.kill()
    this.#node = await this.#start()
  }

  async hashOf(tag: string): Promise<string> {
    const { result } = await this.rpc.call('eth_getBlockByNumber', tag, false)
    return (result as { readonly hash: string }).hash
  }

  async sendTransfer(): Promise<void> {
    const { error } = await this.rpc.call('eth_sendRawTransaction', signedTransfer(RICH, this.#nonce++))
    if (error !== undefined) throw new Error(error.message)
  }

  attributes(timestamp: number, more: object = {}): Readonly<Record<string, unknown>> {
    const fork = forkAt(timestamp)
    return {
      timestamp: `0x${timestamp.toString(16)}`,
      prevRandao: ZERO,
      suggestedFeeRecipient: `0x${'11'.repeat(20)}`,
      ...(fork !== 'paris' && { withdrawals: [] }),
      ...(FORKS.indexOf(fork) >= FORKS.indexOf('cancun') && { parentBeaconBlockRoot: ZERO }),
      ...more,
    }
  }

  choose(
    head: string,
    { version = 3, attributes = null as unknown, safe = ZERO, finalized = ZERO } = {},
  ): Promise<RpcAnswer> {
    const state = { headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized }
    return this.rpc.call(`engine_forkchoiceUpdatedV${version}`, state, attributes)
  }

  /** Begins a block on the head that is chosen with it. */
  async begin(head: string, timestamp: number, more?: object): Promise<string> {
    const version = choiceVersion(forkAt(timestamp))
    const answer = await this.choose(head, { version, attributes: this.attributes(timestamp, more) })
    const { payloadId } = (answer.result ?? {}) as { readonly payloadId?: string }
    if (payloadId == null) throw new Error(JSON.stringify(answer))
    return payloadId
  }

  /** Builds a block that is not offered yet. */
  async build(head: string, timestamp: number, more?: object): Promise<Offer> {
    const id = await this.begin(head, timestamp, more)
    const version = getPayloadVersion(forkAt(timestamp))
    const { result, error } = await this.rpc.call(`engine_getPayloadV${version}`, id)
    if (error !== undefined) throw new Error(error.message)
    const given = result as { readonly executionPayload?: Payload; readonly executionRequests?: string[] }
    const payload = given.executionPayload ?? (result as Payload)
    return { payload, versionedHashes: [], beaconRoot: ZERO, requests: given.executionRequests ?? [] }
  }

  /** Sends a request and closes the connection before the answer, like a client whose time is up. */
  abandon(method: string, ...params: unknown[]): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    return new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port: this.#port, method: 'POST', headers })
      // The end of the connection is an error, too.
      sent.on('error', () => {})
      sent.on('close', resolve)
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), () => sent.destroy())
    })
  }

  offer(
    offer: Offer,
    version = newPayloadVersion(forkAt(Number(offer.payload.timestamp))),
  ): Promise<RpcAnswer> {
    return this.rpc.call(`engine_newPayloadV${version}`, ...offerParams(offer, version))
  }

  /** Two branches on the head, built and offered; the second one is chosen. */
  async branches(head: string, count: number, from = BRANCH_SECONDS): Promise<[string[], string[]]> {
    const firsts = [await this.build(head, from), await this.build(head, from + 1)]
    for (const first of firsts) await this.#keep(first)
    const [one, other] = [
      await this.#extend(firsts[0]!.payload.blockHash, count, from),
      await this.#extend(firsts[1]!.payload.blockHash, count, from),
    ]
    await this.choose(other.at(-1)!)
    return [one, other]
  }

  async #extend(first: string, count: number, from: number): Promise<string[]> {
    const hashes = [first]
    while (hashes.length < count) {
      const next = await this.build(hashes.at(-1)!, from + 1 + hashes.length)
      await this.#keep(next)
      hashes.push(next.payload.blockHash)
    }
    return hashes
  }

  async #keep(offer: Offer): Promise<void> {
    const words = this.words(await this.offer(offer))
    if (words !== 'VALID') throw new Error(words)
    this.offered.set(offer.payload.blockHash, offer)
  }

  /** An answer in words. */
  words({ result, error }: RpcAnswer): string {
    if (error !== undefined) return `${error.code} ${error.message}`
    const given = result as { readonly payloadStatus?: object }
    const { status, latestValidHash } = (given.payloadStatus ?? given) as {
      readonly status: string
      readonly latestValidHash: string | null
    }
    const last = latestValidHash === null ? undefined : (this.names.get(latestValidHash) ?? 'the block')
    return status === 'INVALID' && last !== undefined ? `INVALID, the last valid block is ${last}` : status
  }
}

/** The parameters of newPayload. */
export function offerParams(
  { payload, versionedHashes, beaconRoot, requests }: Offer,
  version = 4,
): unknown[] {
  const sides = [versionedHashes, beaconRoot, requests].slice(0, Math.max(0, version - 1))
  return [payload, ...(version < 3 ? [] : sides)]
}

/** Changes members, and states the hash of the changed block, so only the rules can refuse it. */
export function rehashed(offer: Offer, change: object, sides: Partial<Omit<Offer, 'payload'>> = {}): Offer {
  const changed = { ...offer, ...sides, payload: { ...offer.payload, ...change } }
  const { payload, beaconRoot, requests } = changed
  const fork = FORKS.indexOf(forkAt(Number(payload.timestamp)))
  const header = headerOf(
    PayloadWire.parse(payload),
    payload.transactions.map((text) => parseData(text)),
    {
      parentBeaconBlockRoot: fork >= FORKS.indexOf('cancun') ? parseHash(beaconRoot) : undefined,
      requests: fork >= FORKS.indexOf('prague') ? requests.map((text) => parseData(text)) : undefined,
    },
    keccak256,
  )
  return { ...changed, payload: { ...payload, blockHash: hashHeader(header, keccak256) } }
}
