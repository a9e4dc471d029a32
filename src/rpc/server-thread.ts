import type { BadBlock } from '#chain/bad-blocks.ts'
import type { AnnouncedHead } from '#chain/open-chain-reader.ts'
import type { BftStatus } from '#consensus/status.ts'
import type { LocalVotes } from '#consensus/validators/local-votes.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import type { LogLevel } from '#platform/log-level.ts'
import type { MetricsSnapshot } from '#platform/metrics-merge.ts'
import type { LinePort } from '#platform/port-pair.ts'
import { startThread, type Thread } from '#platform/thread.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { BftVote } from '#types/bft-extra-data.ts'
import type { Hash } from '#types/hash.ts'
import type { LoginAdmission } from './auth/login-limit.ts'
import type { HeadNewsOffer } from './engine-protocol.ts'
import type { FilterDefinition, FilterProgress } from './filter.ts'
import type { FilterCursors } from './filter-cursors.ts'
import type { ServiceAddress, Services, WriterPort } from './ports.ts'
import type { HealthFacts } from './server/health.ts'
import type { ServerConfig } from './server-config.ts'

/** What the main thread answers its servers: whatever must be one for all of them, or lives there. */
export type MainOffers = {
  readonly requests: {
    readonly admitLogin: { readonly params: { remoteAddress: string }; readonly result: LoginAdmission }
    readonly services: { readonly params: null; readonly result: Services }
    readonly isListening: { readonly params: null; readonly result: boolean }
    readonly health: { readonly params: null; readonly result: HealthFacts }
    readonly metrics: { readonly params: null; readonly result: MetricsSnapshot }
    readonly setLogLevel: {
      readonly params: { level: LogLevel; names: readonly string[] | undefined }
      readonly result: null
    }
    /** The head announced last. Only of a node that has a chain, like what follows. */
    readonly head: { readonly params: null; readonly result: AnnouncedHead }
    readonly setHead: { readonly params: { hash: Hash }; readonly result: SetHeadVerdict }
    readonly badBlocks: { readonly params: null; readonly result: readonly BadBlock[] }
    readonly createFilter: { readonly params: FilterDefinition; readonly result: string | undefined }
    readonly getFilter: { readonly params: { id: string }; readonly result: FilterDefinition | undefined }
    readonly pollFilter: { readonly params: { id: string }; readonly result: FilterProgress | undefined }
    readonly removeFilter: { readonly params: { id: string }; readonly result: boolean }
    readonly pendingVotes: { readonly params: null; readonly result: readonly BftVote[] }
    readonly proposeVote: { readonly params: BftVote; readonly result: null }
    readonly discardVote: { readonly params: { recipient: Address }; readonly result: null }
    readonly bftStatus: { readonly params: null; readonly result: BftStatus | undefined }
  }
} & HeadNewsOffer

type SetHeadVerdict = Awaited<ReturnType<WriterPort['setHead']>>

/** What a server thread answers the main thread. */
export type ServerOffers = {
  readonly requests: {
    readonly addresses: { readonly params: null; readonly result: ServerAddresses }
    readonly metrics: { readonly params: null; readonly result: MetricsSnapshot }
    readonly setLogLevel: {
      readonly params: { level: LogLevel; names: readonly string[] | undefined }
      readonly result: null
    }
    /** An engine thread's end of the line is handed to it at the same time. */
    readonly connectEngine: {
      readonly params: { readonly name: string; readonly port: LinePort }
      readonly result: null
    }
    /** Answered when this server answers from that head, or a later one. */
    readonly announce: { readonly params: AnnouncedHead; readonly result: null }
    /** A request, or a batch, of the program that the node is part of. '' for a notification. */
    readonly call: { readonly params: { readonly message: string }; readonly result: string }
  }
}

/** Where a server listens; the port is the one in use, also when the system chose it. */
export interface ServerAddresses {
  readonly http: ServiceAddress | null
  readonly websocket: ServiceAddress | null
}

export type ServerThread = Thread<MainOffers, ServerOffers>

export interface MainPorts {
  admitLogin(remoteAddress: string): LoginAdmission
  services(): Services
  isListening(): boolean
  health(): HealthFacts
  /** Of all threads. */
  metrics(): Promise<MetricsSnapshot>
  setLogLevel(level: LogLevel, names: readonly string[] | undefined): Promise<void>
  /** Null: a node without a genesis file. */
  readonly chain: MainChain | null
}

/** What of the chain is main's. */
export interface MainChain {
  head(): AnnouncedHead
  setHead(hash: Hash): Promise<SetHeadVerdict>
  badBlocks(): Promise<readonly BadBlock[]>
  readonly filters: FilterCursors
  /** What this node wants changed about validators. */
  readonly votes: LocalVotes
  bftStatus(): BftStatus | undefined
}

/**
 * Left to itself V8 lets the young generation grow to 100 MB under a flood of short connections, and keeps it. For
 * requests this much does as well.
 */
const YOUNG_GENERATION_MAX_MB = 32

/** Starts a thread that holds sockets, authenticates and dispatches. It listens when the promise resolves. */
export function startServerThread(
  name: string,
  config: ServerConfig,
  ports: MainPorts,
  { clock, log }: { clock: Clock; log: Log },
): Promise<ServerThread> {
  const chain = (): MainChain => {
    assert(ports.chain !== null, 'Only a server that has a chain asks for it.')
    return ports.chain
  }
  return startThread<MainOffers, ServerOffers>({
    name,
    entry: import.meta.resolve('#rpc/server-thread-entry.ts'),
    data: config,
    clock,
    lowPriority: true,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MAX_MB },
    onError: (error) => log.error('The channel to a server thread failed.', { err: error }),
    handlers: {
      requests: {
        admitLogin: ({ remoteAddress }) => ports.admitLogin(remoteAddress),
        services: () => ports.services(),
        isListening: () => ports.isListening(),
        health: () => ports.health(),
        metrics: () => ports.metrics(),
        setLogLevel: async ({ level, names }) => {
          await ports.setLogLevel(level, names)
          return null
        },
        head: () => chain().head(),
        setHead: ({ hash }) => chain().setHead(hash),
        badBlocks: () => chain().badBlocks(),
        createFilter: (definition) => chain().filters.create(definition, chain().head()),
        getFilter: ({ id }) => chain().filters.get(id),
        pollFilter: ({ id }) => chain().filters.poll(id, chain().head()),
        removeFilter: ({ id }) => chain().filters.remove(id),
        pendingVotes: () => chain().votes.all(),
        proposeVote: ({ recipient, type }) => {
          chain().votes.propose(recipient, type)
          return null
        },
        discardVote: ({ recipient }) => {
          chain().votes.discard(recipient)
          return null
        },
        bftStatus: () => chain().bftStatus(),
      },
    },
  })
}
