import type { Plants } from './plant.ts'

const HOSTILE = 'src/node/hostile-sync.test.ts'
const BLOCKS_TEST = 'src/node/hostile-blocks.test.ts'
const SEAL_TEST = 'src/node/seal-check.test.ts'
const NETWORK_TEST = 'src/sync/peers/eth-network.test.ts'
const SEALS = 'src/sync/catch-up/seal-check.ts'
const LINKS = 'src/sync/catch-up/header-chain.ts'
const SLOTS = 'src/sync/catch-up/block-slots.ts'
const FOLLOW = 'src/sync/follow/follow-blocks.ts'

/** Mistakes with which a peer could stop, mislead or overload a node that exchanges blocks with it. */
export const SYNC_PLANTS: Plants = {
  'sync-fork-id-ignored': {
    mistake: 'peers with other forks are accepted',
    file: 'src/sync/peers/eth-network.ts',
    from: 'return problem === undefined\n      ? undefined',
    to: 'return problem !== undefined\n      ? undefined',
    caughtBy: NETWORK_TEST,
  },
  'sync-made-up-bodies-decoded': {
    mistake: 'the writer decodes every body that a peer sends with a sealed header',
    file: FOLLOW,
    from: 'if (isBodyOf(header, block, keccak)) await',
    to: 'if (header !== undefined) await',
    caughtBy: BLOCKS_TEST,
  },
  'sync-unpaid-transactions': {
    mistake: 'a peer decides how many transactions are hashed',
    file: 'src/sync/catch-up/match-bodies.ts',
    from: 'splitBody(bytes, most)',
    to: 'splitBody(bytes, 250_000)',
    caughtBy: 'src/sync/catch-up/match-bodies.test.ts',
  },
  'block-unpaid-transactions': {
    mistake: 'blocks are decoded regardless of their number of transactions',
    file: 'src/types/block/block.ts',
    from: 'bodyFromItems(body, maxTransactions(header), keccak)',
    to: 'bodyFromItems(body, MAX_BLOCK_TRANSACTIONS, keccak)',
    caughtBy: 'src/types/block/block.test.ts',
  },
  'sync-peers-fault-reported': {
    mistake: 'invalid bytes from a peer count as a failure of this node',
    file: 'src/chain/writer/import-line.ts',
    from: 'if (!isPeersFault) report(',
    to: 'report(',
    caughtBy: 'src/chain/writer/writer-thread.test.ts',
  },
  'sync-parents-unchecked': {
    mistake: 'headers need not follow each other',
    file: LINKS,
    from: 'if (next.header.parentHash !== hash) {',
    to: 'if (headers.length === 0 && next.header.parentHash !== hash) {',
    caughtBy: 'src/sync/catch-up/header-chain.test.ts',
  },
  'sync-numbers-unchecked': {
    mistake: 'headers may skip numbers',
    file: LINKS,
    from: 'if (next.header.number !== BigInt(number + 1)) {',
    to: 'if (next.header.number < BigInt(number + 1)) {',
    caughtBy: 'src/sync/catch-up/header-chain.test.ts',
  },
  'sync-status-difficulty': {
    mistake: 'Status carries the difficulty of one block',
    file: 'src/sync/peers/eth-network.ts',
    from: 'chain.totalDifficulty(head),',
    to: 'head.header.difficulty,',
    caughtBy: NETWORK_TEST,
  },
  'sync-new-block-difficulty': {
    mistake: 'NewBlock carries the difficulty of one block',
    file: FOLLOW,
    from: 'chain.totalDifficulty({ hash, header })',
    to: 'header.difficulty',
    caughtBy: NETWORK_TEST,
  },
  'sync-first-seal-unchecked': {
    mistake: 'the first header of an answer needs no seals',
    file: SEALS,
    from: 'const problem = await this.#refuse(first, parent, state)\n    if (problem !== undefined) return problem',
    to: '',
    caughtBy: SEAL_TEST,
  },
  'sync-last-seal-unchecked': {
    mistake: 'invented headers count if a true one precedes them',
    file: SEALS,
    from: 'if (last === undefined) return true',
    to: 'if (last !== undefined) return true',
    caughtBy: SEAL_TEST,
  },
  'sync-changed-validators': {
    mistake: 'peers are dropped when the validators change within an answer',
    file: SEALS,
    from: 'if (problem !== undefined) return problem\n      before = next',
    to: 'if (problem !== undefined) return problem\n      before = parent',
    caughtBy: SEAL_TEST,
  },
  'sync-future-excused': {
    mistake: 'unsealed headers from the future cost a peer nothing',
    file: SEALS,
    from: 'return problem && `Header',
    to: 'return problem && header.timestamp < 4_000_000_000n && `Header',
    caughtBy: SEAL_TEST,
  },
  'sync-wrong-clock-blames-peers': {
    mistake: 'a node with a slow clock drops all honest peers',
    file: 'src/sync/catch-up/catch-up.ts',
    from: 'if (isAhead(refused.header, clock) && (await this.#isSealed(refused))) {',
    to: 'if (isAhead(refused.header, clock) && !(await this.#isSealed(refused))) {',
    caughtBy: HOSTILE,
  },
  'sync-header-bytes': {
    mistake: 'large headers fill the memory',
    file: SLOTS,
    from: ' || this.#headerBytes >= MAX_HEADER_BYTES',
    to: '',
    caughtBy: 'src/sync/catch-up/block-slots.test.ts',
  },
  'sync-late-bodies': {
    mistake: 'a late body is not requested from another peer',
    file: SLOTS,
    from: '(asked === undefined || nowMs - asked.atMs >= LATE_MS)',
    to: 'asked === undefined',
    caughtBy: 'src/sync/catch-up/block-slots.test.ts',
  },
  'sync-late-headers': {
    mistake: 'late headers are not requested from another peer',
    file: 'src/sync/catch-up/fetch-headers.ts',
    from: 'request.isLate = true',
    to: 'request.isLate = false',
    caughtBy: HOSTILE,
  },
  'sync-slow-peers': {
    mistake: 'a slow peer gets as many requests as a fast one',
    file: 'src/sync/peers/choose-peer.ts',
    from: '(rateOf(peer) ?? best) * SLOWER >= best',
    to: '(rateOf(peer) ?? best) * SLOWER >= 0',
    caughtBy: 'src/sync/peers/choose-peer.test.ts',
  },
  'sync-conflict-kept': {
    mistake: 'headers that contradict the chain are kept',
    file: SLOTS,
    from: 'found === undefined || found.hash === hash ? undefined : found',
    to: 'found === undefined || found.hash !== hash ? undefined : found',
    caughtBy: 'src/sync/catch-up/block-slots.test.ts',
  },
  'sync-claims-count': {
    mistake: 'a peer that sends nothing keeps the node from being in sync',
    file: 'src/sync/peers/eth-peer.ts',
    from: 'if (code === ETH.getBlockHeaders) this.#isDoubted = true\n',
    to: '',
    caughtBy: 'src/sync/sync-metrics.test.ts',
  },
  'sync-in-sync-metric': {
    mistake: 'the metric in_sync is 0 for a node in sync',
    file: 'src/sync/sync-metrics.ts',
    from: 'progress() === undefined ? 1 : 0',
    to: 'progress() === undefined ? 0 : 1',
    caughtBy: 'src/sync/sync-metrics.test.ts',
  },
  'sync-best-known-metric': {
    mistake: "the metric best_known_block_number is the node's own head",
    file: 'src/sync/sync-metrics.ts',
    from: 'Math.max(best, height)',
    to: 'Math.min(best, height)',
    caughtBy: 'src/sync/sync-metrics.test.ts',
  },
  'sync-pending-metric': {
    mistake: 'the metric pending counts transactions with a missing nonce',
    file: 'src/pool/pool-metrics.ts',
    from: 'read: (pool) => pool.status().pending,',
    to: 'read: (pool) => pool.status().pending + pool.status().queued,',
    caughtBy: 'src/pool/pool-metrics.test.ts',
  },
  'sync-new-block-unsealed': {
    mistake: 'bodies of unsealed blocks are decoded',
    file: FOLLOW,
    from: 'const problem = isNext ? await seals.refuse([told], head) : undefined',
    to: 'const problem = isNext ? undefined : undefined',
    caughtBy: BLOCKS_TEST,
  },
  'sync-undecodable-excused': {
    mistake: 'blocks that cannot be decoded cost a peer nothing',
    file: FOLLOW,
    from: "if (err instanceof Fault && err.kind === 'INVALID_BLOCK')",
    to: "if (err instanceof Fault && err.kind === 'NO_BLOCK')",
    caughtBy: BLOCKS_TEST,
  },
  'sync-old-blocks': {
    mistake: 'blocks that are far behind the head cost a peer nothing',
    file: FOLLOW,
    from: '      peer.useless()\n',
    to: '',
    caughtBy: BLOCKS_TEST,
  },
  'sync-refused-for-ever': {
    mistake: 'a transaction refused once is refused from every peer forever',
    file: 'src/sync/start-sync.ts',
    from: '      transactions.headMoved()\n',
    to: '',
    caughtBy: 'src/sync/follow/carry-transactions.test.ts',
  },
  'sync-refused-not-remembered': {
    mistake: 'a refused transaction is judged again for every peer',
    file: 'src/sync/follow/seen-transactions.ts',
    from: ' || this.#refused.has(hash)',
    to: '',
    caughtBy: 'src/sync/follow/seen-transactions.test.ts',
  },
  'sync-receipts-without-pause': {
    mistake: 'a block with many logs occupies the peers thread when a peer asks for its receipts',
    file: 'src/sync/serve/answer-requests.ts',
    from: '    }\n    yield\n  }\n  return bloom',
    to: '    }\n  }\n  return bloom',
    caughtBy: 'src/sync/serve/answer-requests.test.ts',
  },
  'sync-receipts-too-long': {
    mistake: 'receipts that do not fit into a message are computed and sent',
    file: 'src/sync/serve/answer-requests.ts',
    from: 'if (stored !== undefined && stored.length <= BLOCK_MAX_BYTES) {',
    to: 'if (stored !== undefined) {',
    caughtBy: 'src/sync/serve/answer-requests.test.ts',
  },
}
