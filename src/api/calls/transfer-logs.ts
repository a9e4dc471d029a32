import { NO_WANTS } from '#evm/trace/events.ts'
import { requestOf } from '#evm/trace/shape.ts'
import type { FrameEntered } from '#evm/trace/trace-visitor.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import type { Log } from '#types/block/log.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'

/** The address that logs transfers of ether; no account has it. */
const ETHER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address
/** Transfer(address,address,uint256), as tokens log it. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' as Hash

export interface NumberedLog {
  readonly log: Log
  /** The index among all logs of the call, reverted ones included. */
  readonly index: number
}

/** Records transfers of ether in a call as logs, in order with the logs of contracts. */
export class TransferLogs {
  readonly logs: NumberedLog[] = []
  /** Includes reverted logs. */
  count = 0
  /** The number of logs when each open call frame began. */
  readonly #starts: number[] = []
  readonly request = requestOf({
    wants: { ...NO_WANTS, logs: true },
    visitor: {
      enter: (frame) => {
        this.#starts.push(this.logs.length)
        if (movesEther(frame)) this.#transfer(frame.from, frame.to, frame.value)
      },
      exit: ({ error }) => {
        const start = this.#starts.pop()!
        if (error !== 'none' && error !== 'codeNotPaid') this.logs.length = start
      },
      selfdestruct: (from, to, balanceWei) => {
        if (balanceWei > 0n) this.#transfer(from, to, balanceWei)
      },
      log: (address, topics, data) =>
        this.#add({
          address: addressFromBytes(address),
          topics: topics.map(hashFromBytes),
          data: data.slice(),
        }),
    },
  })

  #transfer(from: Address, to: Address, wei: bigint): void {
    const topics = [TRANSFER, addressTopic(from), addressTopic(to)]
    this.#add({ address: ETHER, topics, data: bigintToBytes(wei, 32) })
  }

  #add(log: Log): void {
    this.logs.push({ log, index: this.count++ })
  }
}

/** A delegatecall shows the value of the surrounding call and moves nothing. */
function movesEther({ type, from, to, value }: FrameEntered): boolean {
  return value > 0n && type !== 'delegatecall' && type !== 'callcode' && from !== to
}

function addressTopic(address: Address): Hash {
  return `0x${address.slice(2).padStart(64, '0')}` as Hash
}
