/** EIP-2930: the addresses and slots that a transaction declares. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { type Hash, hashFromRlp, hashToBytes } from '#types/hash.ts'
import { listFromRlp, type RlpItem } from '#types/rlp.ts'

export interface AccessListEntry {
  readonly address: Address
  /** Slots of 32 bytes. They may repeat, and each repetition is charged. */
  readonly storageKeys: readonly Hash[]
}

export type AccessList = readonly AccessListEntry[]

export function accessListFromRlp(item: RlpItem): AccessList {
  return listFromRlp(item).map((entry) => {
    const [address, storageKeys] = listFromRlp(entry, 2)
    return {
      address: addressFromRlp(address),
      storageKeys: listFromRlp(storageKeys).map(hashFromRlp),
    }
  })
}

export function accessListToRlp(accessList: AccessList): RlpItem {
  return accessList.map(({ address, storageKeys }) => [addressToBytes(address), storageKeys.map(hashToBytes)])
}
