import { RecordReader } from '#evm/trace/record-reader.ts'
import type { FrameEntered } from '#evm/trace/record-visitor.ts'
import { NO_WANTS, type TraceRequest } from '#evm/trace/records.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import type { Log } from '#types/block/log.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'

/** The address under which transfers of ether are logged: no account has it. */
const ETHER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address
/** Transfer(address,address,uint256), as tokens log it. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' as Hash

export interface NumberedLog {
  readonly log: Log
  /** Its place among all that the call made, those taken back included. */
  readonly index: number
}

/** Watches a call for transfers of ether, and tells them as logs between those that contracts made. */
export class TransferLogs {
  readonly logs: NumberedLog[] = []
  /** Made so far, those taken back included. */
  count = 0
  /** How many logs there were when each open frame began. */
  readonly #starts: number[] = []
  readonly #reader = new RecordReader({
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
  })
  readonly request: TraceRequest = {
    wants: { ...NO_WANTS, logs: true },
    onRecords: (chunk) => this.#reader.read(chunk),
  }

  #transfer(from: Address, to: Address, wei: bigint): void {
    const topics = [TRANSFER, addressTopic(from), addressTopic(to)]
    this.#add({ address: ETHER, topics, data: bigintToBytes(wei, 32) })
  }

  #add(log: Log): void {
    this.logs.push({ log, index: this.count++ })
  }
}

/** A delegatecall shows the value of the call around it and moves nothing. */
function movesEther({ type, from, to, value }: FrameEntered): boolean {
  return value > 0n && type !== 'delegatecall' && type !== 'callcode' && from !== to
}

function addressTopic(address: Address): Hash {
  return `0x${address.slice(2).padStart(64, '0')}` as Hash
}
