/** The answers of JSON-RPC methods, as far as the page reads them. */

export type Metrics = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Series {
  readonly title: string
  readonly unit: 'count' | 'bytes' | 'seconds' | 'per second'
  readonly values: readonly (number | null)[]
}

export interface MetricsHistory {
  readonly intervalSeconds: number
  /** Seconds of the node's clock. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
}

export interface DoctorReport {
  readonly at: string
  readonly checks: number
  readonly findings: readonly {
    readonly id: string
    readonly severity: string
    readonly problem: string
    readonly remedy: string
  }[]
}

export interface PluginState {
  readonly name: string
  readonly version: string | null
  readonly state: string
  readonly cause: string | null
  readonly declares: string
}

export interface BftStatus {
  readonly protocol: 'qbft' | 'ibft2'
  readonly height: string
  readonly round: number | null
  readonly stage: string
  readonly self: string
  readonly validator: boolean
  readonly proposer: string
  readonly roundLeftMs: number | null
  readonly blockLeftMs: number | null
  readonly quorum: {
    readonly validators: number
    readonly needed: number
    readonly tolerated: number
    readonly heard: number
    readonly prepares: number
    readonly preparesNeeded: number
    readonly commits: number
  }
  readonly validators: readonly ValidatorStatus[]
  readonly time: string
  readonly lastPersistMs: number
  readonly cause: string
}

export interface ValidatorStatus {
  readonly address: string
  readonly self: boolean
  readonly connected: boolean
  readonly proposed: boolean
  readonly prepared: boolean
  readonly committed: boolean
  readonly wantsRound: number | null
  readonly lastHeard: string | null
}

export interface Block {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly miner: string
  readonly timestamp: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly size?: string
  readonly stateRoot: string
  readonly baseFeePerGas?: string
  readonly transactions?: readonly (string | Transaction)[]
}

export interface Transaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly nonce: string
  readonly value: string
  readonly gas: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly input: string
  readonly type: string
  readonly blockNumber: string | null
  readonly transactionIndex: string | null
}

export interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly logIndex: string
}

export interface Receipt {
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly revertReason?: string
  readonly logs: readonly Log[]
}

export interface NodeInfo {
  readonly enode: string
  readonly id: string
  readonly name: string
  readonly activeFork: string
  readonly protocols: {
    readonly eth: { readonly genesis: string; readonly config: unknown; readonly network: number }
  }
}

export interface Peer {
  readonly id: string
  readonly name: string
  readonly enode: string
  readonly why: string
  readonly connectedSeconds: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly queuedBytes: number
  readonly network: { readonly remoteAddress: string; readonly inbound: boolean }
  readonly protocols: Readonly<Record<string, { readonly latestBlock?: number; readonly version: number }>>
}

export interface FailedDial {
  readonly enode: string
  readonly why: string
  readonly failures: number
  readonly at: string
}

export interface PoolCounts {
  readonly pending: string
  readonly queued: string
}

export interface Explanation {
  readonly state: string
  readonly reason: string
  readonly since?: string
  readonly sentence: string
}

export interface Participation {
  readonly address: string
  readonly lastProposal: string | null
  readonly lastSeal: string | null
  readonly missedRounds: number
}

export interface ListComparison {
  readonly list: string
  readonly file: string
  readonly inForce: number
  readonly inFile: number | null
  readonly added: readonly string[]
  readonly addedCount: number
  readonly removed: readonly string[]
  readonly removedCount: number
  readonly problem: string | null
  readonly readOnly: string | null
}

export interface TriedChange {
  readonly before: number
  readonly after: number
  readonly droppedCount: number
}

export interface AuditEntry {
  readonly line: number
  readonly time: string
  readonly user: string | null
  readonly remoteAddress: string | null
  readonly method: string
  readonly params: unknown
  readonly outcome: Readonly<Record<string, unknown>>
  readonly isIntact: boolean
}

export interface AuditTrail {
  readonly entries: readonly AuditEntry[]
  readonly isComplete: boolean
}
