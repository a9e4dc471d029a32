/** A log, called an event in Solidity. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { type Hash, hashFromRlp, hashToBytes } from '#types/hash.ts'
import { bytesFromRlp, listFromRlp, type RlpItem } from '#types/rlp.ts'

export interface Log {
  readonly address: Address
  /** At most four. */
  readonly topics: readonly Hash[]
  readonly data: Uint8Array
}

export function logToRlp({ address, topics, data }: Log): RlpItem {
  return [addressToBytes(address), topics.map(hashToBytes), data]
}

export function logFromRlp(item: RlpItem): Log {
  const [address, topics, data] = listFromRlp(item, 3)
  return {
    address: addressFromRlp(address),
    topics: listFromRlp(topics).map(hashFromRlp),
    data: bytesFromRlp(data),
  }
}
