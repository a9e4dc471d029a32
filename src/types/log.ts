/** What a contract says while it runs, for those outside. */
import { ADDRESS_BYTES, type Address, addressFromBytes, addressToBytes } from './address.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from './hash.ts'
import { bytesFromRlp, listFromRlp, type RlpItem } from './rlp.ts'

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
  const [address, topics, data] = listFromRlp(item, 3) as readonly [RlpItem, RlpItem, RlpItem]
  return {
    address: addressFromBytes(bytesFromRlp(address, ADDRESS_BYTES)),
    topics: listFromRlp(topics).map((topic) => hashFromBytes(bytesFromRlp(topic, HASH_BYTES))),
    data: bytesFromRlp(data),
  }
}
