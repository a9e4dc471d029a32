import type { Plants } from './plant.ts'

const CURSORS = 'src/api/filters/filter-cursors.ts'
const CURSORS_TEST = 'src/api/filters/filter-cursors.test.ts'
const CHANGES = 'src/api/filters/filter-changes.ts'
const CHANGES_TEST = 'src/api/filters/filter-changes.test.ts'
const FIND_LOGS = 'src/api/filters/find-logs.ts'
const FIND_LOGS_TEST = 'src/api/filters/find-logs.test.ts'
const SUBSCRIPTIONS = 'src/jsonrpc/subscriptions/subscriptions.ts'
const SUBSCRIPTIONS_TEST = 'src/api/subscriptions/subscriptions.test.ts'

export const SUBSCRIPTION_PLANTS: Plants = {
  'subscription-filter-shares': {
    mistake: 'a caller with every filter keeps them, and others get none',
    file: CURSORS,
    from: 'if (largest === undefined || sizeOf(largest) <= wanted) return false',
    to: 'if (largest !== undefined || sizeOf(largest!) <= wanted) return false',
    caughtBy: CURSORS_TEST,
  },
  'subscription-filter-takes-back-too-much': {
    mistake: 'a caller takes filters from callers that have no more than itself',
    file: CURSORS,
    from: '(own?.cursors.size ?? 0) + 1,',
    to: '(own?.cursors.size ?? 0),',
    caughtBy: CURSORS_TEST,
  },
  'subscription-filter-count': {
    mistake: 'one filter more than configured may exist',
    file: CURSORS,
    from: 'this.#cursors.size >= maxActive,',
    to: 'this.#cursors.size > maxActive,',
    caughtBy: CURSORS_TEST,
  },
  'subscription-filter-bytes': {
    mistake: 'filter definitions take any amount of memory',
    file: CURSORS,
    from: 'this.#definitionBytes + bytes > DEFINITIONS_MAX_BYTES',
    to: 'this.#definitionBytes - bytes > DEFINITIONS_MAX_BYTES * 9',
    caughtBy: CURSORS_TEST,
  },
  'subscription-filter-expiry': {
    mistake: 'a filter that is not polled never expires',
    file: CURSORS,
    from: 'if (cursor === undefined || cursor.expiresAtMs > this.#parts.clock.monotonicMs()) return cursor',
    to: 'if (cursor === undefined || cursor.expiresAtMs > 0) return cursor',
    caughtBy: CURSORS_TEST,
  },
  'subscription-filter-cursor': {
    mistake: 'a filter reports the same changes with every poll',
    file: CURSORS,
    from: 'cursor.since = now\n',
    to: 'void now\n',
    caughtBy: CURSORS_TEST,
  },
  'subscription-filter-forgets-bytes': {
    mistake: 'a removed filter still counts towards the memory limit',
    file: CURSORS,
    from: 'this.#definitionBytes -= definition.length\n    const holding',
    to: 'this.#definitionBytes -= 0\n    const holding',
    caughtBy: CURSORS_TEST,
  },
  'subscription-changes-removed-logs': {
    mistake: 'logs of blocks that left the chain are not marked as removed',
    file: CHANGES,
    from: 'yield logText(log, true)',
    to: 'yield logText(log)',
    caughtBy: CHANGES_TEST,
  },
  'subscription-changes-order': {
    mistake: 'new blocks are reported highest first',
    file: CHANGES,
    from: 'return { removed, added: added.reverse() }',
    to: 'return { removed, added }',
    caughtBy: CHANGES_TEST,
  },
  'subscription-changes-range': {
    mistake: 'a filter reports logs after its last block',
    file: CHANGES,
    from: "return toBlock.kind !== 'number' || block.number <= toBlock.number",
    to: "return toBlock.kind !== 'number' || block.number >= 0n",
    caughtBy: CHANGES_TEST,
  },
  'subscription-logs-backwards': {
    mistake: 'a range that ends before it begins gets an answer',
    file: FIND_LOGS,
    from: 'to === undefined || from.header.number > to.header.number)',
    to: 'to === undefined || from.header.number < 0n)',
    caughtBy: FIND_LOGS_TEST,
  },
  'subscription-logs-range': {
    mistake: 'the block limit of a log query is ignored',
    file: FIND_LOGS,
    from: 'if (maxLogsRange > 0 && range.toBlock - range.fromBlock > maxLogsRange) {',
    to: 'if (maxLogsRange < 0 && range.toBlock - range.fromBlock > maxLogsRange) {',
    caughtBy: FIND_LOGS_TEST,
  },
  'logs-cost-up-front': {
    mistake: 'a log query may read any number of blocks',
    file: FIND_LOGS,
    from: 'if (blocks++ < maxBlocks) continue',
    to: 'if (blocks++ >= 0) continue',
    caughtBy: FIND_LOGS_TEST,
  },
  'subscription-ends-with-connection': {
    mistake: 'subscriptions outlive the connection that made them',
    file: SUBSCRIPTIONS,
    from: 'if (isFirst) connection.onClose(() => this.#dismiss(connection))',
    to: 'if (isFirst) connection.onClose(() => undefined)',
    caughtBy: SUBSCRIPTIONS_TEST,
  },
  'subscription-connection-bytes': {
    mistake: 'one connection may fill the memory with subscriptions',
    file: SUBSCRIPTIONS,
    from: 'if (subscriber.bytes + bytes > CONNECTION_MAX_BYTES || this.#bytes + bytes > SERVER_MAX_BYTES) {',
    to: 'if (this.#bytes + bytes > SERVER_MAX_BYTES) {',
    caughtBy: SUBSCRIPTIONS_TEST,
  },
  'subscription-slot-kept': {
    mistake: 'an ended subscription still counts',
    file: SUBSCRIPTIONS,
    from: '    this.#parts.slots.release()\n',
    to: '',
    caughtBy: SUBSCRIPTIONS_TEST,
  },
  'subscription-of-another': {
    mistake: 'ending a subscription does not stop its notifications',
    file: SUBSCRIPTIONS,
    from: '    subscription.isOpen = false\n    stop()\n',
    to: '',
    caughtBy: SUBSCRIPTIONS_TEST,
  },
  'subscription-full-pending': {
    mistake: 'a subscriber that asked for hashes gets complete transactions',
    file: 'src/api/subscriptions/subscription-sources.ts',
    from: 'isFull ? text() :',
    to: 'isFull || text() ? text() :',
    caughtBy: SUBSCRIPTIONS_TEST,
  },
}
