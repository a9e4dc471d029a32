/**
 * Logs the transactions of the development network: a line for each, its `console.log` output, and the call tree of a
 * failed one if the artifacts of the contracts are known.
 */
import { Artifacts } from '#abi/artifacts.ts'
import { CONSOLE_ADDRESS } from '#abi/console-log.ts'
import { SELECTOR_BYTES } from '#abi/contract-abi.ts'
import { CallExplainer } from '#abi/explain-call.ts'
import { plainText, renderCalls } from '#abi/render-calls.ts'
import type { StoredReceipt } from '#chain/block/stored-receipts.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { countIncluded, type HeadChange } from '#chain/write/head-change.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import type { Log } from '#platform/log/log.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { printableLine } from '#types/printable.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { consoleLines, MAX_LINES, relayLines } from './console-lines.ts'
import { tracedCall } from './traced-call.ts'

/** Main reads and logs transactions, so larger blocks get one line. */
const MAX_LOGGED = 32

/** Logs the outcome of each transaction: developers look for the failed one. */
export class TransactionLog {
  readonly #chain: Pick<ChainView, 'lookup' | 'stateAt'>
  readonly #log: Log
  readonly #console: Log
  readonly #calls: Log
  readonly #artifacts: Artifacts | undefined

  constructor(chain: Pick<ChainView, 'lookup' | 'stateAt'>, log: Log, artifactsFolder: string | undefined) {
    this.#chain = chain
    this.#log = log
    this.#console = log.child('console')
    this.#calls = log.child('calls')
    this.#artifacts = artifactsFolder === undefined ? undefined : new Artifacts(artifactsFolder)
  }

  announce({ added }: Pick<HeadChange, 'added'>): void {
    // An embedded node logs warnings only, and main reads no block for lines that no one sees.
    if (![this.#log, this.#console, this.#calls].some((log) => log.isEnabled('INFO'))) return
    for (const { number, hash, included } of added) {
      if (included?.length === 0) continue
      if (included !== undefined && countIncluded(included) <= MAX_LOGGED) this.#logEach(hash)
      else this.#log.info('Block with many transactions included', { number, hash })
    }
  }

  #logEach(hash: Hash): void {
    const { lookup } = this.#chain
    const [known, receipts] = [lookup.block(hash), lookup.receipts(hash)]
    if (known === undefined || receipts === undefined) return
    if (receipts.some(({ outcome }) => outcome === 0)) this.#artifacts?.refresh()
    const messages = consoleMessages(lookup, hash)
    const explainer = new CallExplainer(this.#artifacts ?? new Artifacts(), (address) =>
      this.#codeAt(known, address),
    )
    let gasBefore = 0n
    for (const [index, transaction] of known.block.transactions.entries()) {
      const receipt = receipts[index]!
      const gasUsed = receipt.cumulativeGasUsed - gasBefore
      gasBefore = receipt.cumulativeGasUsed
      this.#logOutcome(known, transaction, receipt, gasUsed, explainer)
      relayLines(this.#console, messages.get(index) ?? [])
      if (receipt.outcome !== 0 || this.#artifacts === undefined) continue
      const tree = tracedCall(lookup.callTreesAt(hash, [index])?.get(index)?.frames ?? [], gasUsed)
      if (tree === undefined) continue
      relayLines(this.#calls, renderCalls(tree, explainer, { maxLines: MAX_LINES }).map(plainText))
    }
  }

  #logOutcome(
    { block: { header } }: KnownBlock,
    transaction: Transaction,
    { outcome, revertReason, sender }: StoredReceipt,
    gasUsed: bigint,
    explainer: CallExplainer,
  ): void {
    this.#log.info('Transaction included', {
      status: outcome === 0 ? 'failed' : 'success',
      hash: transaction.hash,
      from: sender,
      to: transaction.to ?? 'new contract',
      method: methodOf(transaction),
      gasUsed: Number(gasUsed),
      block: Number(header.number),
      ...(outcome === 0 && { reason: reasonOf(revertReason, explainer) }),
    })
  }

  /** After a rewind the state of the block is gone; its contracts then have no names. */
  #codeAt({ hash, block: { header } }: KnownBlock, address: Address): Uint8Array | undefined {
    try {
      const state = this.#chain.stateAt(Number(header.number), hash)
      const account = state.account(addressToBytes(address))
      return account && state.code(account.codeHash)
    } catch (error) {
      if (error instanceof Fault && error.kind === 'STATE_UNAVAILABLE') return undefined
      throw error
    }
  }
}

/** The lines of `console.log` by position of the transaction, also those of calls that were reverted later. */
export function consoleMessages(
  lookup: Pick<ChainView['lookup'], 'callTreesNaming'>,
  block: Hash,
): ReadonlyMap<number, readonly string[]> {
  const trees = lookup.callTreesNaming(block, CONSOLE_ADDRESS) ?? []
  return new Map(trees.map(({ frames }, index) => [index, consoleLines(frames)]))
}

/** The selector of the called function. */
function methodOf({ to, data }: Transaction): string {
  if (to === null) return 'creation'
  return data.length < SELECTOR_BYTES ? 'transfer' : formatData(data.subarray(0, SELECTOR_BYTES))
}

/** Without revert data, the gas ran out or an instruction was invalid. */
function reasonOf(data: Uint8Array | undefined, explainer: CallExplainer): string {
  if (data === undefined) return 'out of gas or an invalid instruction'
  return printableLine(decodeRevertReason(data) ?? explainer.revert(data))
}
