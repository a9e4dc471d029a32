/** The public entry `cairn-node/test`: a validator network of real processes, for tests. docs/extend/embedding.md describes it. */
import { fileURLToPath } from 'node:url'
import { usageFault } from '#config/faults.ts'
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import { createTemporaryDirectory, removeAbandoned } from '#platform/files/temporary-directory.ts'
import { systemRandom } from '#platform/random.ts'
import { PROGRAM_ROOT } from '#platform/thread/own-modules.ts'
import { addNode } from './add-node.ts'
import { askNode } from './ask-node.ts'
import { endpointOf } from './endpoint.ts'
import { type FleetNode, nodesOf, readConfig } from './network-directory.ts'
import { reportNetwork } from './network-report.ts'
import { describeNetwork } from './new-network.ts'
import { enodeOfNode } from './new-node.ts'
import { lastWords } from './node-log.ts'
import { pidOf, setProgram, signalProcess, startProcess, stopNodes, untilEnded } from './node-process.ts'
import { refusal } from './plan-network.ts'
import { writeNewFiles } from './write-new-files.ts'

export interface TestNetworkOptions {
  /** Four validators tolerate the failure of one. */
  readonly validators?: number
  readonly chainId?: number
  readonly blockPeriodSeconds?: number
}

/** A validator's process. */
export interface TestValidator {
  readonly name: string
  /** The URL of its JSON-RPC over HTTP. */
  readonly url: string
  readonly webSocketUrl: string
  /** Undefined if it is not running. */
  readonly pid: number | undefined
  /** Ends it as an operator does. */
  stop(): Promise<void>
  /** Ends it at once, like a power cut. */
  kill(): Promise<void>
  /** Starts it again; resolves when it answers. */
  start(): Promise<void>
  /** Suspends the process: its connections stay open, and nothing is answered. */
  freeze(): void
  unfreeze(): void
}

/** `await using` stops it and removes its files. */
export interface TestNetwork extends AsyncDisposable {
  readonly directory: string
  readonly chainId: number
  /** An account with ether, and its private key. */
  readonly account: { readonly address: string; readonly privateKey: string }
  readonly validators: readonly TestValidator[]
  /** Adds a validator; resolves when the others have voted it in. */
  addValidator(): Promise<TestValidator>
  /** Disconnects the groups from each other. Validators that no group names form another group. */
  partition(...groups: readonly (readonly TestValidator[])[]): Promise<void>
  /** Ends a partition. */
  heal(): Promise<void>
  /** A second call does nothing. */
  stop(): Promise<void>
}

const PREFIX = 'cairn-test-network-'
const MEMBERS: readonly string[] = [
  'validators',
  'chainId',
  'blockPeriodSeconds',
] satisfies (keyof TestNetworkOptions)[]
const MAX_VALIDATORS = 30
const START_LIMIT_MS = 120_000
const LOOK_MS = 100
const PROGRAM = fileURLToPath(new URL('../bin/cairn', PROGRAM_ROOT))

/** Networks of several test processes start at the same time, so each begins at other ports. */
const PORTS = { first: 11_000, places: 100, each: 40 } as const

/** Starts a network in a temporary directory; resolves when every validator answers. */
export async function createNetwork(options: TestNetworkOptions = {}): Promise<TestNetwork> {
  const { validators = 4, chainId = 1337, blockPeriodSeconds = 1 } = options
  for (const name of Object.keys(options)) {
    if (!MEMBERS.includes(name)) throw usageFault(`createNetwork knows ${MEMBERS.join(', ')}, not ${name}.`)
  }
  if (!Number.isInteger(validators) || validators < 1 || validators > MAX_VALIDATORS) {
    throw usageFault(`validators must be a number from 1 to ${MAX_VALIDATORS}.`)
  }
  await removeAbandoned(PREFIX, endNodes)
  const { path: directory, remove } = createTemporaryDirectory(PREFIX)
  const wishes = { validators, observers: 0, chainId, blockPeriodSeconds }
  const described = await describeNetwork({
    ...wishes,
    hasPermissions: false,
    password: undefined,
    firstPorts: randomPorts(),
  })
  writeNewFiles(described.files, directory)
  for (const node of nodesOf(directory)) setProgram(node, PROGRAM)
  const account = { address: described.account, privateKey: described.accountKey }
  const network = new ProcessNetwork({ directory, remove, chainId, account }, systemClock)
  try {
    await Promise.all(network.validators.map((validator) => validator.start()))
    return network
  } catch (error) {
    await network.stop()
    throw error
  }
}

function randomPorts() {
  const [high, low] = systemRandom.randomBytes(2)
  const p2p = PORTS.first + (((high! << 8) | low!) % PORTS.places) * PORTS.each
  // All are below the ports that the system gives to outgoing connections.
  const apart = PORTS.places * PORTS.each
  const [http, websocket, metrics, console] = [1, 2, 3, 4].map((at) => p2p + at * apart)
  return { p2p, http: http!, websocket: websocket!, metrics: metrics!, console: console! }
}

/** Ends the nodes of a network whose test process was killed. */
async function endNodes(directory: string): Promise<boolean> {
  const nodes = nodesOf(directory)
  for (const node of nodes) signalProcess(node, 'SIGKILL')
  return (await untilEnded(nodes)).length === 0
}

interface NetworkParts extends Pick<TestNetwork, 'directory' | 'chainId' | 'account'> {
  remove(): void
}

class ProcessNetwork implements TestNetwork {
  readonly directory: string
  readonly chainId: number
  readonly account: TestNetwork['account']
  readonly #remove: () => void
  readonly #clock: Clock
  readonly #validators: ProcessValidator[]
  /** Nodes are detached, so they would outlive a test process that ends without a stop. */
  readonly #onExit = () => {
    for (const { node } of this.#validators) signalProcess(node, 'SIGKILL')
  }
  /** Empty without a partition. */
  #groups: readonly (readonly ProcessValidator[])[] = []
  #stopping: Promise<void> | undefined

  constructor({ directory, chainId, account, remove }: NetworkParts, clock: Clock) {
    this.directory = directory
    this.chainId = chainId
    this.account = account
    this.#remove = remove
    this.#clock = clock
    this.#validators = nodesOf(directory).map((node) => this.#validator(node))
    process.on('exit', this.#onExit)
  }

  get validators(): readonly TestValidator[] {
    return [...this.#validators]
  }

  async addValidator(): Promise<TestValidator> {
    const added = this.#validator(await addNode(this.directory, undefined, () => undefined))
    this.#validators.push(added)
    return added
  }

  async partition(...groups: readonly (readonly TestValidator[])[]): Promise<void> {
    const named = groups.map((group) => group.map(({ name }) => this.#named(name)))
    const rest = this.#validators.filter((each) => !named.flat().includes(each))
    this.#groups = [...named, rest]
    await this.#connectAll()
  }

  async heal(): Promise<void> {
    this.#groups = []
    await this.#connectAll()
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #stopAll(): Promise<void> {
    try {
      for (const validator of this.#running()) validator.unfreeze()
      await stopNodes(nodesOf(this.directory))
    } finally {
      this.#onExit()
      process.removeListener('exit', this.#onExit)
      this.#remove()
    }
  }

  #validator(node: FleetNode): ProcessValidator {
    return new ProcessValidator(node, this.#clock, async () => {
      if (this.#groups.length > 0) await this.#connectAll()
    })
  }

  #running(): ProcessValidator[] {
    return this.#validators.filter(({ pid }) => pid !== undefined)
  }

  /** All at once: validators that still have links to both groups could make blocks meanwhile. */
  async #connectAll(): Promise<void> {
    await Promise.all(this.#validators.map((each) => this.#connect(each)))
  }

  /** Sets the peers of a running validator. After a start it has those of its files again. */
  async #connect(validator: ProcessValidator): Promise<void> {
    if (validator.pid === undefined) return
    const group = this.#groups.find((each) => each.includes(validator)) ?? this.#validators
    const calls = this.#validators
      .filter((each) => each !== validator)
      .map((each) => ({
        method: group.includes(each) ? 'admin_addPeer' : 'admin_removePeer',
        params: [enodeOfNode(each.node)],
      }))
    await askNode(endpointOf(validator.node), calls)
  }

  #named(name: string): ProcessValidator {
    const found = this.#validators.find((each) => each.name === name)
    if (found === undefined) throw usageFault(`The network has no validator ${name}.`)
    return found
  }
}

class ProcessValidator implements TestValidator {
  readonly node: FleetNode
  readonly name: string
  readonly url: string
  readonly webSocketUrl: string
  readonly #clock: Clock
  readonly #onStarted: () => Promise<void>

  constructor(node: FleetNode, clock: Clock, onStarted: () => Promise<void>) {
    const config = readConfig(node.configFile)
    this.node = node
    this.name = node.name
    this.url = endpointOf(node).url
    this.webSocketUrl = `ws://${config['rpc-ws-host']}:${config['rpc-ws-port']}`
    this.#clock = clock
    this.#onStarted = onStarted
  }

  get pid(): number | undefined {
    return pidOf(this.node)
  }

  async stop(): Promise<void> {
    this.unfreeze()
    await stopNodes([this.node])
  }

  async kill(): Promise<void> {
    signalProcess(this.node, 'SIGKILL')
    await untilEnded([this.node])
  }

  async start(): Promise<void> {
    startProcess(this.node)
    const endMs = this.#clock.monotonicMs() + START_LIMIT_MS
    for (;;) {
      const [report] = await reportNetwork([this.node])
      if (report!.state === 'running') return await this.#onStarted()
      const isLate = this.#clock.monotonicMs() > endMs
      if (this.pid === undefined || isLate) {
        throw refusal(`${this.name} did not start. ${lastWords(this.node)?.text ?? ''}`.trim())
      }
      await pause(this.#clock, LOOK_MS)
    }
  }

  freeze(): void {
    signalProcess(this.node, 'SIGSTOP')
  }

  unfreeze(): void {
    signalProcess(this.node, 'SIGCONT')
  }
}
