/**
 * What methods may ask of main, one table for each port: operation, parameters, result. A method names the port in
 * `needs` and calls it; `node/live-owners.ts` has the object that answers. Nothing else knows an operation by name.
 */

import type { ChangeOrigin, ChangeVerdict, ListName } from '#allowlist/permissions.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import type { Candidate, SelectionTerms } from '#chain/build/candidates.ts'
import type { BadBlock } from '#chain/write/bad-blocks.ts'
import type { BftStatus } from '#consensus/status.ts'
import type { PeerListChange } from '#p2p/maintained-peers.ts'
import type { FailedDial } from '#p2p/peers/dial-plan.ts'
import type { PeerReport } from '#p2p/peers/peer-network.ts'
import type { SelfReport } from '#p2p/threads/peers-protocol.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
import type { MetricsSnapshot } from '#platform/metrics/metrics-merge.ts'
import {
  news,
  type OperationOptions,
  type OwnersOf,
  operation,
  type PortsOf,
  type PortTables,
} from '#platform/port-table.ts'
import type { ReloadVerdict } from '#plugins/host/plugin-set.ts'
import type { MethodAnswer } from '#plugins/plugin-protocol.ts'
import type { PoolExplanation } from '#pool/explain.ts'
import type { PoolPage } from '#pool/pool-item.ts'
import type {
  AdmissionVerdict,
  SubmittedTransaction,
  TransactionOrigin,
} from '#pool/submitted-transaction.ts'
import type { PoolStatus } from '#pool/transaction-pool.ts'
import type { SyncProgress } from '#sync/catch-up/catch-up.ts'
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { Hash } from '#types/hash.ts'
import type { AuditTurn } from './audit/audit-log.ts'
import type { AuditOutcome, AuditRecord, ChangeSubject } from './audit/audit-record.ts'
import type { FilterDefinition, FilterProgress } from './filters/filter.ts'

/** Longer than any plugin may take. */
const RELOAD_DEADLINE_MS = 150_000
const CALL_DEADLINE_MS = 35_000
/** Longer than the calls before it may take. */
const AUDIT_DEADLINE_MS = 200_000

/** Of an operation that does not say otherwise. Cloning so much takes main a fraction of a millisecond. */
const ARGS_MAX_BYTES = 64 * 1024
/** Of those that take long texts or lists, which main keeps or passes on. */
const LONG_ARGS_MAX_BYTES = 1024 * 1024

/** An operation that a client can reach: how much it may send is bounded before it reaches main. */
function question<Args extends readonly unknown[], Result>(options: OperationOptions = {}) {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options })
}

/** An operation that changes what the audit log tells of. Only methods that declare the same may call it. */
function changing<Args extends readonly unknown[], Result>(
  changes: ChangeSubject,
  options: OperationOptions = {},
) {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options, changes })
}

export const LIVE_PORTS = {
  services: {
    /** Where the node can be reached; a service that does not run is absent. */
    all: question<[], Services>(),
  },
  peers: {
    /** Whether the node accepts connections from peers. */
    isListening: question<[], boolean>(),
    /** Of this and all that follow, undefined: there is no peer-to-peer network, because an option says so. */
    count: question<[], number | undefined>(),
    /** Null: no port is open. */
    self: question<[], SelfReport | null | undefined>(),
    failedDials: question<[], readonly FailedDial[] | undefined>(),
    all: question<[], readonly PeerReport[] | undefined>(),
    /** By its enode URL; dialled until it is there. */
    add: changing<[url: string], PeerListChange | undefined>('peers'),
    /** Disconnected, and no longer dialled. */
    remove: changing<[url: string], PeerListChange | undefined>('peers'),
    /** Enode URLs of those that are dialled until they are there. */
    maintained: question<[], readonly string[]>(),
  },
  sync: {
    /** undefined: there is nobody to catch up with. */
    progress: question<[], SyncProgress | undefined>(),
  },
  metrics: {
    /** Of all threads. */
    snapshot: question<[], MetricsSnapshot>(),
  },
  log: {
    /** On every thread; for all loggers, or only for the named ones and what lies beneath them. */
    setLevel: changing<[level: LogLevel, names?: readonly string[]], LevelVerdict>('log levels'),
    /** By names of loggers; '' stands for all others. */
    levels: question<[], Readonly<Record<string, LogLevel>>>(),
  },
  /** The one writer of the chain. */
  writer: {
    /** debug_setHead and debug_replayBlock; a sentence says why it was refused. */
    setHead: changing<[hash: Hash], SetHeadVerdict>('head'),
    /** The last that were refused because they are invalid, oldest first. */
    badBlocks: question<[], readonly BadBlock[]>(),
  },
  /** A filter is a cursor, and main's because a client may reach another server with its next request. */
  filters: {
    /** Returns undefined if the option allows no more and this caller has its share. */
    create: question<[filter: FilterDefinition, owner: string], string | undefined>({
      maxArgBytes: LONG_ARGS_MAX_BYTES,
    }),
    get: question<[id: string], FilterDefinition | undefined>(),
    /** What happened since it was last asked, and moves the cursor; undefined: unknown or expired. */
    poll: question<[id: string], FilterProgress | undefined>(),
    remove: question<[id: string], boolean>(),
  },
  /** What the blocks of this node are like. */
  building: {
    settings: question<[], BuildingSettings>(),
    /** From the next block on that is begun. */
    change: changing<[changes: Partial<BuildingSettings>], void>('block making'),
  },
  /** Who may take part. */
  allowlist: {
    isInForce: question<[list: ListName], boolean>(),
    /**
     * One entry per line, in the order of the file: a text crosses threads in no time. Of this and the next three,
     * undefined: the list is not in force.
     */
    entries: question<[list: ListName], string | undefined>(),
    /** Entries are valid, and each is there once. */
    add: changing<
      [list: ListName, entries: readonly string[], origin: ChangeOrigin],
      ChangeVerdict | undefined
    >('allowlists', { maxArgBytes: LONG_ARGS_MAX_BYTES }),
    remove: changing<
      [list: ListName, entries: readonly string[], origin: ChangeOrigin],
      ChangeVerdict | undefined
    >('allowlists', { maxArgBytes: LONG_ARGS_MAX_BYTES }),
    /** Every list that is in force, from its file; undefined: there is none. */
    reload: changing<[origin: ChangeOrigin], { readonly ok: boolean } | undefined>('allowlists'),
  },
  /** The log of what was changed, and by whom. */
  audit: {
    /** Before a change; resolves when those of its kind that came before are over. */
    begin: question<[subject: ChangeSubject, record: AuditRecord, owner: string], AuditTurn>({
      deadlineMs: AUDIT_DEADLINE_MS,
      maxArgBytes: LONG_ARGS_MAX_BYTES,
    }),
    /** Resolves when it is written. */
    end: question<[turn: number, outcome: AuditOutcome], void>({ maxArgBytes: LONG_ARGS_MAX_BYTES }),
  },
  /** How blocks are made, and what this node wants changed about validators. */
  consensus: {
    pendingVotes: question<[], readonly BftVote[]>(),
    proposeVote: changing<[recipient: Address, type: BftVote['type']], void>('votes'),
    discardVote: changing<[recipient: Address], void>('votes'),
    /** undefined: this node takes no part in making blocks. */
    status: question<[], BftStatus | undefined>(),
    /** Who is named in the blocks of this node; undefined: it makes none. */
    coinbase: question<[], Address | undefined>(),
  },
  plugins: {
    /** One by its name, or all; resolves when all of them have. */
    reload: changing<[name?: string], ReloadVerdict>('plugins', { deadlineMs: RELOAD_DEADLINE_MS }),
    /** The options in force, by plugin and name. Passwords are among them. */
    options: question<[], Readonly<Record<string, string>>>(),
    /**
     * A method that a plugin brought; undefined: the plugin did not answer. Parameters are a packed value, since main only
     * passes them on.
     */
    call: question<[method: string, params: Uint8Array], MethodAnswer | undefined>({
      deadlineMs: CALL_DEADLINE_MS,
      maxArgBytes: 2 * LONG_ARGS_MAX_BYTES,
    }),
  },
  /** Transactions that wait for a block. */
  pool: {
    /** Decoded, valid and with their senders, a bounded number at a time. One verdict for each, in their order. */
    admit: question<
      [transactions: readonly SubmittedTransaction[], origin: TransactionOrigin],
      readonly AdmissionVerdict[]
    >({ maxArgBytes: undefined }),
    /** undefined: it is not in the pool. */
    get: question<[hash: Hash], SubmittedTransaction | undefined>(),
    /** The nonce behind the pending ones of a sender; undefined: it has none. */
    nextNonce: question<[address: Address], bigint | undefined>(),
    status: question<[], PoolStatus>(),
    /** What a block would be filled with, best first, and no more than fits into one piece of a channel. */
    candidates: question<[terms: SelectionTerms], readonly Candidate[]>(),
    /** What comes to it. */
    added: news<PendingTransaction>(pendingBytes),
    /** What leaves it without having been included in a block. */
    dropped: news<PendingTransaction>(pendingBytes),
    /** A page in the order of arrival, from one on. */
    list: question<[fromArrival: number], PoolPage<number>>(),
    /** A page of one sender by rising nonce, from one on. */
    listOf: question<[sender: Address, fromNonce: bigint], PoolPage<bigint>>(),
    /** Hashes of those that came between two counts. */
    additions: question<[from: number, to: number], readonly Hash[]>(),
    /** Why it waits, or was dropped. */
    explain: question<[hash: Hash], PoolExplanation | undefined>(),
  },
} satisfies PortTables

export type LivePorts = PortsOf<typeof LIVE_PORTS>

/** Who answers. */
export type LiveOwners = OwnersOf<typeof LIVE_PORTS>

export interface PendingTransaction {
  readonly hash: Hash
  /** As on the network of peers. */
  readonly encoded: Uint8Array
  readonly sender: Address
}

/** Hash and sender are texts. */
const PENDING_BASE_BYTES = 256

function pendingBytes({ encoded }: PendingTransaction): number {
  return PENDING_BASE_BYTES + encoded.length
}

/** `tooMany`: more loggers than can have levels of their own. */
export type LevelVerdict = 'set' | 'tooMany'

export type SetHeadVerdict = { readonly ok: true } | { readonly ok: false; readonly sentence: string }

export type ServiceName = 'jsonrpc' | 'ws' | 'p2p' | 'metrics' | 'graphQL'

export type Services = { readonly [Name in ServiceName]?: ServiceAddress }

export interface ServiceAddress {
  readonly host: string
  readonly port: number
}
