import { parseAddress } from '#types/address.ts'
import { encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { parseHash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'

/** The bytes of a block without transactions, from what eth_getBlockByNumber shows of it. */
export function encodeShownBlock(shown: Readonly<Record<string, string>>): Uint8Array {
  const hash = (name: string) => parseHash(shown[name]!)
  const header: BlockHeader = {
    ...NO_OPTIONAL_FIELDS,
    parentHash: hash('parentHash'),
    ommersHash: hash('sha3Uncles'),
    coinbase: parseAddress(shown.miner!),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: parseData(shown.logsBloom!),
    difficulty: BigInt(shown.difficulty!),
    number: BigInt(shown.number!),
    gasLimit: BigInt(shown.gasLimit!),
    gasUsed: BigInt(shown.gasUsed!),
    timestamp: BigInt(shown.timestamp!),
    extraData: parseData(shown.extraData!),
    mixHash: hash('mixHash'),
    nonce: BigInt(shown.nonce!),
    baseFeePerGas: BigInt(shown.baseFeePerGas!),
    withdrawalsRoot: hash('withdrawalsRoot'),
  }
  return encodeBlock({ header, transactions: [], ommers: [], withdrawals: [] })
}
