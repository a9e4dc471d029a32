import type { LimitValues } from '#api/options.ts'
import type { ChainReaderConfig } from '#chain/read/open-chain-reader.ts'
import type { ConsoleNode } from '#console/options.ts'
import type { ServerConfig } from '#jsonrpc/settings/server-config.ts'
import { BOUNDED_YOUNG_GENERATION, defineThread, RESTART_AT_ONCE } from '#platform/thread/define-thread.ts'
import type { DeclaredMethod } from '#plugins/declaration.ts'
import type { SubmissionRules } from '#pool/prepare-submission.ts'
import type { MainOffers, ServerOffers } from './server-protocol.ts'

/** Plain data for a server thread: how it serves, and what its methods read. */
export interface ApiServerConfig extends ServerConfig {
  readonly clientVersion: string
  readonly networkId: bigint
  readonly limits: LimitValues
  readonly submissions: SubmissionRules
  readonly chain: ServedChain
  /** The memory of a `SharedProgress`. */
  readonly syncProgress: SharedArrayBuffer
  /** Modules with methods from outside the package (outside-methods.ts). */
  readonly methodModules: readonly string[]
  /** The private keys of the development network's accounts; undefined on other networks. */
  readonly devKeys: readonly string[] | undefined
  /** The memory of the development network's call log (calls/call-log.ts); undefined on other networks. */
  readonly callLogSwitch: SharedArrayBuffer | undefined
  readonly pluginMethods: readonly DeclaredMethod[]
  /** The nodes that the console shows next to this one. */
  readonly consoleNodes: readonly ConsoleNode[]
}

export interface ServedChain extends ChainReaderConfig {
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** If false, methods that need an engine run on the server. */
  readonly hasEngineThreads: boolean
}

export const SERVER = defineThread<{ data: ApiServerConfig; offers: ServerOffers; asks: MainOffers }>({
  name: 'server',
  entry: import.meta.resolve('#api/threads/server-thread-entry.ts'),
  restart: RESTART_AT_ONCE,
  heap: BOUNDED_YOUNG_GENERATION,
  lowPriority: true,
})

export function serverName(index: number): string {
  return `${SERVER.name}-${index}`
}
