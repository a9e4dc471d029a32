/**
 * Sends transfers to all nodes of a network at a steady rate. A sender that loses its node continues with
 * another one from its nonce in the chain, as a careful client does: it sends accepted transactions that were
 * not mined again, byte for byte.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openRpcClient, type RpcClient } from '../../support/rpc-client.ts'
import { type LoadSender, LoadSenders, nonceOf } from '../process/load-senders.ts'
import type { Member } from './member.ts'

const LANES = 8
const PAUSE_MS = 200
const MINED_MAX_MS = 120_000

interface Lane {
  readonly client: RpcClient
  readonly member: Member
}

export class NetworkLoad extends LoadSenders {
  #ending: AbortController | undefined
  #running: Promise<unknown> = Promise.resolve()

  start(members: readonly Member[], perSecond: number): void {
    const ending = new AbortController()
    this.#ending = ending
    const beganMs = performance.now()
    let sent = 0
    const lanes = Array.from({ length: LANES }, async (_, index) => {
      const senders = this.ofLane(index, LANES)
      let lane = await this.#enter(members, index, senders, ending.signal)
      for (let turn = 0; lane !== undefined && !ending.signal.aborted; turn++) {
        const dueMs = beganMs + (sent++ * 1_000) / perSecond
        await pause(Math.max(0, dueMs - performance.now()))
        if (await this.#sendTo(lane, senders[turn % senders.length]!)) continue
        lane.client.close()
        lane = await this.#enter(members, index, senders, ending.signal)
      }
      lane?.client.close()
    })
    this.#running = Promise.all(lanes)
  }

  async stop(): Promise<void> {
    this.#ending?.abort()
    await this.#running
  }

  /**
   * Waits until the chain has every accepted transaction, and sends transactions that were lost with a node
   * again.
   */
  async untilMined(members: readonly Member[]): Promise<void> {
    const beganMs = performance.now()
    for (let member = 0; !(await this.#isMined(members, member)); member++) {
      if (performance.now() - beganMs > MINED_MAX_MS)
        throw new Error('accepted transactions were not mined in time')
      await pause(PAUSE_MS)
    }
  }

  async #isMined(members: readonly Member[], turn: number): Promise<boolean> {
    const running = members.filter(({ isRunning }) => isRunning)
    const member = running[turn % running.length]!
    const lane = { member, client: openRpcClient(member.port, member.place.host) }
    let isMined = true
    try {
      for (const sender of this.all) {
        const mined = await nonceOf(lane.client, sender.address)
        if (mined >= sender.reached) continue
        isMined = false
        // Sends again only now and then, because most transactions are about to be mined.
        if (turn % 10 !== 9) continue
        for (sender.nonce = mined; sender.nonce < sender.reached; ) {
          if (!(await this.#sendTo(lane, sender))) return false
        }
      }
    } catch {
      return false
    } finally {
      lane.client.close()
    }
    return isMined
  }

  /**
   * Picks a running node and reads its senders' nonces from the chain. Returns undefined if the load has
   * ended.
   */
  async #enter(
    members: readonly Member[],
    index: number,
    senders: readonly LoadSender[],
    signal: AbortSignal,
  ): Promise<Lane | undefined> {
    for (let turn = index; !signal.aborted; turn++) {
      const member = members[turn % members.length]!
      if (member.isRunning) {
        const client = openRpcClient(member.port, member.place.host)
        try {
          for (const sender of senders) sender.nonce = await nonceOf(client, sender.address)
          return { member, client }
        } catch {
          client.close()
        }
      }
      await pause(PAUSE_MS)
    }
    return undefined
  }

  /** Returns false if the node is gone. */
  async #sendTo({ client, member }: Lane, sender: LoadSender): Promise<boolean> {
    try {
      return (await this.send(client, sender, `${member.name}: `)) && member.isRunning
    } catch {
      return false
    }
  }
}
