import type { Plants } from './plant.ts'

const ETH_NETWORK = 'src/sync/peers/eth-network.ts'
const SERVE_TURNS = 'src/sync/serve/serve-turns.ts'
const SERVE_TURNS_TEST = 'src/sync/serve/serve-turns.test.ts'
const SERVING_TEST = 'src/sync/serve/serving.test.ts'
const ANSWERS = 'src/sync/serve/answer-requests.ts'
const ANSWERS_TEST = 'src/sync/serve/answer-requests.test.ts'
const DISCOVERY = 'src/p2p/discv4/discovery.ts'
const DISCOVERY_TEST = 'src/p2p/discv4/discovery-endpoints.test.ts'
const TABLE = 'src/p2p/discv4/bucket-list.ts'
const TABLE_TEST = 'src/p2p/discv4/bucket-list.test.ts'
const GATE = 'src/p2p/peers/inbound-gate.ts'
const GATE_TEST = 'src/p2p/peers/inbound-gate.test.ts'
const BUDGET = 'src/consensus/peer-budget.ts'
const BUDGET_TEST = 'src/consensus/peer-budget.test.ts'
const PEERS_THREAD = 'src/p2p/threads/peers-thread.ts'
const PEERS_THREAD_TEST = 'src/p2p/threads/peers-thread.test.ts'
const PEER_NETWORK = 'src/p2p/peers/peer-network.ts'
const PEER_METRICS = 'src/p2p/peer-metrics.ts'
const ADMISSION_TEST = 'src/p2p/peers/admission.test.ts'
const FRAME_DECODER = 'src/p2p/rlpx/frame-decoder.ts'

export const P2P_PLANTS: Plants = {
  'p2p-requests-at-once': {
    mistake: 'all requests of a peer are answered at once',
    file: 'src/platform/serial-queue.ts',
    from: 'this.#last.then(work)',
    to: 'Promise.resolve().then(work)',
    caughtBy: SERVING_TEST,
  },
  'p2p-answers-without-room': {
    mistake: 'answers are produced for a peer that does not read them',
    file: ETH_NETWORK,
    from: '      await peer.link.drained()\n',
    to: '',
    caughtBy: SERVING_TEST,
  },
  'p2p-request-queue-unbounded': {
    mistake: 'any number of requests may queue for a peer',
    file: 'src/sync/peers/eth-peer.ts',
    from: 'new SerialQueue(REQUESTS_MAX)',
    to: 'new SerialQueue()',
    caughtBy: SERVING_TEST,
  },
  'p2p-answers-do-not-rest': {
    mistake: 'answers take all the time of the peers thread',
    file: SERVE_TURNS,
    from: 'usedMs < SLICE_MS ? nextTurn() : this.#rest(usedMs)',
    to: 'nextTurn()',
    caughtBy: SERVE_TURNS_TEST,
  },
  'p2p-long-answers-not-paused': {
    mistake: 'a long answer is computed in one event loop turn',
    file: SERVE_TURNS,
    from: 'while (!isDone && this.#clock.monotonicMs() < endMs)',
    to: 'while (!isDone)',
    caughtBy: SERVE_TURNS_TEST,
  },
  'p2p-headers-of-two-branches': {
    mistake: 'an answer mixes headers from before and after a reorg',
    file: ANSWERS,
    from: '(yield) && !isStored(',
    to: '!(yield) && !isStored(',
    caughtBy: ANSWERS_TEST,
  },
  'p2p-replayed-ping-evicts': {
    mistake: 'a replayed PING removes a node from the discovery table',
    file: TABLE,
    from: 'known.id !== node.id || !isSameEndpoint(known, node)',
    to: 'known.id !== node.id',
    caughtBy: DISCOVERY_TEST,
  },
  'p2p-relayed-ping-moves': {
    mistake: 'an attacker that relays PING and PONG moves a node to its own address',
    file: DISCOVERY,
    from: 'if (known !== undefined && !(await this.#hasMoved(known, node, record))) return',
    to: '',
    caughtBy: DISCOVERY_TEST,
  },
  'p2p-endpoint-not-proven': {
    mistake: 'a node that moved within the discovery table needs no proof of its new port',
    file: DISCOVERY,
    from: 'isKnown && this.#bonds.hasProved(from.id, from.ip)',
    to: 'isKnown || this.#bonds.hasProved(from.id, from.ip)',
    caughtBy: DISCOVERY_TEST,
  },
  'p2p-busy-evicts': {
    mistake: 'a node that could not be contacted leaves the discovery table',
    file: DISCOVERY,
    from: 'if (isAnswered === false) this.#bucketList.remove(node)',
    to: 'if (isAnswered !== true) this.#bucketList.remove(node)',
    caughtBy: DISCOVERY_TEST,
  },
  'p2p-table-of-one-network': {
    mistake: 'one network fills the discovery table',
    file: TABLE,
    from: 'count(this.known()) < limits.perTable',
    to: 'count(this.known()) >= 0',
    caughtBy: TABLE_TEST,
  },
  'p2p-bucket-of-one-network': {
    mistake: 'one network fills a bucket of the discovery table',
    file: TABLE,
    from: 'const NETWORK_PER_BUCKET = 2',
    to: 'const NETWORK_PER_BUCKET = 10',
    caughtBy: TABLE_TEST,
  },
  'p2p-handshakes-of-few': {
    mistake: 'silent connections from a few addresses keep all others out',
    file: GATE,
    from: 'first!.size <= own + 1 && nowMs',
    to: 'first!.size > 0 && nowMs',
    caughtBy: GATE_TEST,
  },
  'p2p-handshakes-slow': {
    mistake: 'silent connections from many addresses keep all others out',
    file: GATE,
    from: 'oldest!.sinceMs < SLOW_MS',
    to: 'oldest!.sinceMs >= 0',
    caughtBy: GATE_TEST,
  },
  'p2p-handshakes-ipv6': {
    mistake: 'every IPv6 address of one customer gets its own handshake slots',
    file: GATE,
    from: 'const bucket = ipBucket(ip)',
    to: 'const bucket = ip',
    caughtBy: GATE_TEST,
  },
  'p2p-unlisted-address-reads': {
    mistake: 'an address without a permitted node may begin a handshake',
    file: 'src/p2p/peer-rules.ts',
    from: 'this.#permitted.hasAddress(ip)) return true',
    to: "ip !== '') return true",
    caughtBy: 'src/p2p/peer-rules.test.ts',
  },
  'p2p-strangers-multiply': {
    mistake: 'every peer that is not a validator has its own budget for consensus messages',
    file: BUDGET,
    from: '    if (this.#strangersBytesLeft <= 0 || this.#strangersMessages >= messages) return false\n',
    to: '',
    caughtBy: BUDGET_TEST,
  },
  'p2p-strangers-first-come': {
    mistake: 'one peer that is not a validator uses up the budget of all others',
    file: BUDGET,
    from: 'messages: messages / strangers',
    to: 'messages',
    caughtBy: BUDGET_TEST,
  },
  'p2p-strangers-bytes-every-second': {
    mistake: 'peers that are not validators may send two of the largest messages per second',
    file: BUDGET,
    from: 'const STRANGERS_BYTES_PER_SECOND = 2 * 1024 * 1024',
    to: 'const STRANGERS_BYTES_PER_SECOND = BYTES',
    caughtBy: BUDGET_TEST,
  },
  'p2p-strangers-wait-a-second': {
    mistake: 'a peer that floods persistently waits no longer than one that was too fast once',
    file: BUDGET,
    from: 'Math.min(LONGEST_WAIT_MS, 2 * last.waitMs)',
    to: 'WINDOW_MS',
    caughtBy: BUDGET_TEST,
  },
  'p2p-strangers-read-on': {
    mistake: 'the node keeps reading from a peer that exceeds the consensus budget',
    file: 'src/consensus/driver.ts',
    from: 'return this.#budget.waitMs(from, nowMs)',
    to: 'return 0',
    caughtBy: 'src/consensus/driver.test.ts',
  },
  'p2p-engine-turns-ipv6': {
    mistake: 'every IPv6 address of one customer gets its own turn for engine threads',
    file: 'src/jsonrpc/threads/engine-pool.ts',
    from: 'const owner = callerKey(call)',
    to: "const owner = call.caller.account ?? call.remoteAddress ?? ''",
    caughtBy: 'src/jsonrpc/threads/engine-pool.test.ts',
  },
  'p2p-thread-heap-unwatched': {
    mistake: 'the peers thread may use all memory',
    file: PEERS_THREAD,
    from: '  heap: BOUNDED_YOUNG_GENERATION,\n',
    to: '',
    caughtBy: PEERS_THREAD_TEST,
  },
  'p2p-thread-misses-log-levels': {
    mistake: 'threads miss log level changes',
    file: 'src/platform/thread/threads.ts',
    from: 'running.setLevel(level, names)',
    to: 'running.channel',
    caughtBy: PEERS_THREAD_TEST,
  },
  'p2p-late-thread-misses-log-levels': {
    mistake: 'a restarted thread logs with the levels of the options',
    file: 'src/platform/thread/threads.ts',
    from: 'this.#isLevelChanged = true',
    to: 'this.#isLevelChanged = false',
    caughtBy: 'src/platform/thread/threads.test.ts',
  },
  'p2p-successor-unattended': {
    mistake: 'a thread has neither the log levels nor the metrics of the node',
    file: 'src/platform/thread/threads.ts',
    from: '    this.adopt(thread, definition)\n',
    to: '',
    caughtBy: 'src/api/threads/rpc-threads.test.ts',
  },
  'p2p-banned-peer-returns': {
    mistake: 'a peer that was banned for lying may reconnect',
    file: PEER_NETWORK,
    from: 'this.#denied.set(id, true)',
    to: 'this.#denied.delete(id)',
    caughtBy: ADMISSION_TEST,
  },
  'p2p-banned-peer-dialled': {
    mistake: 'a banned peer is dialled when discovery finds it',
    file: PEER_NETWORK,
    from: 'this.#sessions.has(id) || this.#isDenied(id)',
    to: 'this.#sessions.has(id)',
    caughtBy: ADMISSION_TEST,
  },
  'p2p-inbound-limit': {
    mistake: 'peers that dialled this node occupy every slot',
    file: PEER_NETWORK,
    from: '!isInbound || inbound < maxInbound',
    to: '!isInbound || inbound < maxPeers',
    caughtBy: ADMISSION_TEST,
  },
  'p2p-expected-take-room': {
    mistake: 'the other validators take the room of a validator, so observers are refused',
    file: PEER_NETWORK,
    from: 'filter(({ id }) => !this.#expected.has(id))',
    to: 'filter(() => true)',
    caughtBy: ADMISSION_TEST,
  },
  'p2p-rotated-keys-stay': {
    mistake: 'each key that a validator rotates leaves a connection beyond the limits',
    file: PEER_NETWORK,
    from: 'if (this.#hasRoom(session)) continue',
    to: 'if (!session.isClosed) continue',
    caughtBy: ADMISSION_TEST,
  },
  'p2p-disconnect-initiator': {
    mistake: 'the metric of ended connections names the wrong side',
    file: PEER_METRICS,
    from: "byPeer ? 'remote' : 'local'",
    to: "byPeer ? 'local' : 'remote'",
    caughtBy: ADMISSION_TEST,
  },
  'p2p-disconnects-counted-twice': {
    mistake: 'a connection that ends is counted twice',
    file: PEER_METRICS,
    from: '  network.joined.subscribe(() => connected.inc())',
    to: "  network.joined.subscribe(() => connected.inc())\n  network.left.subscribe(() => disconnected.inc({ initiator: 'local', reason: 'UNKNOWN' }))",
    caughtBy: ADMISSION_TEST,
  },
  'p2p-connected-not-counted': {
    mistake: 'established connections are not counted',
    file: PEER_METRICS,
    from: 'network.joined.subscribe(() => connected.inc())',
    to: 'network.joined.subscribe(() => undefined)',
    caughtBy: ADMISSION_TEST,
  },
  'p2p-frame-not-authentic': {
    mistake: 'a frame with a changed body is accepted',
    file: FRAME_DECODER,
    from: 'if (!timingSafeEqual(this.#mac.ofBody(), this.#short.subarray(0, MAC_BYTES))) throw forged()',
    to: 'this.#mac.ofBody()',
    caughtBy: 'src/p2p/rlpx/frames.test.ts',
  },
  'p2p-frame-of-any-length': {
    mistake: 'a frame may have any length before HELLO',
    file: FRAME_DECODER,
    from: 'if (length <= this.maxFrameBytes) return length',
    to: 'if (length > 0) return length',
    caughtBy: 'src/p2p/rlpx/frames.test.ts',
  },
  'p2p-claimed-length-unpacked': {
    mistake: 'a message is decompressed to any length it claims',
    file: 'src/p2p/rlpx/snappy.ts',
    from: 'if (length > maxBytes) throw',
    to: 'if (length < 0) throw',
    caughtBy: 'src/p2p/rlpx/snappy.test.ts',
  },
  'p2p-flood-never-ends': {
    mistake: 'a peer that floods this node is kept',
    file: 'src/p2p/peers/read-budget.ts',
    from: 'isFlood: seconds >= floodSeconds',
    to: 'isFlood: seconds > floodSeconds + 1',
    caughtBy: 'src/p2p/peers/read-budget.test.ts',
  },
  'p2p-bulk-before-urgent': {
    mistake: 'consensus messages wait behind bulk data',
    file: 'src/p2p/peers/send-queue.ts',
    from: 'this.#lanes.urgent.shift() ?? this.#nextBulk()',
    to: 'this.#nextBulk() ?? this.#lanes.urgent.shift()',
    caughtBy: 'src/p2p/peers/send-queue.test.ts',
  },
}
