import type { RpcThreads } from '#api/threads/rpc-threads.ts'
import type { RunningChain } from '#chain/start-chain.ts'
import type { DEV } from '#consensus/dev/contract.ts'
import type { DevNetwork } from '#consensus/dev/dev-room.ts'
import type { Clock } from '#platform/clock.ts'
import type { OwnerOf } from '#platform/contract.ts'
import type { Later } from '#platform/room.ts'
import type { Settled } from '#pool/contract.ts'
import type { TransactionPool } from '#pool/transaction-pool.ts'

/** Longer than the time for a block (--block-txs-selection-max-time), shorter than the time of a request. */
const MAX_WAIT_MS = 10_000

interface DevChain {
  readonly dev: Later<DevNetwork>
  readonly rpc: Later<Pick<RpcThreads, 'announced' | 'setCallLogging'>>
  readonly chain: Pick<RunningChain, 'head'>
  readonly clock: Pick<Clock, 'after'>
}

/**
 * Delays the answer to a sender until its transaction is in a block that every server thread knows: tools for development
 * chains ask for the receipt once, directly after they sent the transaction.
 */
export function settleOnDevChain({ dev, rpc, chain, clock }: DevChain): Settled {
  const settle = async (isWaiting: () => boolean): Promise<void> => {
    const { settled } = await dev.arrived
    await settled(isWaiting)
    await rpc.now?.announced(chain.head)
  }
  return async (isWaiting) => {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(MAX_WAIT_MS, resolve)
    try {
      await Promise.race([settle(isWaiting), late])
    } finally {
      timer.cancel()
    }
  }
}

/** Implements the contract for methods. */
export function createLiveDev({
  dev,
  rpc,
  chain,
  pool,
}: Omit<DevChain, 'clock'> & { readonly pool: TransactionPool }): OwnerOf<typeof DEV> {
  /** Answers when every server knows the new head. */
  const announced = async <Result>(work: Promise<Result>): Promise<Result> => {
    const result = await work
    await rpc.now?.announced(chain.head)
    return result
  }
  /** A transaction that is completed before a rewind and sent after it would wait for a nonce that is gone. */
  const betweenTransactions = async <Result>(rewind: () => Promise<Result>): Promise<Result> => {
    const { turns } = dev.get()
    const turn = await turns.take()
    try {
      return await announced(rewind())
    } finally {
      turns.end(turn)
    }
  }
  return {
    automines: () => dev.get().automines(),
    setAutomine: (isOn) => dev.get().setAutomine(isOn),
    increaseTime: (seconds) => dev.get().increaseTime(seconds),
    setNextTimestamp: (timestamp) => dev.get().setNextTimestamp(timestamp),
    setPeriod: (seconds) => dev.get().setPeriod(seconds),
    setTimestampInterval: (seconds) => dev.get().setTimestampInterval(seconds),
    setCoinbase: (coinbase) => dev.get().setCoinbase(coinbase),
    setNextBlock: (fields) => dev.get().setNextBlock(fields),
    nextBlock: () => dev.get().nextBlock(),
    setMinGasPrice: (wei) => dev.get().setMinGasPrice(wei),
    setLogging: (isOn) => {
      dev.get().setLogging(isOn)
      rpc.now?.setCallLogging(isOn)
    },
    setImpersonation: (address, isOn) => dev.get().impersonation.set(address, isOn),
    impersonates: (address) => dev.get().impersonation.has(address),
    instanceId: () => dev.get().instanceId,
    takeTurn: async () => {
      const turn = await dev.get().turns.take()
      return { turn, next: dev.get().nextBlock() }
    },
    endTurn: (turn) => dev.get().turns.end(turn),
    drop: (hash) => pool.discard([hash]) > 0,
    dropAll: () => pool.discardAll(),
    reset: () =>
      betweenTransactions(async () => {
        pool.discardAll()
        rpc.now?.setCallLogging(true)
        await dev.get().reset()
      }),
    mine: (request) => announced(dev.get().mine(request)),
    edit: (edits) => announced(dev.get().edit(edits)),
    snapshot: () => dev.get().snapshot(),
    revert: (id) => betweenTransactions(() => dev.get().revert(id)),
  }
}
