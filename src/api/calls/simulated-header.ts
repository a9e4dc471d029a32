/** The header of a simulated block: what is known before its calls, and what results from them. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { nextBaseFee } from '#chain/rules/base-fee.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import type { BlockExecution, ExecutableHeader } from '#evm/block/block-session.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { type Block, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, hashHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import {
  EMPTY_OMMERS_HASH,
  receiptsRoot,
  transactionsRoot,
  withdrawalsRoot,
} from '#types/block/block-roots.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { PlannedBlock } from './planned-blocks.ts'

export interface HeaderDraft extends ExecutableHeader {
  readonly rules: Rules
  readonly extraData: Uint8Array
}

const NO_EXTRA_DATA = new Uint8Array(0)

/** If `isValidated`, gas has its price; otherwise it is free unless the request says otherwise. */
export function draftHeader(
  genesis: Genesis,
  { hash: parentHash, header: parent }: KnownHeader,
  { block }: PlannedBlock,
  isValidated: boolean,
): HeaderDraft {
  const { number, time: timestamp, difficulty = parent.difficulty } = block
  const rules = rulesAt(genesis.config, { number, timestamp, difficulty: parent.difficulty })
  const nextFee = isValidated ? nextBaseFee(genesis, rules, parent, number) : 0n
  const excess = nextExcessBlobGas(rules, parent)
  return {
    rules,
    number,
    timestamp,
    parentHash,
    difficulty,
    coinbase: block.feeRecipient ?? parent.coinbase,
    gasLimit: block.gasLimit ?? parent.gasLimit,
    extraData: block.extraData ?? NO_EXTRA_DATA,
    mixHash: block.prevRandao ?? ZERO_HASH,
    baseFeePerGas: rules.has('london') ? (block.baseFeePerGas ?? nextFee) : undefined,
    excessBlobGas: rules.has('cancun') ? excess : undefined,
    parentBeaconBlockRoot: rules.has('cancun') ? (block.parentBeaconBlockRoot ?? ZERO_HASH) : undefined,
  }
}

export function completeHeader(
  { rules, ...draft }: HeaderDraft,
  execution: BlockExecution,
  transactions: readonly Transaction[],
  stateRoot: Hash,
  keccak: Keccak,
): BlockHeader {
  return {
    ...NO_OPTIONAL_FIELDS,
    ...draft,
    ommersHash: EMPTY_OMMERS_HASH,
    stateRoot,
    transactionsRoot: transactionsRoot(transactions, keccak),
    receiptsRoot: receiptsRoot(execution.receipts, keccak),
    logsBloom: execution.logsBloom,
    gasUsed: execution.gasUsed,
    nonce: 0n,
    withdrawalsRoot: hasWithdrawals(rules) ? withdrawalsRoot([], keccak) : undefined,
    blobGasUsed: rules.has('cancun') ? execution.blobGasUsed : undefined,
    requestsHash: execution.requestsHash,
  }
}

/** BFT networks have no withdrawals in any fork. */
export function hasWithdrawals(rules: Rules): boolean {
  return rules.has('shanghai') && rules.consensus !== 'bft'
}

export function hashSimulated(header: BlockHeader, keccak: Keccak): Hash {
  return hashHeader(withoutGap(header), keccak)
}

export function simulatedSize(block: Block): number {
  return encodeBlock({ ...block, header: withoutGap(block.header) }).length
}

function withoutGap(header: BlockHeader): BlockHeader {
  if (header.withdrawalsRoot !== undefined) return header
  return {
    ...header,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
  }
}
