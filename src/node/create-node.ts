/** The public entry of the package: a node inside another program. docs/embedding.md describes it. */

import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import { suggestion } from '#config/nearest.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import {
  createTemporaryDirectory,
  removeAbandoned,
  type TemporaryDirectory,
} from '#platform/files/temporary-directory.ts'
import { createLog, type Log } from '#platform/log/log.ts'
import { declareOutsideMethods } from '#rpc/registry/outside-methods.ts'
import type { ServiceAddress } from '#serve/services-contract.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import { DATABASE_FOLDER } from './ledger.ts'
import { readLogOptions } from './log-settings.ts'
import { type ConfiguredNode, configureNode } from './plugins/load-plugins.ts'
import { NodeProvider, type Provider, ProviderError, type ProviderMessage } from './provider.ts'
import { type RunningNode, startNode } from './start.ts'

export { type Provider, ProviderError, type ProviderMessage, type ServiceAddress }

export interface NodeOptions {
  /** The genesis file: its JSON text, or what JSON.parse made of it. */
  readonly genesis: string | object
  /** Where the chain is kept. Without it, in a temporary directory that is removed by `stop`. */
  readonly dataPath?: string
  /**
   * Options of the command line without their dashes: `{ 'rpc-http-enabled': true, 'rpc-http-port': 0 }`. Neither
   * environment variables nor configuration files are looked at, unless `config-file` names one.
   */
  readonly options?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** js or native; undefined: the best there is. */
  readonly engine?: 'js' | 'native'
}

export type BlockVerdict =
  /** `sibling`: valid, and beside the chain. `known`: it was there. */
  | { readonly ok: true; readonly status: 'imported' | 'known' | 'sibling'; readonly hash: string }
  | { readonly ok: false; readonly reason: string; readonly sentence: string }

export interface EmbeddedNode {
  /** As EIP-1193 describes one. It may call every API of the node, without a token. */
  readonly provider: Provider
  /** Where clients can reach it, if `options` enabled it. */
  readonly http: ServiceAddress | undefined
  readonly websocket: ServiceAddress | undefined
  /** Resolves if the node cannot go on, with a sentence that says why: stop it then. */
  readonly failed: Promise<Error>
  /**
   * One block, RLP as bytes or 0x… text. When it resolves the block is durable and every answer knows of it.
   * `light` takes the seals for granted, `none` the whole header.
   */
  importBlock(rlp: Uint8Array | string, validation?: 'full' | 'light' | 'none'): Promise<BlockVerdict>
  /** Back to the block of a number; those above it are no longer canonical. */
  unwind(number: number): Promise<void>
  stop(): Promise<void>
}

/** In force unless the caller says otherwise: a node inside another program is quiet, and opens no port. */
const EMBEDDED = { logging: 'WARN', 'p2p-enabled': false }

const MAX_CONFIG_BYTES = 1024 * 1024

/** Faults of text and bytes that are no block. */
const NO_BLOCK: ReadonlySet<string> = new Set(['INVALID_HEX', 'INVALID_BLOCK'])
const MEMBERS: readonly string[] = [
  'genesis',
  'dataPath',
  'options',
  'engine',
] satisfies (keyof NodeOptions)[]

/** Starts a node in threads of its own. It answers when the promise resolves. */
export function createNode(options: NodeOptions): Promise<EmbeddedNode> {
  return createNodeWith(options)
}

/** `methodModules` bring methods from outside the package. */
export async function createNodeWith(
  given: NodeOptions,
  methodModules: readonly string[] = [],
): Promise<EmbeddedNode> {
  requireKnownMembers(given)
  const { genesis } = given
  const genesisText = typeof genesis === 'string' ? genesis : JSON.stringify(genesis)
  return await embedNode({ ...given, genesisText, methodModules })
}

/** Without the text of a genesis file, the network is that of the options. */
export async function embedNode({
  dataPath,
  options = {},
  engine,
  genesisText,
  methodModules = [],
}: Omit<NodeOptions, 'genesis'> & {
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

/** A mistyped `dataPath` would put the chain where `stop` deletes it. */
function requireKnownMembers(given: NodeOptions): void {
  for (const name of Object.keys(given)) {
    if (MEMBERS.includes(name)) continue
    const known = `It knows ${MEMBERS.join(', ')}; options of the command line go into options.`
    throw usageFault(`createNode does not know ${name}.${suggestion(name, MEMBERS)} ${known}`)
  }
  if (given.genesis === undefined || given.genesis === null) {
    throw usageFault('createNode needs genesis: the text of a genesis file, or what JSON.parse made of it.')
  }
}

async function configure(options: NonNullable<NodeOptions['options']>): Promise<ConfiguredNode> {
  const args = Object.entries(options).map(([name, value]) => `--${name}=${String(value)}`)
  return await configureNode({ args, environment: {}, readText: readTextIfThere })
}

function readTextIfThere(path: string): string | undefined {
  return kindOfPath(path) === undefined ? undefined : readTextBounded(path, MAX_CONFIG_BYTES)
}

function embed(node: RunningNode, temporary: TemporaryDirectory | undefined, log: Log): EmbeddedNode {
  const [chain, rpc] = [node.chain, node.rpc!]
  const { http, websocket } = rpc.addresses
  const provider = new NodeProvider(rpc, (err) => log.error('A listener of the provider failed.', { err }))
  return {
    provider,
    http: http ?? undefined,
    websocket: websocket ?? undefined,
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
    async stop() {
      provider.close()
      const failures = await node.stop()
      temporary?.remove()
      const [failure] = failures
      if (failure === undefined) return
      const sentence = `${failure.service} did not stop cleanly: ${failure.error}`
      throw new Fault('STOP_FAILED', { sentence }, { cause: failure.error })
    },
  }
}

/** What is no block is refused like one that breaks a rule. */
async function importVerdict(run: () => Promise<BlockVerdict>): Promise<BlockVerdict> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Fault) || !NO_BLOCK.has(error.kind)) throw error
    return { ok: false, reason: 'UNDECODABLE', sentence: `This is no block. ${error.message}` }
  }
}

function bytesOf(rlp: Uint8Array | string): Uint8Array {
  return typeof rlp === 'string' ? parseData(rlp) : rlp
}

const TEMPORARY_PREFIX = 'cairn-data-'

/** Where a node keeps its chain if it was given no place for it. The next program removes what a killed one left behind. */
async function createTemporaryData(): Promise<TemporaryDirectory> {
  await removeAbandoned(TEMPORARY_PREFIX, isFree)
  return createTemporaryDirectory(TEMPORARY_PREFIX)
}

/** Whether nobody has the database open: its lock holds between processes, those of other containers included. */
async function isFree(path: string): Promise<boolean> {
  try {
    const kv = await openLevelKv(join(path, DATABASE_FOLDER), { createIfMissing: false })
    await kv.close()
    return true
  } catch (error) {
    return (error as { readonly kind?: string }).kind === 'STORE_MISSING'
  }
}
