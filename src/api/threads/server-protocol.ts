import type { LiveOwners } from '#api/contracts.ts'
import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { LoginAdmission } from '#jsonrpc/auth/login-limit.ts'
import type { InProcessAnswer, InProcessCall } from '#jsonrpc/threads/in-process-connections.ts'
import type { ServerAddresses } from '#jsonrpc/threads/json-rpc-server.ts'
import type { RequestRow, StreamRow } from '#platform/channel/channel-protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import {
  type ContractRequests,
  type ContractStreams,
  type Contracts,
  type OwnersOf,
  operation,
} from '#platform/contract.ts'
import type { HealthFacts } from '#serve/health.ts'
import type { HeadEventOffer } from './engine-thread.ts'

/** Longer than a thread may take to start. */
const ENGINES_START_MS = 90_000

/** What servers themselves ask of main, besides the contracts of methods. */
export const SERVER_CONTRACTS = {
  logins: { admit: operation<[remoteAddress: string], LoginAdmission>() },
  health: { facts: operation<[], HealthFacts>() },
  heads: {
    last: operation<[], AnnouncedHead>(),
  },
  engines: {
    /** Starts the engine threads unless they run. */
    start: operation<[], void>({ deadlineMs: ENGINES_START_MS }),
  },
} satisfies Contracts

export type MainOwners = LiveOwners & OwnersOf<typeof SERVER_CONTRACTS>

export type MainOffers = {
  readonly requests: ContractRequests
  readonly streams: ContractStreams
} & HeadEventOffer

export type ServerOffers = {
  readonly requests: {
    readonly addresses: RequestRow<null, ServerAddresses>
    /** The engine gets the other end of the line at the same time. */
    readonly connectEngine: RequestRow<{ readonly name: string; readonly port: LinePort }, null>
    /** Answered when this server answers from that head or a later one. */
    readonly announce: RequestRow<AnnouncedHead, null>
    /** A request or batch of the embedding program. */
    readonly call: RequestRow<InProcessCall, InProcessAnswer>
  }
  readonly streams: {
    /** The notifications of that program; its connection is open while this is read. */
    readonly connection: StreamRow<{ readonly id: number }, string>
  }
}
