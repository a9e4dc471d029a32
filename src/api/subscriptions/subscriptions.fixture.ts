/** Subscriptions over a chain in memory, and clients that keep what they are told. */

import { CONTRACTS } from '#api/contracts.ts'
import {
  call,
  extend,
  LOGGER,
  openTestChain,
  RICH,
  SOMEBODY,
  silentLog,
  testGenesis,
} from '#chain/chain.fixture.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { Notifier } from '#jsonrpc/dispatch/notifier.ts'
import { SubscriptionSlots, shareSubscriptions } from '#jsonrpc/subscriptions/subscription-slots.ts'
import { systemClock } from '#platform/clock.ts'
import { askDirectly } from '#platform/contract.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { createSignal } from '#platform/signal.ts'
import type { PendingTransaction } from '#pool/contract.ts'
import { joined } from '#serve/answer-text.ts'
import { addressToBytes } from '#types/address.ts'
import { keccak256 } from '#types/keccak.ts'
import { markOf } from './head-step.ts'
import { createEthSubscriptions } from './subscription-sources.ts'

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire
export type Told = any

export class TestClient {
  readonly told: Told[] = []
  isBehind = false
  hasOverflowed = false
  readonly connection = new Notifier({
    send: (text) => void this.told.push(JSON.parse(joined(text)).params),
    onOverflow: () => {
      this.hasOverflowed = true
    },
    isBehind: () => this.isBehind,
  })

  /** What one subscription was told. */
  of(id: string): Told[] {
    return this.told.filter(({ subscription }) => subscription === id).map(({ result }) => result)
  }
}

export async function openSubscriptions(max = 100_000) {
  const chain = await openTestChain()
  const view = createChainView({ store: chain.store, genesis: testGenesis(), keccak: keccak256 })
  const added = createSignal<readonly PendingTransaction[]>((error) => {
    throw error
  })
  const dropped = createSignal<readonly PendingTransaction[]>((error) => {
    throw error
  })
  const tables = { pool: { added: CONTRACTS.pool.added, dropped: CONTRACTS.pool.dropped } }
  const shared = shareSubscriptions(1)
  const counts = { opened: 0, ended: 0 }
  const subscriptions = createEthSubscriptions({
    chain: view,
    heads: { onMoved: (listener) => chain.headMoved.subscribe(() => listener(markOf(view.head()))) },
    pool: askDirectly(tables, { pool: { added, dropped } }).pool,
    slots: new SubscriptionSlots({ max, shared, server: 0 }),
    metrics: { onOpened: () => void counts.opened++, onEnded: () => void counts.ended++ },
    clock: systemClock,
    log: silentLog,
  })
  return { chain, view, subscriptions, added, dropped, shared, counts }
}

/** A block with so many transactions that log, and one that does not. */
export async function addBlock(chain: Chain, view: ChainView, logs: number): Promise<void> {
  const { hash, header } = view.storedHead()
  const nonce = Number(view.stateAt(Number(header.number), hash).account(addressToBytes(RICH))?.nonce ?? 0)
  const logging = Array.from({ length: logs }, (_, index) => call(nonce + index, LOGGER))
  await extend(chain, [...logging, call(nonce + logs, SOMEBODY)])
}

export async function settle(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn()
}
