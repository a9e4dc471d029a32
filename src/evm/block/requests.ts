/** EIP-7685: requests from the execution layer to the beacon chain. */
import type { Address } from '#types/address.ts'
import type { Log } from '#types/block/log.ts'
import { bytesToBigint, concatBytes } from '#types/bytes.ts'

/** The event of the deposit contract, DepositEvent(bytes,bytes,bytes,bytes,bytes). */
const DEPOSIT_TOPIC = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
const DEPOSIT_LOG_BYTES = 576
/** Offset of each event field, which begins with its length, and the length of its content. */
const DEPOSIT_FIELDS = [
  { name: 'public key', at: 160, bytes: 48 },
  { name: 'withdrawal credentials', at: 256, bytes: 32 },
  { name: 'amount', at: 320, bytes: 8 },
  { name: 'signature', at: 384, bytes: 96 },
  { name: 'index', at: 512, bytes: 8 },
] as const

/** Returns a request with its type, or nothing if the content is empty. */
export function createRequest(type: number, content: Uint8Array): Uint8Array[] {
  return content.length === 0 ? [] : [concatBytes(Uint8Array.of(type), content)]
}

export type DepositsVerdict =
  | { readonly ok: true; readonly content: Uint8Array }
  | { readonly ok: false; readonly sentence: string }

/** EIP-6110: extracts the deposits from the logs of a block; other events of the contract are ignored. */
export function depositsFromLogs(logs: Iterable<Log>, contract: Address): DepositsVerdict {
  const deposits: Uint8Array[] = []
  for (const { address, topics, data } of logs) {
    if (address !== contract || topics[0] !== DEPOSIT_TOPIC) continue
    const wrong = wrongField(data)
    if (wrong !== undefined) {
      return { ok: false, sentence: `A deposit has its ${wrong} at a wrong offset.` }
    }
    for (const { at, bytes } of DEPOSIT_FIELDS) deposits.push(data.subarray(at + 32, at + 32 + bytes))
  }
  return { ok: true, content: concatBytes(...deposits) }
}

function wrongField(data: Uint8Array): string | undefined {
  if (data.length !== DEPOSIT_LOG_BYTES) return 'end'
  return DEPOSIT_FIELDS.find(
    ({ at, bytes }, index) =>
      numberAt(data, index * 32) !== BigInt(at) || numberAt(data, at) !== BigInt(bytes),
  )?.name
}

function numberAt(data: Uint8Array, at: number): bigint {
  return bytesToBigint(data.subarray(at, at + 32))
}
