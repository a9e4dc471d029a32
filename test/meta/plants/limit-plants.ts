import type { Plants } from './plant.ts'

const RLP = 'src/types/rlp.ts'
const RLP_TEST = 'src/types/rlp.test.ts'
const TURNS_TEST = 'src/serve/request-turns.test.ts'
const COLLECTOR = 'src/jsonrpc/server/body-collector.ts'
const COLLECTOR_TEST = 'src/jsonrpc/server/body-collector.test.ts'
const SCAN = 'src/jsonrpc/dispatch/scan-json.ts'
const SCAN_TEST = 'src/jsonrpc/dispatch/scan-json.test.ts'
const QUEUE = 'src/platform/channel/bounded-queue.ts'
const QUEUE_TEST = 'src/platform/channel/bounded-queue.test.ts'
const HOSTS = 'src/serve/host-allowlist.ts'
const HOSTS_TEST = 'src/serve/host-allowlist.test.ts'

export const LIMIT_PLANTS: Plants = {
  'limit-rlp-items': {
    mistake: 'a message may contain any number of items',
    file: RLP,
    from: 'if (--this.#itemsLeft < 0) throw',
    to: 'if (--this.#itemsLeft === undefined) throw',
    caughtBy: RLP_TEST,
  },
  'limit-rlp-depth': {
    mistake: 'lists may be nested until the stack overflows',
    file: RLP,
    from: 'if (depthLeft === 0) throw',
    to: 'if (depthLeft === undefined) throw',
    caughtBy: RLP_TEST,
  },
  'limit-rlp-bytes': {
    mistake: 'the byte limit is not checked',
    file: RLP,
    from: 'if (input.length > maxBytes) throw',
    to: 'if (input.length < 0) throw',
    caughtBy: RLP_TEST,
  },
  'limit-rlp-trailing-bytes': {
    mistake: 'bytes after the item are ignored',
    file: RLP,
    from: 'if (decoder.offset < input.length) throw',
    to: 'if (decoder.offset < 0) throw',
    caughtBy: RLP_TEST,
  },
  'limit-rlp-second-form': {
    mistake: 'a length in a longer form than necessary is accepted',
    file: RLP,
    from: 'if (length <= SHORT) throw',
    to: 'if (length < 0) throw',
    caughtBy: RLP_TEST,
  },
  'limit-rlp-list-items': {
    mistake: 'one more item than allowed is read from a list',
    file: RLP,
    from: 'if (count === maxItems) throw',
    to: 'if (count > maxItems) throw',
    caughtBy: RLP_TEST,
  },
  'limit-body-size': {
    mistake: 'a body may be larger than the limit',
    file: COLLECTOR,
    from: "    if (length > this.#maxBytes) return 'too-large'\n",
    to: '',
    caughtBy: COLLECTOR_TEST,
  },
  'limit-body-budget': {
    mistake: 'large bodies do not share a budget',
    file: 'src/jsonrpc/server/body-collector.ts',
    from: '    if (this.#takenBytes + bytes > this.#maxBytes) return false\n',
    to: '',
    caughtBy: COLLECTOR_TEST,
  },
  'limit-body-budget-leaks': {
    mistake: 'the bytes of a body are never returned to the budget',
    file: COLLECTOR,
    from: '    this.#budget.release(this.#takenBytes)\n',
    to: '',
    caughtBy: COLLECTOR_TEST,
  },
  'limit-body-scan': {
    mistake: 'the nesting of a body is not limited',
    file: COLLECTOR,
    from: "    if (this.#scan.feed(chunk) !== undefined) return 'malformed'\n",
    to: '',
    caughtBy: `${COLLECTOR_TEST} src/jsonrpc/server/http-body.test.ts`,
  },
  'limit-json-depth': {
    mistake: 'JSON may be nested one level deeper than allowed',
    file: SCAN,
    from: 'if (depth > maxDepth || values > maxValues) {',
    to: 'if (depth > maxDepth + 1 || values > maxValues) {',
    caughtBy: SCAN_TEST,
  },
  'limit-json-values': {
    mistake: 'JSON may contain any number of values',
    file: SCAN,
    from: 'if (depth > maxDepth || values > maxValues) {',
    to: 'if (depth > maxDepth) {',
    caughtBy: SCAN_TEST,
  },
  'limit-json-escaped-quote': {
    mistake: 'an escaped quote ends a long string, so its brackets count or hide others',
    file: SCAN,
    from: 'const isEscaped = backslashes % 2 === 1',
    to: 'const isEscaped = backslashes === 1',
    caughtBy: SCAN_TEST,
  },
  'limit-pipelined-requests': {
    mistake: 'a client may send any number of requests ahead',
    file: 'src/serve/request-turns.ts',
    from: 'if (connection.waiting.length >= AHEAD_MAX || connection.waitingBytes + bytes > AHEAD_MAX_BYTES)',
    to: 'if (connection.waitingBytes + bytes > AHEAD_MAX_BYTES)',
    caughtBy: TURNS_TEST,
  },
  'limit-pipelined-bytes': {
    mistake: 'requests sent ahead may contain any number of bytes',
    file: 'src/serve/request-turns.ts',
    from: 'connection.waiting.length >= AHEAD_MAX || connection.waitingBytes + bytes > AHEAD_MAX_BYTES',
    to: 'connection.waiting.length >= AHEAD_MAX',
    caughtBy: TURNS_TEST,
  },
  'limit-no-turns': {
    mistake: 'one flooding connection is served before all others',
    file: 'src/serve/request-turns.ts',
    from: 'if (connection.turnBytes >= TURN_BYTES) this.#rest(connection)',
    to: 'if (connection.turnBytes < 0) this.#rest(connection)',
    caughtBy: TURNS_TEST,
  },
  'limit-connections': {
    mistake: 'one connection more than allowed is served',
    file: 'src/serve/connection-slots.ts',
    from: 'if (taken <= max) return true',
    to: 'if (taken <= max + 1) return true',
    caughtBy: 'src/jsonrpc/server/connections.test.ts',
  },
  'limit-refused-connection-counts': {
    mistake: 'a refused connection occupies a slot forever',
    file: 'src/serve/connection-slots.ts',
    from: '      Atomics.sub(counts, own, 1)\n      return false',
    to: '      return false',
    caughtBy: 'src/jsonrpc/server/connections.test.ts',
  },
  'limit-silent-connections': {
    mistake: 'idle connections are kept without a limit',
    file: 'src/serve/connections.ts',
    from: 'if (this.#silent.size > this.#silentMax)',
    to: 'if (this.#silent.size < 0)',
    caughtBy: 'src/jsonrpc/server/connections.test.ts',
  },
  'limit-deadline-never': {
    mistake: 'requests after the first are never timed out',
    file: 'src/jsonrpc/server/deadlines.ts',
    from: '        this.#arm(item.dueMs - nowMs)\n',
    to: '',
    caughtBy: 'src/jsonrpc/server/deadlines.test.ts',
  },
  'limit-cors-part-of-origin': {
    mistake: 'an origin that only begins like an allowed one is allowed',
    file: 'src/serve/cors.ts',
    from: ')$`)',
    to: ')`)',
    caughtBy: 'src/serve/cors.test.ts',
  },
  'limit-host-any': {
    mistake: 'every host name is allowed, so a page can rebind its name to the node',
    file: HOSTS,
    from: "if (!admitsAll && !names.has(bareName(match[1] ?? ''))) return 'refused'",
    to: "if (!admitsAll && names.size === 0) return 'refused'",
    caughtBy: HOSTS_TEST,
  },
  'limit-host-remembers-refused': {
    mistake: 'a refused host is allowed the second time',
    file: HOSTS,
    from: 'const match = AUTHORITY.exec(host)\n',
    to: 'const match = AUTHORITY.exec(host)\n    remembered.add(host)\n',
    caughtBy: HOSTS_TEST,
  },
  'limit-queue-items': {
    mistake: 'a queue between threads holds one item too many',
    file: QUEUE,
    from: 'ring.size >= itemsMax',
    to: 'ring.size > itemsMax',
    caughtBy: QUEUE_TEST,
  },
  'limit-queue-bytes': {
    mistake: 'a queue between threads does not subtract bytes',
    file: QUEUE,
    from: 'if (item !== undefined) bytes -= sizeOf(item)',
    to: 'if (item === undefined) bytes -= 1',
    caughtBy: QUEUE_TEST,
  },
  'limit-heap-watch': {
    mistake: 'a thread may fill its entire heap, which aborts the process',
    file: 'src/platform/thread/heap-watch.ts',
    from: 'if (used <= limit) return lookSoon()',
    to: 'if (used <= limit * 100) return lookSoon()',
    caughtBy: 'src/platform/thread/heap-watch.test.ts',
  },
  'limit-flood-waits': {
    mistake: 'a peer that floods persistently is only slowed down',
    file: 'src/p2p/peers/read-budget.ts',
    from: 'isFlood: seconds >= floodSeconds }',
    to: 'isFlood: false }',
    caughtBy: 'src/p2p/peers/read-budget.test.ts',
  },
  'limit-looks-unbounded': {
    mistake: 'every requested hash is looked up, known or not',
    file: 'src/sync/serve/answer-requests.ts',
    from: 'hashes.slice(0, LOOKS_PER_ITEM * MAX_BODIES)',
    to: 'hashes',
    caughtBy: 'src/sync/serve/answer-requests.test.ts',
  },
}
