/** What a block is for those who subscribed, as JSON text: read and made once for all of them. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { type FoundLog, matcherOf } from '#chain/read/logs.ts'
import { isInRange } from '#rpc/filters/filter-changes.ts'
import { keptBlockText } from '#rpc/present/block-text.ts'
import { keptLogText, logText } from '#rpc/present/log-text.ts'
import { presentReceipts } from '#rpc/present/receipt.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import type { HeadStep } from './head-step.ts'
import type { Subscription } from './subscription.ts'
import type { SubscriptionRequest } from './subscription-request.ts'

const ANY_LOG = { addresses: [], topics: [] }

export class BlockTeller {
  readonly #chain: ChainView

  constructor(chain: ChainView) {
    this.#chain = chain
  }

  /** Of a block that left the chain only its logs are news: who hears of blocks sees by the next that it is gone. */
  prepare({ kind, block }: HeadStep): (subscription: Subscription) => void {
    const logs = once(() => this.#logsOf(block))
    if (kind === 'removed') return (subscription) => tellLogs(subscription, logs, removedText)
    const receipts = once(() => this.#receiptsOf(block))
    return (subscription) => {
      const { request } = subscription
      if (request.kind === 'logs') tellLogs(subscription, logs, keptLogText)
      if (request.kind === 'newHeads') subscription.tell(this.#blockText(block.hash, request.isFull))
      if (request.kind === 'transactionReceipts') tellReceipts(subscription, request, receipts)
    }
  }

  #blockText(hash: Hash, isFull: boolean): string {
    const known = this.#chain.lookup.block(hash)
    assert(known !== undefined, 'A block with a header has a body.')
    return keptBlockText(this.#chain, known, isFull)
  }

  #logsOf({ hash }: KnownHeader): readonly FoundLog[] {
    return this.#chain.lookup.logsOf(hash, ANY_LOG)
  }

  #receiptsOf({ hash }: KnownHeader): readonly ReceiptText[] {
    const { lookup } = this.#chain
    const [known, receipts] = [lookup.block(hash), lookup.receipts(hash)]
    assert(known !== undefined && receipts !== undefined, 'A block of the chain was executed.')
    return presentReceipts(this.#chain, known, receipts).map((receipt) => ({
      hash: receipt.transactionHash,
      text: JSON.stringify(receipt),
    }))
  }
}

interface ReceiptText {
  readonly hash: Hash
  readonly text: string
}

function tellLogs(
  subscription: Subscription,
  logs: () => readonly FoundLog[],
  textOf: (log: FoundLog) => string,
): void {
  const { request } = subscription
  if (request.kind !== 'logs') return
  const matches = matcherOf(request.query)
  for (const found of logs()) {
    if (matches(found.log) && isInRange(found.block, request.query)) subscription.tell(textOf(found))
  }
}

function removedText(found: FoundLog): string {
  return logText(found, true)
}

/** Nothing is told of a block without such transactions. */
function tellReceipts(
  subscription: Subscription,
  { hashes }: SubscriptionRequest & { readonly kind: 'transactionReceipts' },
  receipts: () => readonly ReceiptText[],
): void {
  const wanted = receipts().filter(({ hash }) => hashes === undefined || hashes.has(hash))
  if (wanted.length > 0) subscription.tell(`[${wanted.map(({ text }) => text).join()}]`)
}

function once<Value extends NonNullable<unknown>>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
