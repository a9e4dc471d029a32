/** Whether stored bytes are the only encoding of their content. */
import {
  type BftProtocol,
  decodeBftExtraData,
  encodeBftExtraData,
  VANITY_BYTES,
} from '#types/block/bft-extra-data.ts'
import { type BlockBody, encodeBody } from '#types/block/block.ts'
import { decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import { equalBytes } from '#types/bytes.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'

const noHash = (): Uint8Array => new Uint8Array(32)

/** Names the first part that another encoding could replace; undefined if there is only one encoding. */
export function canonicalProblem(
  protocol: BftProtocol,
  header: Uint8Array,
  body: Uint8Array,
  decoded: BlockBody,
): string | undefined {
  const fields = decodeHeader(header)
  if (!equalBytes(encodeHeader(fields), header)) return 'the stored header is not canonical'
  const content = decodeBftExtraData(protocol, fields.extraData)
  if (!equalBytes(encodeBftExtraData(protocol, content), fields.extraData)) {
    return `the stored extra data is not canonical (${fields.extraData.length} bytes)`
  }
  if (content.vanity.length !== VANITY_BYTES) return `the stored vanity has ${content.vanity.length} bytes`
  if (!equalBytes(encodeBody(decoded), body)) return 'the stored body is not canonical'
  const other = decoded.transactions.find(
    (each) => !equalBytes(completeTransaction(each, each, noHash).encoded, each.encoded),
  )
  return other && `the stored transaction ${other.hash} is not canonical`
}
