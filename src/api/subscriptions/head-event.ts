import { keptBlockText } from '#api/present/block-text.ts'
import { keptLogText, logText } from '#api/present/log-text.ts'
import { presentReceipts } from '#api/present/receipt.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { FoundLog } from '#chain/read/logs.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import type { HeadStep } from './head-step.ts'

const ANY_LOG = { addresses: [], topics: [] }

/** What subscribers may want to know of a block that joined or left the chain, read once for all of them. */
export class HeadEvent {
  readonly kind: HeadStep['kind']
  readonly #chain: ChainView
  readonly #hash: Hash
  #logs: readonly FoundLog[] | undefined
  #receipts: readonly ReceiptText[] | undefined

  constructor(chain: ChainView, { kind, block: { hash } }: HeadStep) {
    this.kind = kind
    this.#chain = chain
    this.#hash = hash
  }

  logs(): readonly FoundLog[] {
    this.#logs ??= this.#chain.lookup.logsOf(this.#hash, ANY_LOG)
    return this.#logs
  }

  logText(found: FoundLog): string {
    return this.kind === 'removed' ? logText(found, true) : keptLogText(found)
  }

  blockText(isFull: boolean): string {
    const known = this.#chain.lookup.block(this.#hash)
    assert(known !== undefined, 'A block with a header has a body.')
    return keptBlockText(this.#chain, known, isFull)
  }

  receipts(): readonly ReceiptText[] {
    this.#receipts ??= this.#readReceipts()
    return this.#receipts
  }

  #readReceipts(): readonly ReceiptText[] {
    const { lookup } = this.#chain
    const [known, receipts] = [lookup.block(this.#hash), lookup.receipts(this.#hash)]
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
