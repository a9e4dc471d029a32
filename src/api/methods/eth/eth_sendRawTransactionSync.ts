import { number } from 'zod'
import { RawTransaction, submit } from '#api/calls/submit-transaction.ts'
import { defineMethod } from '#api/define-method.ts'
import { presentReceiptOf } from '#api/present/receipt.ts'
import type { HeadsSource } from '#api/resources.ts'
import { ReceiptResult } from '#api/schema/results.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { systemClock } from '#platform/clock.ts'

const DEFAULT_TIMEOUT_MS = 20_000

/** Less than the time of a request. */
const MAX_TIMEOUT_MS = 60_000

const Timeout = new Param<number>(
  number().int().positive().meta({ title: 'waiting time', description: 'milliseconds' }),
  'INVALID_PARAMS',
)

/** Waits for heads until the time is up. A head that arrives between two waits is not missed. */
class HeadsUntil {
  readonly #ends: (() => void)[]
  #isOver = false
  #hasMoved = false
  #wake: () => void = () => {}

  constructor(heads: HeadsSource, timeoutMs: number, signal: AbortSignal) {
    const over = (): void => {
      this.#isOver = true
      this.#wake()
    }
    const timer = systemClock.after(timeoutMs, over)
    const left = heads.onMoved(() => {
      this.#hasMoved = true
      this.#wake()
    })
    signal.addEventListener('abort', over, { once: true })
    this.#ends = [() => timer.cancel(), left, () => signal.removeEventListener('abort', over)]
  }

  /** Resolves with false if the time is up. */
  async next(): Promise<boolean> {
    if (!this.#hasMoved && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const hasMoved = this.#hasMoved
    this.#hasMoved = false
    return hasMoved || !this.#isOver
  }

  end(): void {
    for (const end of this.#ends) end()
  }
}

export default defineMethod({
  name: 'eth_sendRawTransactionSync',
  summary: 'Sends a signed transaction and returns its receipt once it is in a block (EIP-7966).',
  needs: ['intake', 'chain', 'heads'],
  cost: 'medium',
  params: { transaction: RawTransaction, timeoutMs: Timeout.default(DEFAULT_TIMEOUT_MS) },
  result: ReceiptResult,
  run: async ({ intake, chain, heads }, { transaction, timeoutMs }, { signal }) => {
    const waiting = new HeadsUntil(heads, Math.min(timeoutMs, MAX_TIMEOUT_MS), signal)
    try {
      const hash = await submit(intake, transaction)
      for (;;) {
        const receipt = presentReceiptOf(chain, hash)
        if (receipt !== undefined) return receipt
        if (!(await waiting.next())) throw rpcFault('TRANSACTION_NOT_PROCESSED_IN_TIME', { data: hash })
      }
    } finally {
      waiting.end()
    }
  },
})
