/* How much of peers' requests is computed, and when. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { extend, openTestChain, silentLog, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { ForkIds } from '#chain/read/fork-id.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { PeerHandlers, PeerLink } from '#p2p/peers/protocol.ts'
import { systemClock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { type EthListener, EthNetwork } from '#sync/peers/eth-network.ts'
import { encodeAskedHashes, encodeGetBlockHeaders } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { keccak256 } from '#types/keccak.ts'

const LISTENER: EthListener = {
  onReady: () => undefined,
  onTurnedAway: () => undefined,
  onLeft: () => undefined,
  onHeight: () => undefined,
  onNewBlock: () => undefined,
  onBlockHashes: () => undefined,
  onTransactions: () => undefined,
  onPooledHashes: () => undefined,
  onPooledRequested: () => undefined,
}

interface Asking {
  readonly handlers: PeerHandlers
  /** The codes sent to the peer. */
  readonly sent: number[]
  /** False if its queue is full. */
  readonly room: { hasRoom: boolean }
}

async function server(t: TestContext) {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < 20; number++) await extend(chain)
  const genesis = testGenesis()
  const view = createChainView({ store: chain.store, genesis, keccak: keccak256 })
  const genesisHash = genesisHashOf(genesis, keccak256)
  let pooledAsked = 0
  let nowMs = 0
  const network = new EthNetwork({
    // Reading the clock takes a millisecond.
    clock: { ...systemClock, monotonicMs: () => nowMs++ },
    log: silentLog,
    chain: view,
    networkId: 1n,
    genesisHash,
    forkIds: new ForkIds(genesisHash, genesis.header.timestamp, genesis.config.forks),
    hashBlock: blockHashOf(genesis.config.consensus, keccak256),
    pooled: async (hashes) => {
      pooledAsked += 1
      return hashes.map(() => undefined)
    },
    listener: LISTENER,
  })
  const protocol = network.protocols().find(({ version }) => version === 69)!
  const connect = (): Asking => {
    const sent: number[] = []
    const room = { hasRoom: true }
    let status: Uint8Array | undefined
    const link = {
      peer: { enode: { id: 'peer' } },
      send: (code: number, data: Uint8Array) => {
        if (code === ETH.status) status = data
        else sent.push(code)
        return true
      },
      drained: () => (room.hasRoom ? Promise.resolve() : new Promise(() => {})),
      disconnect: () => undefined,
    } as unknown as PeerLink
    const asking: Asking = { handlers: protocol.connect(link), sent, room }
    t.after(() => asking.handlers.onClose?.('requested'))
    void asking.handlers.onMessage(ETH.status, status!)
    return asking
  }
  return { connect, head: chain.head.hash, pooledAsked: () => pooledAsked }
}

const headers = (id: number) =>
  encodeGetBlockHeaders({ id: BigInt(id), what: { from: 0n, count: 512n, skip: 0n, isReverse: false } })

test('a burst of requests does not block the thread, and another peer is answered meanwhile', async (t) => {
  const { connect } = await server(t)
  const [greedy, honest] = [connect(), connect()]
  for (let id = 0; id < 250; id++) void greedy.handlers.onMessage(ETH.getBlockHeaders, headers(id))
  for (let round = 1; round <= 5; round++) {
    void honest.handlers.onMessage(ETH.getBlockHeaders, headers(round))
    while (honest.sent.length < round) await nextTurn()
  }
  assert.ok(greedy.sent.length < 30, `${greedy.sent.length} answers were made meanwhile`)
})

for (const { code, name, message } of [
  { code: ETH.getBlockHeaders, name: 'headers', message: () => headers(1) },
  ...(['getBlockBodies', 'getReceipts', 'getPooledTransactions'] as const).map((name) => ({
    code: ETH[name],
    name,
    message: (hash: Parameters<typeof encodeAskedHashes>[0]['what'][number]) =>
      encodeAskedHashes({ id: 1n, what: [hash] }),
  })),
]) {
  test(`an answer that cannot be sent is not computed: ${name}`, async (t) => {
    const { connect, head, pooledAsked } = await server(t)
    const peer = connect()
    const before = peer.sent.length
    for (let at = 0; at < 5; at++) void peer.handlers.onMessage(code, message(head))
    while (peer.sent.length === before) await nextTurn()
    peer.room.hasRoom = false
    const made = peer.sent.length
    for (let at = 0; at < 200; at++) await nextTurn()
    // One answer may have been running.
    assert.ok(peer.sent.length <= made + 1, `${peer.sent.length} answers were made`)
    assert.ok(pooledAsked() <= made + 1)
  })
}

test('a peer that requests blocks without waiting is disconnected, and its requests for transactions are dropped', async (t) => {
  const { connect, head } = await server(t)
  const peer = connect()
  peer.room.hasRoom = false
  const pooled = encodeAskedHashes({ id: 1n, what: [head] })
  let dropped = 0
  for (let id = 0; id < 300; id++) {
    const pending = peer.handlers.onMessage(ETH.getPooledTransactions, pooled)
    void Promise.resolve(pending).then(() => (dropped += 1))
  }
  await nextTurn()
  assert.equal(dropped, 300 - 256)
  assert.throws(
    () => peer.handlers.onMessage(ETH.getBlockHeaders, headers(1)),
    /INVALID_ETH_MESSAGE|without waiting for its answers/,
  )
})

test('a malformed request ends the connection in its turn, after earlier ones are answered', async (t) => {
  const { connect } = await server(t)
  const peer = connect()
  void peer.handlers.onMessage(ETH.getBlockHeaders, headers(1))
  await assert.rejects(async () => peer.handlers.onMessage(ETH.getBlockHeaders, Uint8Array.of(0xc0)))
  assert.deepEqual(peer.sent, [ETH.blockHeaders])
})
