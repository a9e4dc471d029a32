/** A proof-of-stake network on one machine: its genesis, and pairs of an execution client and Prysm. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SYSTEM_CONTRACTS } from '#consensus/dev/system-contracts.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { freePort } from '../../../support/free-port.ts'
import { killChild, ownChild } from '../../../support/own-child.ts'
import type { PrysmPrograms } from '../../../support/prysm-program.ts'
import { openRpcClient, type RpcClient } from '../../../support/rpc-client.ts'
import { startNode } from '../../../support/running-node.ts'
import { type ExecutionClient, startGeth } from './geth-node.ts'
import { ACCOUNTS, CHAIN_ID } from './load.ts'

export type DevnetFork = 'electra' | 'fulu'

const VALIDATORS = 16
/** Prysm refuses a genesis in the past, and needs this time to start. */
const GENESIS_DELAY_S = 50
const POLL_MS = 500
const START_MAX_MS = 60_000
const DEPOSITS = '0x4242424242424242424242424242424242424242'
const NEVER = '18446744073709551615'

export interface DevnetParts {
  readonly fork: DevnetFork
  readonly slotSeconds: number
}

/**
 * Epochs are short, so blocks are final sooner. On Fulu a state has the proposers of 64 slots, an array of fixed length, so
 * 8 slots need a lookahead of 7 epochs. Such a lookahead also keeps duties the same on both branches of a split. With
 * mainnet's lookahead, a reorg in an epoch of a few slots changes the proposers, and Prysm signs blocks for the slots of others.
 */
const EPOCH = ['SLOTS_PER_EPOCH: 8', 'MIN_SEED_LOOKAHEAD: 7']

function chainConfig({ fork, slotSeconds }: DevnetParts): string {
  const forks = ['ALTAIR', 'BELLATRIX', 'CAPELLA', 'DENEB', 'ELECTRA', 'FULU']
  const rows = forks.flatMap((name, index) => [
    `${name}_FORK_EPOCH: ${name === 'FULU' && fork === 'electra' ? NEVER : 0}`,
    `${name}_FORK_VERSION: 0x200000${90 + index}`,
  ])
  return [
    'PRESET_BASE: mainnet',
    'CONFIG_NAME: cairn',
    'TERMINAL_TOTAL_DIFFICULTY: 0',
    'GENESIS_FORK_VERSION: 0x20000089',
    ...rows,
    `SECONDS_PER_SLOT: ${slotSeconds}`,
    ...EPOCH,
    // Without discovery, Prysm does not learn how many columns its peer has, and assumes the required number: here all.
    ...(fork === 'fulu' ? ['CUSTODY_REQUIREMENT: 128'] : []),
    'ETH1_FOLLOW_DISTANCE: 1',
    `MIN_GENESIS_ACTIVE_VALIDATOR_COUNT: ${VALIDATORS}`,
    `DEPOSIT_CONTRACT_ADDRESS: ${DEPOSITS}`,
    `DEPOSIT_CHAIN_ID: ${CHAIN_ID}`,
    `DEPOSIT_NETWORK_ID: ${CHAIN_ID}`,
    '',
  ].join('\n')
}

/** Has the system contracts: without those of EIP-7002 and EIP-7251, blocks of Prague are invalid. */
function genesisInput(): string {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
  const later = ['istanbul', 'berlin', 'london']
  const contracts = Object.entries(SYSTEM_CONTRACTS).map(([address, code]) => [
    address,
    { balance: '0x0', code },
  ])
  return JSON.stringify({
    config: {
      chainId: Number(CHAIN_ID),
      ...Object.fromEntries([...blocks, ...later].map((name) => [`${name}Block`, 0])),
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      depositContractAddress: DEPOSITS,
      blobSchedule: {
        cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
        prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      },
    },
    alloc: {
      ...Object.fromEntries(ACCOUNTS.map((address) => [address, { balance: '0x21e19e0c9bab2400000' }])),
      ...Object.fromEntries(contracts),
    },
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    baseFeePerGas: '0x3b9aca00',
  })
}

export class Devnet {
  readonly folder = mkdtempSync(join(tmpdir(), 'cairn-prysm-'))
  readonly programs: PrysmPrograms
  readonly #validators: ChildProcess[] = []

  /** Writes the genesis of both layers. */
  constructor(programs: PrysmPrograms, parts: DevnetParts) {
    const { fork } = parts
    this.programs = programs
    writeFileSync(this.at('config.yml'), chainConfig(parts))
    writeFileSync(this.at('genesis-in.json'), genesisInput())
    writeFileSync(this.at('jwt.hex'), randomBytes(32).toString('hex'))
    execFileSync(programs.prysmctl, [
      ...['testnet', 'generate-genesis', '--fork', fork, '--num-validators', `${VALIDATORS}`],
      ...['--genesis-time-delay', `${GENESIS_DELAY_S}`, '--chain-config-file', this.at('config.yml')],
      ...['--geth-genesis-json-in', this.at('genesis-in.json')],
      ...['--geth-genesis-json-out', this.at('genesis.json'), '--output-ssz', this.at('genesis.ssz')],
    ])
    if (fork === 'electra') return
    // prysmctl writes pragueTime, but not osakaTime.
    const genesis = JSON.parse(readFileSync(this.at('genesis.json'), 'utf8'))
    genesis.config.osakaTime = genesis.config.pragueTime
    writeFileSync(this.at('genesis.json'), JSON.stringify(genesis))
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  /** Starts a program whose output is appended to a file. */
  run(name: string, program: string, args: readonly string[]): ChildProcess {
    const log = openSync(this.at(`${name}.log`), 'a')
    const child = spawn(program, args, { stdio: ['ignore', log, log] })
    closeSync(log)
    ownChild(child)
    return child
  }

  /**
   * Splits the validators between the pairs. A Prysm that is an epoch behind syncs to the current slot before its validators
   * propose again, which takes forever if nobody else proposes.
   */
  startValidators(pairs: readonly Pair[]): void {
    const count = VALIDATORS / pairs.length
    for (const [index, { beaconRpc }] of pairs.entries()) {
      const name = `validator-${index}`
      const args = [
        ...[
          '--datadir',
          this.at(name),
          '--accept-terms-of-use',
          '--chain-config-file',
          this.at('config.yml'),
        ],
        ...['--interop-num-validators', `${count}`, '--interop-start-index', `${index * count}`],
        ...['--beacon-rpc-provider', `127.0.0.1:${beaconRpc}`, '--disable-monitoring'],
      ]
      this.#validators.push(this.run(name, this.programs.validator, args))
    }
  }

  async stopValidators(): Promise<void> {
    await Promise.all(this.#validators.map(killChild))
  }
}

const PORTS = ['p2p', 'engine', 'beaconRpc', 'beaconHttp', 'tcp', 'udp', 'monitoring'] as const
type Ports = Readonly<Record<(typeof PORTS)[number], number>>

export interface Finality {
  readonly latest: number
  readonly finalized: number
  /** The hash of the final block. */
  readonly hash: string
}

export interface NumberedBlock {
  readonly number: string
  readonly hash: string
  /** The fee recipient. */
  readonly miner: string
}

/** What a pair consists of next to Prysm. */
export interface PairParts {
  readonly name: string
  /** Receives the fees of the pair's proposals, so blocks show who built them. */
  readonly feeRecipient: string
  /** The program of geth; undefined for Cairn. */
  readonly geth?: string
}

/** An execution client and its consensus client, which keep their ports when they return. */
export class Pair {
  readonly feeRecipient: string
  readonly #net: Devnet
  readonly #name: string
  readonly #geth: string | undefined
  readonly #ports: Ports
  /** The address of the other Prysm. */
  #peer: string | undefined
  #node: ExecutionClient | undefined
  #rpc: RpcClient | undefined
  #beacon: ChildProcess | undefined

  static async start(net: Devnet, parts: PairParts): Promise<Pair> {
    const ports = await Promise.all(PORTS.map(async (port) => [port, await freePort()]))
    const pair = new Pair(net, parts, Object.fromEntries(ports) as Ports)
    await pair.startNode()
    await pair.startBeacon()
    return pair
  }

  private constructor(net: Devnet, { name, feeRecipient, geth }: PairParts, ports: Ports) {
    this.#net = net
    this.#name = name
    this.feeRecipient = feeRecipient
    this.#geth = geth
    this.#ports = ports
  }

  get client(): string {
    return this.#geth === undefined ? 'Cairn' : 'geth'
  }

  get rpc(): RpcClient {
    return this.#rpc!
  }

  get beaconRpc(): number {
    return this.#ports.beaconRpc
  }

  async startNode(): Promise<void> {
    this.#node = await (this.#geth === undefined ? this.#startCairn() : this.#startGeth(this.#geth))
    this.#rpc = openRpcClient(this.#node.http)
  }

  #startCairn(): Promise<ExecutionClient> {
    const { p2p: p2pPort, engine } = this.#ports
    const args = [
      `--genesis-file=${this.#net.at('genesis.json')}`,
      ...['--engine-rpc-enabled', `--engine-rpc-port=${engine}`],
      `--engine-jwt-secret=${this.#net.at('jwt.hex')}`,
      ...['--rpc-http-enabled', '--rpc-http-api=ETH,NET,ADMIN,TXPOOL', '--discovery-enabled=false'],
    ]
    return startNode(args, this.#net.at(`cairn-${this.#name}`), undefined, { p2pPort })
  }

  #startGeth(program: string): Promise<ExecutionClient> {
    return startGeth(program, {
      genesisFile: this.#net.at('genesis.json'),
      jwtFile: this.#net.at('jwt.hex'),
      data: this.#net.at(`geth-${this.#name}`),
      networkId: CHAIN_ID,
      p2pPort: this.#ports.p2p,
      enginePort: this.#ports.engine,
    })
  }

  /** Makes two Prysm nodes each other's peers. Their addresses are known only after their first start. */
  static async acquaint(one: Pair, other: Pair): Promise<void> {
    const addresses = [await other.#beaconAddress(), await one.#beaconAddress()]
    for (const [index, pair] of [one, other].entries()) {
      await pair.killBeacon()
      pair.#peer = addresses[index]!
      await pair.startBeacon()
    }
  }

  /** Resolves when Prysm trusts its peer. */
  async startBeacon(): Promise<void> {
    const { at, ports } = { at: (name: string) => this.#net.at(name), ports: this.#ports }
    this.#beacon = this.#net.run(`beacon-${this.#name}`, this.#net.programs['beacon-chain'], [
      ...['--datadir', at(`beacon-${this.#name}`), '--accept-terms-of-use'],
      ...['--chain-config-file', at('config.yml'), '--genesis-state', at('genesis.ssz')],
      ...['--contract-deployment-block', '0', '--chain-id', `${CHAIN_ID}`, '--network-id', `${CHAIN_ID}`],
      ...['--execution-endpoint', `http://127.0.0.1:${ports.engine}`, '--jwt-secret', at('jwt.hex')],
      ...['--min-sync-peers', '0', '--minimum-peers-per-subnet', '0', '--no-discovery', '--bootstrap-node='],
      ...['--p2p-local-ip', '127.0.0.1', '--p2p-host-ip', '127.0.0.1', '--p2p-static-id'],
      ...(this.#peer === undefined ? [] : ['--peer', this.#peer]),
      ...['--p2p-tcp-port', `${ports.tcp}`, '--p2p-udp-port', `${ports.udp}`],
      // Built with a recent Go, its QUIC library panics when a peer connects.
      ...['--disable-quic', '--monitoring-port', `${ports.monitoring}`],
      ...['--rpc-port', `${ports.beaconRpc}`, '--http-port', `${ports.beaconHttp}`],
      ...['--suggested-fee-recipient', this.feeRecipient],
      // On Fulu, two nodes hold all columns only if each holds all: there are no other peers to ask.
      '--subscribe-all-data-subnets',
      // For the same reason, one peer answers all requests for missed blobs and columns, beyond the usual rate.
      ...['--blob-batch-limit', '4096', '--data-column-batch-limit', '65536'],
    ])
    if (this.#peer !== undefined) await this.#trustPeer(this.#peer)
  }

  /**
   * After a reorg, messages of the other branch can look invalid. Prysm then disconnects from its only peer for good, and each
   * node continues its own branch with half of the validators. It keeps and redials trusted peers.
   */
  async #trustPeer(addr: string): Promise<void> {
    const url = `http://127.0.0.1:${this.#ports.beaconHttp}/prysm/v1/node/trusted_peers`
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ addr }),
    }
    const endsAtMs = systemClock.monotonicMs() + START_MAX_MS
    for (;;) {
      const response = await fetch(url, request).catch(() => undefined)
      if (response?.ok) return
      if (systemClock.monotonicMs() > endsAtMs)
        throw new Error(
          `Prysm does not trust its peer: ${response === undefined ? 'no answer' : await response.text()}`,
        )
      await pause(systemClock, POLL_MS)
    }
  }

  async killNode(): Promise<void> {
    this.#rpc?.close()
    await this.#node?.kill()
    this.#keepOutput()
  }

  async killBeacon(): Promise<void> {
    if (this.#beacon !== undefined) await killChild(this.#beacon)
  }

  /** Kills the consensus client and stops the node like an operator. */
  async stop(): Promise<void> {
    await this.killBeacon()
    this.#rpc?.close()
    const code = await this.#node?.stop()
    this.#keepOutput()
    if (code !== 0) throw new Error(`The ${this.#name} ${this.client} ended with ${code}.`)
  }

  /** Connects the execution clients. */
  async connect(to: Pair): Promise<void> {
    const { enode } = (await to.rpc.call('admin_nodeInfo')).result as { readonly enode: string }
    const { error } = await this.rpc.call('admin_addPeer', enode)
    if (error !== undefined) throw new Error(error.message)
  }

  async finality(): Promise<Finality> {
    const [latest, finalized] = [await this.block('latest'), await this.block('finalized')]
    return {
      latest: Number(latest?.number ?? 0),
      finalized: Number(finalized?.number ?? 0),
      hash: finalized?.hash ?? '',
    }
  }

  /** Whether the execution client has not validated Prysm's head; Prysm proposes nothing then. */
  async isOptimistic(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${this.#ports.beaconHttp}/eth/v1/node/syncing`)
    const { data } = (await response.json()) as { readonly data: { readonly is_optimistic: boolean } }
    return data.is_optimistic
  }

  async has({ finalized, hash }: Finality): Promise<boolean> {
    return (await this.block(`0x${finalized.toString(16)}`))?.hash === hash
  }

  /** The canonical block at a number or tag. */
  async block(tag: string): Promise<NumberedBlock | undefined> {
    return ((await this.rpc.call('eth_getBlockByNumber', tag, false)).result ?? undefined) as
      | NumberedBlock
      | undefined
  }

  #keepOutput(): void {
    writeFileSync(this.#net.at(`node-${this.#name}.log`), this.#node?.output() ?? '', { flag: 'a' })
  }

  /** Prysm's address for peers, which it logs when it listens. */
  async #beaconAddress(): Promise<string> {
    for (;;) {
      const log = readFileSync(this.#net.at(`beacon-${this.#name}.log`), 'utf8')
      const address = /multiAddr="(\/ip4\/[^"]+\/tcp\/[^"]+)"/.exec(log)?.[1]
      if (address !== undefined) return address
      await pause(systemClock, POLL_MS)
    }
  }
}
