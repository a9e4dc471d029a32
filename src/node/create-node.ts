/** The public entry of the package: a node inside another program. docs/extend/embedding.md describes it. */
import { declareOutsideMethods } from '#api/registry/outside-methods.ts'
import { databaseIn } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import { suggestion } from '#config/nearest.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import {
  createTemporaryDirectory,
  removeAbandoned,
  type TemporaryDirectory,
} from '#platform/files/temporary-directory.ts'
import { createLog, type Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import type { ServiceAddress } from '#serve/services-contract.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import { readLogOptions } from './log-settings.ts'
import type { CommandLineOptions } from './option-types.generated.ts'
import { type ConfiguredNode, configureNode } from './plugins/load-plugins.ts'
import { NodeProvider, type Provider, ProviderError, type ProviderMessage } from './provider.ts'
import { type RunningNode, startNode } from './start.ts'

export { type CommandLineOptions, type Provider, ProviderError, type ProviderMessage, type ServiceAddress }

export interface NodeOptions {
  /** The genesis file, as JSON text or as the parsed object. Required without `network`. */
  readonly genesis?: string | object
  /** The development chain of `cairn --network=dev`, without its ports. Excludes `genesis`. */
  readonly network?: 'dev'
  /** The chain's directory. Without it, a temporary directory that `stop` removes. */
  readonly dataPath?: string
  /**
   * Command-line options without their dashes: `{ 'rpc-http-enabled': true, 'rpc-http-port': 0 }`. Environment variables
   * and configuration files are ignored, unless `config-file` names one.
   */
  readonly options?: CommandLineOptions
  /** The engine; undefined means the best available one. */
  readonly engine?: 'js' | 'native'
}

export type BlockVerdict =
  /** `sibling`: valid, but not on the canonical chain. `known`: already imported. */
  | { readonly ok: true; readonly status: 'imported' | 'known' | 'sibling'; readonly hash: string }
  | { readonly ok: false; readonly reason: string; readonly sentence: string }

/** `await using` stops it. */
export interface EmbeddedNode extends AsyncDisposable {
  /** An EIP-1193 provider. It may call every API of the node, without a token. */
  readonly provider: Provider
  /** The addresses for clients, if `options` enabled them. */
  readonly http: ServiceAddress | undefined
  readonly websocket: ServiceAddress | undefined
  /** The address for a consensus client. */
  readonly engine: ServiceAddress | undefined
  /** Resolves with the reason if the node cannot continue and must be stopped. */
  readonly failed: Promise<Error>
  /**
   * Imports one block, as RLP bytes or 0x… text. When it resolves, the block is durable and visible in every answer.
   * `light` does not verify the seals, `none` does not verify the header.
   */
  importBlock(rlp: Uint8Array | string, validation?: 'full' | 'light' | 'none'): Promise<BlockVerdict>
  /** Rewinds the chain to a block number; the blocks above it are no longer canonical. */
  unwind(number: number): Promise<void>
  /** A second call does nothing. */
  stop(): Promise<void>
}

/** Defaults for a node inside another program: it is quiet and opens no port. */
const EMBEDDED = { logging: 'WARN', 'p2p-enabled': false, 'console-enabled': false }
const EMBEDDED_DEV = { network: 'dev', 'rpc-http-enabled': false, 'rpc-ws-enabled': false } as const

const MAX_CONFIG_BYTES = 1024 * 1024

/** Faults for text and bytes that are not a block. */
const NO_BLOCK: ReadonlySet<string> = new Set(['INVALID_HEX', 'INVALID_BLOCK'])
const MEMBERS: readonly string[] = [
  'genesis',
  'network',
  'dataPath',
  'options',
  'engine',
] satisfies (keyof NodeOptions)[]

/** Starts a node in its own threads. The node answers when the promise resolves. */
export function createNode(options: NodeOptions): Promise<EmbeddedNode> {
  return createNodeWith(options)
}

/** `methodModules` add methods from outside the package. */
export async function createNodeWith(
  given: NodeOptions,
  methodModules: readonly string[] = [],
): Promise<EmbeddedNode> {
  requireKnownMembers(given)
  const { genesis, network, options, ...rest } = given
  if (network === 'dev') {
    return await embedNode({ ...rest, options: { ...EMBEDDED_DEV, ...options }, methodModules })
  }
  const genesisText = typeof genesis === 'string' ? genesis : JSON.stringify(genesis)
  return await embedNode({ ...rest, ...(options && { options }), genesisText, methodModules })
}

/** Without `genesisText`, the options determine the network. */
export async function embedNode({
  dataPath,
  options = {},
  engine,
  genesisText,
  methodModules = [],
}: Pick<NodeOptions, 'dataPath' | 'engine'> & {
  readonly options?: CommandLineOptions & Pick<NodeOptions, 'network'>
  readonly genesisText?: string
  readonly methodModules?: readonly string[]
}): Promise<EmbeddedNode> {
  const temporary = dataPath === undefined ? await createTemporaryData() : undefined
  try {
    await declareOutsideMethods(methodModules)
    const configured = await configure({ ...EMBEDDED, ...options, 'data-path': dataPath ?? temporary!.path })
    const { settings, plugins, reread } = configured
    const log = createLog(readLogOptions(settings))
    const node = await startNode(settings, log, {
      engine,
      plugins,
      reread,
      ...(genesisText !== undefined && { genesisText }),
      takesInProcess: true,
      methodModules,
    })
    return embed(node, temporary, log)
  } catch (error) {
    temporary?.remove()
    throw error
  }
}

/** With a mistyped `dataPath`, the chain would be in the directory that `stop` deletes. */
function requireKnownMembers(given: NodeOptions): void {
  for (const name of Object.keys(given)) {
    if (MEMBERS.includes(name)) continue
    const known = `It knows ${MEMBERS.join(', ')}; options of the command line go into options.`
    throw usageFault(`createNode does not know ${name}.${suggestion(name, MEMBERS)} ${known}`)
  }
  const { genesis, network } = given
  if (network !== undefined && network !== 'dev') {
    throw usageFault(`createNode does not know the network ${network}; it knows 'dev'.`)
  }
  const hasGenesis = genesis !== undefined && genesis !== null
  if (hasGenesis && network !== undefined) {
    throw usageFault('createNode takes genesis or network, and not both.')
  }
  if (!hasGenesis && network === undefined) {
    throw usageFault(
      "createNode needs genesis, the text of a genesis file or what JSON.parse made of it, or network: 'dev'.",
    )
  }
}

async function configure(options: Readonly<Record<string, unknown>>): Promise<ConfiguredNode> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const args = given.map(([name, value]) => `--${name}=${String(value)}`)
  return await configureNode({ args, environment: {}, readText: readTextIfThere })
}

function readTextIfThere(path: string): string | undefined {
  return kindOfPath(path) === undefined ? undefined : readTextBounded(path, MAX_CONFIG_BYTES)
}

function embed(node: RunningNode, temporary: TemporaryDirectory | undefined, log: Log): EmbeddedNode {
  const [chain, rpc] = [node.chain, node.rpc!]
  const { http, websocket, engine } = rpc.addresses
  const provider = new NodeProvider(rpc, (err) =>
    log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'provider', err }),
  )
  const stop = async (): Promise<void> => {
    provider.close()
    const failures = await node.stop()
    temporary?.remove()
    const [failure] = failures
    if (failure === undefined) return
    const sentence = `${failure.service} did not stop cleanly: ${failure.error}`
    throw new Fault('STOP_FAILED', { sentence }, { cause: failure.error })
  }
  return {
    provider,
    http: http ?? undefined,
    websocket: websocket ?? undefined,
    engine: engine ?? undefined,
    failed: node.failed,
    async importBlock(rlp, validation = 'full') {
      const verdict = await importVerdict(() => chain.writer.importBlock(bytesOf(rlp), validation))
      await rpc.announced(chain.head)
      return verdict
    },
    async unwind(number) {
      const sentence = number === chain.head.number ? undefined : node.consensus.refusalToGoBack()
      if (sentence !== undefined) throw new Fault('HEAD_BOUND_BY_VOTES', { sentence })
      await chain.writer.unwind(number)
      await rpc.announced(chain.head)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Data that is not a block is refused like a block that breaks a rule. */
async function importVerdict(run: () => Promise<BlockVerdict>): Promise<BlockVerdict> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Fault) || !NO_BLOCK.has(error.kind)) throw error
    return { ok: false, reason: 'UNDECODABLE', sentence: `Malformed block. ${error.message}` }
  }
}

function bytesOf(rlp: Uint8Array | string): Uint8Array {
  return typeof rlp === 'string' ? parseData(rlp) : rlp
}

const TEMPORARY_PREFIX = 'cairn-data-'

/** The data directory of a node without `dataPath`. The next program removes the directory of a killed one. */
async function createTemporaryData(): Promise<TemporaryDirectory> {
  await removeAbandoned(TEMPORARY_PREFIX, isFree)
  return createTemporaryDirectory(TEMPORARY_PREFIX)
}

/** True if the database is not open: its lock holds across processes, also those in other containers. */
async function isFree(path: string): Promise<boolean> {
  try {
    const kv = await openLevelKv(databaseIn(path), { createIfMissing: false })
    await kv.close()
    return true
  } catch (error) {
    return (error as { readonly kind?: string }).kind === 'STORE_MISSING'
  }
}
