/**
 * Sends transfers to a running node at a steady rate and remembers the acknowledged ones, also across restarts of the
 * node.
 */
import { LoadSenders, nonceOf } from '../acceptance/process/load-senders.ts'
import { openRpcClient } from './rpc-client.ts'

const CONNECTIONS = 8

export interface LoadPlan {
  readonly perSecond: number
  /** Ends the load; pending transfers are awaited. */
  readonly signal: AbortSignal
}

export class TransferLoad extends LoadSenders {
  /** Continues from the chain of a node: transfers that it has not mined are sent again. */
  async resume(port: number): Promise<void> {
    const client = openRpcClient(port)
    for (const sender of this.all) sender.nonce = await nonceOf(client, sender.address)
    client.close()
  }

  /** Ends with the signal, or when the node ends. */
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

  /** True if the chain contains every accepted transaction. */
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
