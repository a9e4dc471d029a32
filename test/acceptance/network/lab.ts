/**
 * The lab owns a network of real programs, made by `cairn operator generate-blockchain-config`: validators and nodes that follow
 * them, on loopback or each in a network of its own. Scenarios do to it what happens to networks.
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
  /** One for each validator, and at the end those of nodes that come later. */
  readonly places: readonly Place[]
  readonly validators: number
  /** Between the nodes, where each has a network of its own. */
  readonly hub?: Hub
  /** Who is told of whom, as pairs of validators: everybody of everybody, unless told otherwise. */
  readonly links?: readonly (readonly [number, number])[]
  /** Options of every validator, in place of those that it would have. */
  readonly args?: readonly string[]
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
  /** Whose keys two programs had: these may well have said two different things. */
  readonly #copied = new Set<string>()

  constructor(settings: LabSettings) {
    this.settings = settings
    this.random = createSeededRandom(settings.seed)
    this.load = new NetworkLoad(SENDERS)
    const { periodMs, timeoutSeconds, places, validators } = settings
    const alloc = this.load.alloc()
    const { args = [] } = settings
    const isSet = (arg: string) => args.some((own) => own.split('=')[0] === arg.split('=')[0])
    this.#validators = makeValidators(this.#context, 'qbft', validators, alloc, periodMs, timeoutSeconds).map(
      (network) => ({ ...network, args: [...network.args.filter((arg) => !isSet(arg)), ...args] }),
    )
    this.members = this.#validators.map(
      (network, index) =>
        new Member(`validator ${index + 1}`, network, places[index]!, [this.#staticNodes(network)]),
    )
    for (const [index, member] of this.members.entries()) this.#tellOf(member, this.#linked(index))
    this.watch = new ChainWatch(this.members)
  }

  get hub(): Hub {
    assert.ok(this.settings.hub, 'these nodes have networks of their own')
    return this.settings.hub
  }

  get timeoutMs(): number {
    return this.settings.timeoutSeconds * 1_000
  }

  async start(): Promise<void> {
    await Promise.all(this.members.map((member) => member.start()))
    this.watch.start()
    await this.untilAll(2)
    // Three make blocks without the fourth, whom a scenario may cut off before anybody has heard it.
    await Promise.all(this.members.map((member) => this.#untilHearsAll(member)))
  }

  /** A node that follows, with a key of its own, told of everybody. */
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

  /** In the place of a member that is stopped, with its key, on the genesis block of another network. */
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

  /** Another program with the key of a member, at another port, with a directory of its own. It runs. */
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

  /** Its key signs two different things from now on. */
  expectEquivocation(member: Member): void {
    this.#copied.add(member.network.validator)
  }

  /** undefined: this machine does not let us. */
  mountSmallDisk(): string | undefined {
    return mountSmallDisk(this.#context)
  }

  /** Until each that runs has the height. */
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
      assert.ok(performance.now() - beganMs < maxMs, `within ${maxMs} ms: ${what}`)
      await pause(PAUSE_MS)
    }
  }

  /** As whoever operates a network waits, before the next node is touched. */
  async untilReady(member: Member): Promise<void> {
    await this.until(`${member.name} is ready`, async () => (await member.readiness()).status === 200)
  }

  /** So many blocks from now on every node that runs. */
  async moreBlocks(count: number): Promise<void> {
    // Each may need a round more than the first.
    const maxMs = 60_000 + count * (this.settings.periodMs + this.timeoutMs)
    await this.untilAll(this.watch.height + count, this.members, maxMs)
  }

  /** All nodes have the same block at the same height, and what the load sent is mined once. */
  async settle(): Promise<void> {
    await this.load.untilMined(this.members)
    const running = this.members.filter((one) => one.isRunning)
    const common = Math.max(...(await Promise.all(running.map((one) => one.head()))))
    await this.untilAll(common)
    const blocks = await Promise.all(running.map((one) => one.block(common)))
    assert.equal(new Set(blocks.map((block) => block?.hash)).size, 1, `one block ${common} on all nodes`)
    await this.watch.requireEachOnce(this.load.accepted, common)
    this.requireNothingSignedTwice()
    assert.deepEqual(this.load.refusals.slice(0, 5), [], 'no transaction was refused')
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
    // A scenario that failed leaves it running, and this program with it.
    await this.load.stop()
    for (const member of this.members) if (member.isRunning) await member.kill()
    for (const end of this.#endings) end()
  }

  async #untilHearsAll(member: Member): Promise<void> {
    await this.until(`${member.name} has heard every validator`, async () =>
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
