/**
 * Runs a network of real programs that `cairn operator generate-blockchain-config` created: validators, and
 * nodes that follow them. The nodes share the loopback interface, or each has its own network namespace.
 * Scenarios apply faults to the network.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Random } from '#platform/random.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { freePort } from '../../support/free-port.ts'
import { makeValidators, type ValidatorNetwork } from '../../support/validator-network.ts'
import { mountSmallDisk } from '../process/fill-disk.ts'
import { ChainWatch } from './chain-watch.ts'
import type { Hub } from './hub.ts'
import { Member, type Place } from './member.ts'
import { NetworkLoad } from './network-load.ts'

const PAUSE_MS = 100
const SENDERS = 40

export interface LabSettings {
  readonly periodMs: number
  readonly timeoutSeconds: number
  readonly seed: number
  /** One place for each validator, followed by places for nodes that join later. */
  readonly places: readonly Place[]
  readonly validators: number
  /** The hub between the nodes, if each has its own network namespace. */
  readonly hub?: Hub
  /** Pairs of validators that know each other as static nodes. By default all of them do. */
  readonly links?: readonly (readonly [number, number])[]
  /** Options that replace the defaults of every validator. */
  readonly args?: readonly string[]
  /** Accounts in addition to the senders of the load. */
  readonly alloc?: Readonly<Record<string, object>>
  /** Forks after Shanghai. */
  readonly forks?: Readonly<Record<string, number>>
}

export class Lab {
  readonly settings: LabSettings
  readonly random: Random
  readonly members: Member[]
  readonly watch: ChainWatch
  readonly load: NetworkLoad
  readonly #endings: (() => unknown)[] = []
  readonly #context = { after: (ending: () => unknown) => void this.#endings.unshift(ending) }
  readonly #validators: readonly ValidatorNetwork[]
  /** Validators whose key two programs used: they may have equivocated. */
  readonly #copied = new Set<string>()

  constructor(settings: LabSettings) {
    this.settings = settings
    this.random = createSeededRandom(settings.seed)
    this.load = new NetworkLoad(SENDERS)
    const { periodMs, timeoutSeconds, places, validators, args = [], forks } = settings
    const alloc = { ...settings.alloc, ...this.load.alloc() }
    const isSet = (arg: string) => args.some((own) => own.split('=')[0] === arg.split('=')[0])
    this.#validators = makeValidators(this.#context, 'qbft', validators, alloc, periodMs, {
      requestTimeoutSeconds: timeoutSeconds,
      forks,
    }).map((network) => ({ ...network, args: [...network.args.filter((arg) => !isSet(arg)), ...args] }))
    this.members = this.#validators.map(
      (network, index) =>
        new Member(`validator ${index + 1}`, network, places[index]!, [this.#staticNodes(network)]),
    )
    for (const [index, member] of this.members.entries()) this.#tellOf(member, this.#linked(index))
    this.watch = new ChainWatch(this.members)
  }

  get hub(): Hub {
    assert.ok(this.settings.hub, 'these nodes have no network namespaces')
    return this.settings.hub
  }

  get timeoutMs(): number {
    return this.settings.timeoutSeconds * 1_000
  }

  async start(): Promise<void> {
    await Promise.all(this.members.map((member) => member.start()))
    this.watch.start()
    await this.untilAll(2)
    // Three validators produce blocks without the fourth, and a scenario may cut it off before any node has
    // heard from it.
    await Promise.all(this.members.map((member) => this.#untilHearsAll(member)))
  }

  /** Adds a node that follows the chain, with its own key and all validators as static nodes. */
  async addObserver(): Promise<Member> {
    const [one] = this.#validators
    const key = new Uint8Array(32).fill(17)
    key[0] = this.members.length
    const publicKey = publicKeyFromPrivate('secp256k1', key)
    const validator = addressFromPublicKey(publicKey)
    const folder = join(one!.folder, 'keys', validator)
    mkdirSync(folder)
    writeFileSync(join(folder, 'key.priv'), formatData(key))
    writeFileSync(join(folder, 'key.pub'), formatData(publicKey))
    const data = `${one!.data}-observer-${this.members.length}`
    mkdirSync(data)
    const args = one!.args.filter((arg) => !arg.startsWith('--node-private-key-file'))
    const keyed = [...args, `--node-private-key-file=${join(folder, 'key.priv')}`]
    const network = { folder: one!.folder, data, args: keyed, validator }
    const place = this.settings.places[this.members.length]!
    const member = new Member(`observer ${this.members.length + 1}`, network, place, [
      this.#staticNodes(network),
    ])
    this.#tellOf(member, [...this.members])
    this.members.push(member)
    await member.start()
    return member
  }

  /** Replaces a stopped member: same key, but the genesis block of another network. */
  stranger(member: Member): Member {
    const folder = `${member.network.data}-strange`
    mkdirSync(folder)
    const genesis = JSON.parse(readFileSync(join(member.network.folder, 'genesis.json'), 'utf8'))
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify({ ...genesis, gasLimit: '0x1000000' }))
    const args = member.network.args.filter((arg) => !arg.startsWith('--genesis-file='))
    const network = {
      ...member.network,
      data: folder,
      args: [...args, `--genesis-file=${join(folder, 'genesis.json')}`],
    }
    const others = this.members.filter((other) => other !== member)
    const stranger = new Member(`${member.name}, strange`, network, member.place, [
      this.#staticNodes(network),
    ])
    this.#tellOf(stranger, others)
    return stranger
  }

  /** Starts another program with a member's key, at another port and with its own directory. */
  async copyOf(member: Member): Promise<Member> {
    const data = `${member.network.data}-copy`
    mkdirSync(data)
    const network = { ...member.network, data }
    const place = { ...member.place, p2pPort: await freePort() }
    const copy = new Member(`${member.name}, copied`, network, place, [this.#staticNodes(network)])
    this.#tellOf(
      copy,
      this.members.filter((other) => other !== member),
    )
    this.#copied.add(member.network.validator)
    await copy.start()
    return copy
  }

  /** Permits this member's key to equivocate from now on. */
  expectEquivocation(member: Member): void {
    this.#copied.add(member.network.validator)
  }

  /** Returns undefined if this machine does not permit mounts. */
  mountSmallDisk(): string | undefined {
    return mountSmallDisk(this.#context)
  }

  /** Waits until every running node has the height. */
  async untilAll(height: number, among: readonly Member[] = this.members, maxMs?: number): Promise<void> {
    const running = among.filter(({ isRunning }) => isRunning)
    await Promise.all(
      running.map((member) =>
        this.until(`${member.name} has block ${height}`, async () => (await member.head()) >= height, maxMs),
      ),
    )
  }

  async until(what: string, isSo: () => Promise<boolean>, maxMs = 120_000): Promise<void> {
    const beganMs = performance.now()
    while (!(await isSo())) {
      assert.ok(performance.now() - beganMs < maxMs, `not within ${maxMs} ms: ${what}`)
      await pause(PAUSE_MS)
    }
  }

  /** Waits as an operator does before restarting the next node. */
  async untilReady(member: Member): Promise<void> {
    await this.until(`${member.name} is ready`, async () => (await member.readiness()).status === 200)
  }

  /** Waits until every running node has `count` more blocks. */
  async moreBlocks(count: number): Promise<void> {
    // Each block may need one round more than the first.
    const maxMs = 60_000 + count * (this.settings.periodMs + this.timeoutMs)
    await this.untilAll(this.watch.height + count, this.members, maxMs)
  }

  /** Requires the same block at the same height on all nodes, and each accepted transaction mined once. */
  async settle(): Promise<void> {
    await this.load.untilMined(this.members)
    const running = this.members.filter((one) => one.isRunning)
    const common = Math.max(...(await Promise.all(running.map((one) => one.head()))))
    await this.untilAll(common)
    const blocks = await Promise.all(running.map((one) => one.block(common)))
    assert.equal(new Set(blocks.map((block) => block?.hash)).size, 1, `nodes have different blocks ${common}`)
    await this.watch.requireEachOnce(this.load.accepted, common)
    this.requireNothingSignedTwice()
    assert.deepEqual(this.load.refusals.slice(0, 5), [], 'transactions were refused')
  }

  requireNothingSignedTwice(): void {
    for (const { name, output } of this.members) {
      const isTwice = (one: string) =>
        one.includes('equivocated') && !this.#copied.has(JSON.parse(one).fields.author)
      assert.equal(output.split('\n').find(isTwice), undefined, name)
      // A full disk is one of the scenarios.
      const isError = (one: string) => /"level":"(ERROR|FATAL)"/.test(one) && !one.includes('disk is full')
      const error = output.split('\n').find(isError)
      assert.equal(error, undefined, name)
    }
  }

  async report(): Promise<string> {
    const reports = await Promise.all(this.members.map((member) => member.report()))
    return reports.join('\n')
  }

  saveLogs(folder: string): void {
    mkdirSync(folder, { recursive: true })
    for (const { name, output } of this.members) writeFileSync(join(folder, `${name}.log`), output)
  }

  async close(): Promise<void> {
    this.watch.stop()
    // After a failed scenario the load still runs and would keep this program alive.
    await this.load.stop()
    for (const member of this.members) if (member.isRunning) await member.kill()
    for (const end of this.#endings) end()
  }

  async #untilHearsAll(member: Member): Promise<void> {
    await this.until(`${member.name} has heard from every validator`, async () =>
      (await member.status()).validators.every(({ self, lastHeard }) => self || lastHeard !== null),
    )
  }

  #linked(index: number): readonly Member[] {
    const { links } = this.settings
    if (links === undefined) return this.members.filter((_, other) => other !== index)
    return links.filter(([from]) => from === index).map(([, to]) => this.members[to]!)
  }

  #staticNodes({ data }: ValidatorNetwork): string {
    return `--static-nodes-file=${join(data, 'static-nodes.json')}`
  }

  #tellOf({ network }: Member, others: readonly Member[]): void {
    writeFileSync(join(network.data, 'static-nodes.json'), JSON.stringify(others.map(({ enode }) => enode)))
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
