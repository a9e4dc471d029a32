import { type LogProblem, REPORT_BUG } from '#platform/log/log-problem.ts'

export const SYNC_PROBLEMS = {
  importFailed: {
    level: 'WARN',
    message: 'Failed to import blocks from peers; retrying',
    cause: 'The writer could not store them, usually because the disk is full; `err` names the error.',
    remedy: 'Free disk space. The node continues by itself.',
  },
  branchNotConnected: {
    level: 'WARN',
    message: 'Blocks below the chosen head do not reach the chain of this node',
    cause: 'The consensus client is on another network, or this node is too far behind to fetch all blocks.',
    remedy: 'Compare the genesis files, or start with a copy of the database of another node.',
  },
  branchWithoutFirstBlock: {
    level: 'WARN',
    message: 'The chosen head is on a branch without the first block of this node',
    cause:
      'This node started from a state file, or its old blocks were pruned: `first` is its first complete block, and the branch of the consensus client has another block at that height.',
    remedy:
      'Check the network and the checkpoint of the consensus client. If they are right, import a state file whose block is on its chain, into an empty data directory ([snapshots](../operate/snapshots.md)).',
  },
  historyDamaged: {
    level: 'WARN',
    message: 'History segment damaged; repairing it from peers',
    cause:
      'A file in `segments/` of the database was changed, cut or removed; `first` is its first block. Requests for its blocks fail meanwhile.',
    remedy:
      'Check the disk. Call traces of fetched blocks are lost; `cairn history repair` restores a segment with them from a copy.',
  },
  historyRepairFailed: {
    level: 'WARN',
    message: 'Failed to repair a history segment; retrying',
    cause: 'No connected peer has the blocks, or a file cannot be written; `err` names the reason.',
    remedy:
      'Connect a node with the complete history, or run `cairn history repair --from` with a backup or the data directory of another node.',
  },
  historyPruned: {
    level: 'WARN',
    message: 'No peer has the next block',
    cause:
      'All peers that are ahead of this node have removed their old blocks; `next` is the block that it needs, and `earliest` the first one that a peer has.',
    remedy:
      'Connect a node with the complete history, or start with a copy of the database of another node (`cairn backup`).',
  },
  blockAheadOfClock: {
    level: 'WARN',
    message: 'Sealed block is ahead of the system clock; retrying',
    cause: 'A quorum of validators accepted the time of the block, so the clock of this machine is behind.',
    remedy: 'Synchronise the clock with NTP.',
  },
  invalidBlock: {
    level: 'WARN',
    message: 'Peer sent an invalid block',
    cause:
      'The peer runs other rules (genesis file, forks, version) or is faulty; `reason` names the broken rule. It was disconnected.',
    remedy:
      'Compare the genesis file and version of that peer. If every peer is reported, this node differs.',
  },
  unsealedHeader: {
    level: 'WARN',
    message: 'Peer sent a header without a validator quorum',
    cause: 'The peer follows another validator set or is malicious. It was disconnected.',
    remedy: 'Compare its genesis file, including `transitions`, with the file of this node.',
  },
  otherChain: {
    level: 'WARN',
    message: 'Peer is on another chain',
    cause: 'Its blocks do not connect to ours; `reason` names the last common block if it is known.',
    remedy: 'Identify the node that left the chain, for example by a rewind, and sync it again.',
  },
  newBlockFailed: {
    level: 'WARN',
    message: 'Failed to import an announced block',
    cause: 'The writer could not store it; `err` names the error. The node asks peers for it again.',
    remedy: 'Free disk space if the disk is full. Otherwise nothing, if it is rare.',
  },
  transactionsNotPassed: {
    level: 'WARN',
    message: 'Failed to pass peer transactions to the pool',
    cause: 'The main thread was too busy or is stopping.',
    remedy: 'Nothing, if it is rare. If it repeats, lower the load of the node.',
  },
  mainUnreachable: {
    level: 'WARN',
    message: 'Sync request to the main thread failed',
    cause: 'The main thread was too busy or is stopping; `request` says what was lost.',
    remedy: 'Nothing, if it is rare. If it repeats, lower the load of the node.',
  },
  answerFailed: {
    level: 'ERROR',
    message: 'Failed to handle a peer answer',
    cause: 'The handler of an answer threw.',
    remedy: REPORT_BUG,
  },
} as const satisfies Record<string, LogProblem>
