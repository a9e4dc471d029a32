import { keptBlockText } from '#api/present/block-text.ts'
import { keptLogText, logText } from '#api/present/log-text.ts'
import { presentReceipts } from '#api/present/receipt.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { FoundLog, LogPattern } from '#chain/read/logs.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import { BlockLogs } from './block-logs.ts'
import type { HeadStep } from './head-step.ts'

const ANY_LOG = { addresses: [], topics: [] }

/** What subscribers may want to know of a block that joined or left the chain, read once for all of them. */
export class HeadEvent {
  readonly kind: HeadStep['kind']
  readonly #chain: ChainView
  readonly #hash: Hash
  /** Every subscriber gets the same string, so it is in memory once however many read slowly. */
  readonly #logTexts = new Map<FoundLog, string>()
  #logs: BlockLogs | undefined
  #receipts: readonly ReceiptText[] | undefined
  #receiptsText: string | undefined

  constructor(chain: ChainView, { kind, block: { hash } }: HeadStep) {
    this.kind = kind
    this.#chain = chain
    this.#hash = hash
  }

  logs(pattern: LogPattern): readonly FoundLog[] {
    this.#logs ??= new BlockLogs(this.#chain.lookup.logsOf(this.#hash, ANY_LOG))
    return this.#logs.matching(pattern)
  }

  logText(found: FoundLog): string {
    const known = this.#logTexts.get(found)
    if (known !== undefined) return known
    const text = this.kind === 'removed' ? logText(found, true) : keptLogText(found)
    this.#logTexts.set(found, text)
    return text
  }

  blockText(isFull: boolean): string {
    const known = this.#chain.lookup.block(this.#hash)
    assert(known !== undefined, 'A block with a header has a body.')
    return keptBlockText(this.#chain, known, isFull)
  }

  /** The receipts of these transactions, or all without `hashes`. Undefined if the block has none of them. */
  receiptsText(hashes: ReadonlySet<Hash> | undefined): string | undefined {
    this.#receipts ??= this.#readReceipts()
    if (hashes !== undefined) return textOf(this.#receipts.filter(({ hash }) => hashes.has(hash)))
    this.#receiptsText ??= textOf(this.#receipts)
    return this.#receiptsText
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

function textOf(receipts: readonly ReceiptText[]): string | undefined {
  return receipts.length === 0 ? undefined : `[${receipts.map(({ text }) => text).join()}]`
}
