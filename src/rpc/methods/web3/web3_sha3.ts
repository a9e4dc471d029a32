import { defineMethod } from '#rpc/define-method.ts'
import { dataParam } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'

/** Hashing this much takes about 0.2 s, in which the thread serves nobody else. */
const MAX_BYTES = 4 * 1024 * 1024

export default defineMethod({
  name: 'web3_sha3',
  summary: 'The Keccak-256 hash of the data.',
  needs: [],
  params: { data: dataParam({ maxBytes: MAX_BYTES, mayBeBlank: true }) },
  count: 'exact',
  result: HashText,
  run: (_ports, { data }) => formatData(keccak256(data)),
})
