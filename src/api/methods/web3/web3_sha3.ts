import { defineMethod } from '#api/define-method.ts'
import { dataParam, HashText } from '#api/schema/values.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'

/** Hashing this much takes about 0.2 s, during which the thread serves no one else. */
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
