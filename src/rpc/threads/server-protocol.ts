/** What is said between main and its servers. */
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { RequestRow, StreamRow } from '#platform/channel/channel-protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import {
  type ContractRequests,
  type ContractStreams,
  type Contracts,
  type OwnersOf,
  operation,
} from '#platform/contract.ts'
import type { LoginAdmission } from '#rpc/auth/login-limit.ts'
import type { LiveOwners } from '#rpc/contracts.ts'
import type { HealthFacts } from '#serve/health.ts'
import type { ServiceAddress } from '#serve/services-contract.ts'
import type { HeadNewsOffer } from './engine-protocol.ts'

/** Longer than a thread may take to start. */
const ENGINES_START_MS = 90_000

/** What servers themselves ask of main, beside the ports of methods. */
export const SERVER_CONTRACTS = {
  logins: { admit: operation<[remoteAddress: string], LoginAdmission>() },
  health: { facts: operation<[], HealthFacts>() },
  heads: {
    /** The one announced last. */
    last: operation<[], AnnouncedHead>(),
  },
  engines: {
    /** Starts the engine threads, unless they are there: a request waits for one. */
    start: operation<[], void>({ deadlineMs: ENGINES_START_MS }),
  },
} satisfies Contracts

export type MainOwners = LiveOwners & OwnersOf<typeof SERVER_CONTRACTS>

/** What the main thread answers its servers: whatever must be one for all of them, or lives there. */
export type MainOffers = {
  readonly requests: ContractRequests
  readonly streams: ContractStreams
} & HeadNewsOffer

/** What a server thread answers the main thread. */
export type ServerOffers = {
  readonly requests: {
    readonly addresses: RequestRow<null, ServerAddresses>
    /** An engine thread's end of the line is handed to it at the same time. */
    readonly connectEngine: RequestRow<{ readonly name: string; readonly port: LinePort }, null>
    /** Answered when this server answers from that head, or a later one. */
    readonly announce: RequestRow<AnnouncedHead, null>
    /** A request, or a batch, of the program that the node is part of. */
    readonly call: RequestRow<InProcessCall, InProcessAnswer>
  }
  readonly streams: {
    /** What that program is notified of, from now on: a connection is open as long as this is read. */
    readonly connection: StreamRow<{ readonly id: number }, string>
  }
}

export interface InProcessCall {
  readonly message: string
  /** The number of the connection that it comes over; undefined: it comes alone. */
  readonly connection: number | undefined
}

export interface InProcessAnswer {
  /** '' for a notification. */
  readonly text: string
  /** It was refused because it came alone. */
  readonly lacksConnection: boolean
}

/** Where a server listens; the port is the one in use, also when the system chose it. */
export interface ServerAddresses {
  readonly http: ServiceAddress | null
  readonly websocket: ServiceAddress | null
}
