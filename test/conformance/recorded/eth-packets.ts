/** geth's description of a recorded `eth` message: every field of the message is decoded and compared. */
import assert from 'node:assert/strict'
import {
  decodeAnswer,
  decodeAskedHashes,
  decodeGetBlockHeaders,
  pooledBytes,
} from '#sync/wire/block-requests.ts'
import { MAX_ASKED } from '#sync/wire/eth-codes.ts'
import { decodeBody } from '#types/block/block.ts'
import { type BlockHeader, decodeHeader, hashHeader } from '#types/block/block-header.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { decodeRlp, type RlpItem } from '#types/rlp.ts'
import { type Transaction, transactionV } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

export interface RecordedPacket {
  readonly type: string
  readonly rlp: string
  readonly data: Readonly<Record<string, unknown>>
}

const NO_HASH = `0x${'00'.repeat(32)}`

const asked = (name: string) => (rlp: Uint8Array) => {
  const { id, what } = decodeAskedHashes(name, rlp, MAX_ASKED)
  return { RequestId: Number(id), [`${name}Packet`]: what }
}

const answer = (name: string, present: (item: Uint8Array) => unknown) => (rlp: Uint8Array) => {
  const { id, what } = decodeAnswer(name, rlp, MAX_ASKED)
  return { RequestId: Number(id), [`${name}Packet`]: what.map(present) }
}

const PRESENT: Readonly<Record<string, (rlp: Uint8Array) => Readonly<Record<string, unknown>>>> = {
  GetBlockHeaders: (rlp) => {
    const { id, what } = decodeGetBlockHeaders(rlp)
    const { from, count, skip, isReverse } = what
    const [Hash, Number_] = typeof from === 'bigint' ? [NO_HASH, Number(from)] : [from, 0]
    return {
      RequestId: Number(id),
      Origin: { Hash, Number: Number_ },
      Amount: Number(count),
      Skip: Number(skip),
      Reverse: isReverse,
    }
  },
  GetBlockBodies: asked('GetBlockBodies'),
  GetReceipts: asked('GetReceipts'),
  GetNodeData: asked('GetNodeData'),
  GetPooledTransactions: asked('GetPooledTransactions'),
  BlockHeaders: answer('BlockHeaders', (item) => presentHeader(decodeHeader(item))),
  BlockBodies: answer('BlockBodies', (item) => {
    const { transactions, ommers } = decodeBody(item)
    return { Transactions: transactions.map(presentTransaction), Uncles: ommers.map(presentHeader) }
  }),
  Receipts: answer('Receipts', (item) => (decodeRlp(item) as readonly RlpItem[]).map(presentReceipt)),
  PooledTransactions: answer('PooledTransactions', (item) =>
    presentTransaction(decodeTransaction(pooledBytes(item))),
  ),
  NodeData: answer('NodeData', (item) => formatData(decodeRlp(item) as Uint8Array)),
}

export function verifyPacketData(name: string, rlp: Uint8Array, data: RecordedPacket['data']): void {
  const present = PRESENT[name]
  assert.ok(present !== undefined, `${name} has data to compare`)
  assert.deepEqual(present(rlp), carried(name, data))
}

/** Removes values that geth adds from elsewhere, and restores the bytes that the vector's author intended. */
function carried(name: string, data: RecordedPacket['data']): unknown {
  if (name === 'NodeData') return JSON.parse(JSON.stringify(data).replace('0xdeadcode', '0xdeadc0de'))
  if (name !== 'Receipts') return data
  const { ReceiptsPacket, ...rest } = data as { ReceiptsPacket: Record<string, unknown>[][] }
  const blocks = ReceiptsPacket.map((receipts) =>
    receipts.map(({ status, cumulativeGasUsed, logsBloom, logs }) => ({
      status,
      cumulativeGasUsed,
      logsBloom,
      logs: (logs as Record<string, unknown>[]).map(({ address, topics, data: bytes }) => ({
        address,
        topics,
        data: bytes,
      })),
    })),
  )
  return { ...rest, ReceiptsPacket: blocks }
}

function presentHeader(header: BlockHeader): unknown {
  const { ommersHash, coinbase, parentHash, stateRoot, transactionsRoot, receiptsRoot, mixHash } = header
  return {
    parentHash,
    sha3Uncles: ommersHash,
    miner: coinbase,
    stateRoot,
    transactionsRoot,
    receiptsRoot,
    logsBloom: formatData(header.logsBloom),
    difficulty: formatQuantity(header.difficulty),
    number: formatQuantity(header.number),
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    timestamp: formatQuantity(header.timestamp),
    extraData: formatData(header.extraData),
    mixHash,
    nonce: `0x${header.nonce.toString(16).padStart(16, '0')}`,
    hash: hashHeader(header),
  }
}

function presentTransaction(transaction: Transaction): unknown {
  assert.ok(transaction.type === 0)
  const { nonce, gasPrice, gasLimit, to, value, data, r, s, hash, yParity } = transaction
  return {
    nonce: formatQuantity(nonce),
    gasPrice: formatQuantity(gasPrice),
    gas: formatQuantity(gasLimit),
    to,
    value: formatQuantity(value),
    input: formatData(data),
    v: formatQuantity(transactionV(transaction, yParity)),
    r: formatQuantity(r),
    s: formatQuantity(s),
    hash,
  }
}

function presentReceipt(item: RlpItem): unknown {
  const [status, gas, bloom, logs] = item as readonly [Uint8Array, Uint8Array, Uint8Array, readonly RlpItem[]]
  return {
    status: formatQuantity(bytesToBigint(status)),
    cumulativeGasUsed: formatQuantity(bytesToBigint(gas)),
    logsBloom: formatData(bloom),
    logs: logs.map((log) => {
      const [address, topics, data] = log as readonly [Uint8Array, readonly Uint8Array[], Uint8Array]
      return { address: formatData(address), topics: topics.map(formatData), data: formatData(data) }
    }),
  }
}
