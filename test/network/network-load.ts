/**
 * Transfers to all nodes of a network at a steady rate. A sender that loses its node goes on with another, from what the chain
 * knows of it, as a careful user does: what was taken and not mined is sent again, byte for byte.
 */
import { type Address, parseAddress } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/transaction-encode.ts'
import { openRpcClient, type RpcClient } from '../process/rpc-client.ts'
import type { Member } from './member.ts'

const CHAIN_ID = 1337n
const RECEIVER = parseAddress('77'.repeat(20))
const GAS_PRICE_WEI = 10_000_000_000n
const BALANCE_WEI = 10n ** 24n
const KNOWN = 'Known transaction'
const NONCE_TOO_LOW = -32001
const LANES = 8
const PAUSE_MS = 200
const MINED_MAX_MS = 120_000

interface Sender {
  readonly key: Uint8Array
  readonly address: Address
  nonce: bigint
  /** Behind the last one that was ever taken. */
  reached: bigint
}

interface Lane {
  readonly client: RpcClient
  readonly member: Member
}

export class NetworkLoad {
  /** Hashes of transactions that a pool took. */
  readonly accepted = new Set<string>()
  /** What was answered otherwise, and not because the node had ended. */
  readonly refusals: string[] = []
  readonly #senders: readonly Sender[]
  #ending: AbortController | undefined
  #running: Promise<unknown> = Promise.resolve()

  constructor(senders: number) {
    this.#senders = Array.from({ length: senders }, (_, index) => {
      const key = new Uint8Array(32).fill(3)
      new DataView(key.buffer).setUint32(0, index + 1)
      const address = addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))
      return { key, address, nonce: 0n, reached: 0n }
    })
  }

  /** For the genesis file. */
  alloc(): Record<string, object> {
    const rich = { balance: `0x${BALANCE_WEI.toString(16)}` }
    return Object.fromEntries(this.#senders.map(({ address }) => [address, rich]))
  }

  start(members: readonly Member[], perSecond: number): void {
    const ending = new AbortController()
    this.#ending = ending
    const beganMs = performance.now()
    let sent = 0
    const lanes = Array.from({ length: LANES }, async (_, index) => {
      const senders = this.#senders.filter((_sender, at) => at % LANES === index)
      let lane = await this.#enter(members, index, senders, ending.signal)
      for (let turn = 0; lane !== undefined && !ending.signal.aborted; turn++) {
        const dueMs = beganMs + (sent++ * 1_000) / perSecond
        await pause(Math.max(0, dueMs - performance.now()))
        if (await this.#send(lane, senders[turn % senders.length]!)) continue
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

  /** Until the chain has every transaction that was taken; what got lost with a node is sent again. */
  async untilMined(members: readonly Member[]): Promise<void> {
    const beganMs = performance.now()
    for (let member = 0; !(await this.#isMined(members, member)); member++) {
      if (performance.now() - beganMs > MINED_MAX_MS) throw new Error('what was sent is not mined')
      await pause(PAUSE_MS)
    }
  }

  async #isMined(members: readonly Member[], turn: number): Promise<boolean> {
    const running = members.filter(({ isRunning }) => isRunning)
    const member = running[turn % running.length]!
    const lane = { member, client: openRpcClient(member.port, member.place.host) }
    let isMined = true
    try {
      for (const sender of this.#senders) {
        const mined = await nonceOf(lane.client, sender.address)
        if (mined >= sender.reached) continue
        isMined = false
        // Now and then: most of them are on their way.
        if (turn % 10 !== 9) continue
        for (sender.nonce = mined; sender.nonce < sender.reached; ) {
          if (!(await this.#send(lane, sender))) return false
        }
      }
    } catch {
      return false
    } finally {
      lane.client.close()
    }
    return isMined
  }

  /** A node that runs, and where the chain says that its senders stand; undefined: the load has ended. */
  async #enter(
    members: readonly Member[],
    index: number,
    senders: readonly Sender[],
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

  /** False: the node is gone. */
  async #send({ client, member }: Lane, sender: Sender): Promise<boolean> {
    const { nonce } = sender
    const { encoded, hash } = signTransaction(
      {
        type: 0,
        chainId: CHAIN_ID,
        nonce,
        to: RECEIVER,
        data: new Uint8Array(0),
        gasPrice: GAS_PRICE_WEI,
        gasLimit: 21_000n,
        value: 1n,
      },
      sender.key,
    )
    try {
      const answer = await client.call('eth_sendRawTransaction', formatData(encoded))
      if (answer.result === hash || answer.error?.message === KNOWN) {
        this.accepted.add(hash)
        sender.nonce++
        if (sender.nonce > sender.reached) sender.reached = sender.nonce
      } else if (answer.error?.code === NONCE_TOO_LOW) {
        sender.nonce = await nonceOf(client, sender.address)
      } else this.refusals.push(`${member.name}: ${JSON.stringify(answer.error)}`)
    } catch {
      return false
    }
    return member.isRunning
  }
}

async function nonceOf(client: RpcClient, address: Address): Promise<bigint> {
  return BigInt((await client.call('eth_getTransactionCount', address, 'latest')).result as string)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
