/** `eth` messages of other programs: each decodes within our limits and encodes to the same bytes. */
import assert from 'node:assert/strict'
import {
  decodeNewBlock,
  decodeNewBlockHashes,
  decodeNewPooledHashes,
  encodeNewBlock,
  encodeNewBlockHashes,
  encodeNewPooledHashes,
} from '#sync/wire/announcements.ts'
import {
  decodeAnswer,
  decodeAskedHashes,
  decodeGetBlockHeaders,
  encodeAskedHashes,
  encodeGetBlockHeaders,
  pooledBytes,
  pooledItem,
} from '#sync/wire/block-requests.ts'
import {
  type EthVersion,
  MAX_ASKED,
  MAX_BODIES,
  MAX_HEADERS,
  MAX_POOLED,
  MAX_RECEIPTS,
} from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { decodeStatus, encodeStatus } from '#sync/wire/status.ts'
import { decodeBlock, decodeBody, encodeBlock, encodeBody } from '#types/block/block.ts'
import { decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import { formatData } from '#types/hex.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

type Again = (data: Uint8Array, version: EthVersion) => Uint8Array

const asked =
  (name: string): Again =>
  (data) =>
    encodeAskedHashes(decodeAskedHashes(name, data, MAX_ASKED))

const answer =
  (name: string, max: number, again: (item: Uint8Array) => Uint8Array): Again =>
  (data) => {
    const { id, what } = decodeAnswer(name, data, max)
    return encodeIdentified({ id, content: encodeRlpList(what.map(again)) })
  }

const transactionAgain = (item: Uint8Array): Uint8Array =>
  pooledItem(decodeTransaction(pooledBytes(item)).encoded)

const MESSAGES: Readonly<Record<string, Again>> = {
  Status: (data, version) => encodeStatus(decodeStatus(version, data)),
  NewBlockHashes: (data) => encodeNewBlockHashes(decodeNewBlockHashes(data)),
  NewBlock: (data) => {
    const { block, totalDifficulty } = decodeNewBlock(data)
    return encodeNewBlock({ block: encodeBlock(decodeBlock(block)), totalDifficulty })
  },
  Transactions: (data) => encodeRlpList([...encodedRlpItems(data)].map(transactionAgain)),
  NewPooledTransactionHashes: (data, version) =>
    encodeNewPooledHashes(
      version,
      decodeNewPooledHashes(version, data).map(({ hash, type = 0, size = 0 }) => ({ hash, type, size })),
    ),
  GetBlockHeaders: (data) => encodeGetBlockHeaders(decodeGetBlockHeaders(data)),
  GetBlockBodies: asked('GetBlockBodies'),
  GetReceipts: asked('GetReceipts'),
  GetNodeData: asked('GetNodeData'),
  GetPooledTransactions: asked('GetPooledTransactions'),
  BlockHeaders: answer('BlockHeaders', MAX_HEADERS, (item) => encodeHeader(decodeHeader(item))),
  BlockBodies: answer('BlockBodies', MAX_BODIES, (item) => encodeBody(decodeBody(item))),
  Receipts: answer('Receipts', MAX_RECEIPTS, (item) => encodeRlpList([...encodedRlpItems(item)])),
  PooledTransactions: answer('PooledTransactions', MAX_POOLED, transactionAgain),
  NodeData: answer('NodeData', MAX_ASKED, (item) => item),
}

export function verifyEthMessage(name: string, version: EthVersion, data: Uint8Array): void {
  const again = MESSAGES[name]
  assert.ok(again !== undefined, `${name} is a message of eth/${version}`)
  assert.equal(formatData(again(data, version)), formatData(data))
}
