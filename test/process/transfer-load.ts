/** Transfers to a running node at a steady rate: what was acknowledged is remembered, also over the end of a node. */
import { LoadSenders, nonceOf } from './load-senders.ts'
import { openRpcClient } from './rpc-client.ts'

const CONNECTIONS = 8

export interface LoadPlan {
  readonly perSecond: number
  /** Ends the load; what is under way is waited for. */
  readonly signal: AbortSignal
}

export class TransferLoad extends LoadSenders {
  /** Goes on from what the chain of a node knows: what it had not mined is sent again. */
  async resume(port: number): Promise<void> {
    const client = openRpcClient(port)
    for (const sender of this.all) sender.nonce = await nonceOf(client, sender.address)
    client.close()
  }

  /** Ends by the signal, or because the node ended. */
  async run(port: number, { perSecond, signal }: LoadPlan): Promise<void> {
    const beganMs = performance.now()
    let sent = 0
    const lanes = Array.from({ length: CONNECTIONS }, async (_, lane) => {
      const client = openRpcClient(port)
      const senders = this.ofLane(lane, CONNECTIONS)
      for (let turn = 0; !signal.aborted; turn++) {
        const dueMs = beganMs + (sent++ * 1_000) / perSecond
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
        if (!(await this.send(client, senders[turn % senders.length]!))) break
      }
      client.close()
    })
    await Promise.all(lanes)
  }

  /** Whether the chain has every transaction that was taken. */
  async isMined(port: number): Promise<boolean> {
    const client = openRpcClient(port)
    try {
      for (const { address, reached } of this.all) {
        if ((await nonceOf(client, address)) < reached) return false
      }
      return true
    } finally {
      client.close()
    }
  }
}
