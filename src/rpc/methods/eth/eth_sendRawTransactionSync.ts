import { number } from 'zod'
import { systemClock } from '#platform/clock.ts'
import { requireAdmitted } from '#rpc/calls/admission-fault.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { presentReceiptOf } from '#rpc/present/receipt.ts'
import type { HeadsSource } from '#rpc/resources.ts'
import { RawTransaction, requireBytes } from '#rpc/schema/pool/raw-transaction.ts'
import { ReceiptResult } from '#rpc/schema/receipt.ts'

const DEFAULT_TIMEOUT_MS = 20_000
/** Below the time that a request has, whatever a client asks for. */
const MAX_TIMEOUT_MS = 60_000

const Timeout = new Param<number>(
  number().int().positive().meta({ title: 'waiting time', description: 'milliseconds' }),
  'INVALID_PARAMS',
)

export default defineMethod({
  name: 'eth_sendRawTransactionSync',
  summary:
    'Hands a signed transaction to the pool and answers with its receipt as soon as it is in a block (EIP-7966).',
  needs: ['intake', 'chain', 'heads'],
  cost: 'medium',
  params: { transaction: RawTransaction, timeoutMs: Timeout.default(DEFAULT_TIMEOUT_MS) },
  result: ReceiptResult,
  run: async ({ intake, chain, heads }, { transaction, timeoutMs }, { signal }) => {
    const waiting = new HeadsUntil(heads, Math.min(timeoutMs, MAX_TIMEOUT_MS), signal)
    try {
      const hash = requireAdmitted(await intake.submit(requireBytes(transaction)))
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

/** Tells of heads until the time is up. One that comes while nobody waits is not missed. */
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

  /** false: the time is up. */
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
