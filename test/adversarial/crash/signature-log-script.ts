/** Entries for a signature log: the traced program saves them, and the test knows which ones must be present. */
import { TestNetwork } from '#consensus/bft/core/test-network.fixture.ts'
import type { SignatureEntry } from '#consensus/bft/events.ts'
import { openSignatureLog, type SignatureLog } from '#consensus/signature-log.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { parseAddress } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { parseHash } from '#types/hash.ts'

export const SAVES = 20
/** With one in three entries of this size, the file is rewritten several times. */
const LARGE_BYTES = 2_200_000

/** One of four validators that prepared a block and committed none. */
async function prepareBlock() {
  const isDelivered = ({ kind }: { readonly kind: string }) => kind !== 'commit'
  const network = new TestNetwork({ protocol: 'qbft', validators: 4, isDelivered })
  await network.start()
  await network.advance(3_000)
  const { entry } = network.nodes[3]!
  assert(entry?.certificate !== undefined, 'A validator prepared a block.')
  return { entry, certificate: entry.certificate, codec: network.codec }
}

const keccak = loadFastKeccak()
const { entry: ENTRY, certificate: CERTIFICATE, codec: CODEC } = await prepareBlock()

export function openLog(path: string): Promise<SignatureLog> {
  return openSignatureLog({
    path,
    codecAt: () => CODEC,
    keccak,
    address: parseAddress('11'.repeat(20)),
    genesis: parseHash('22'.repeat(32)),
  })
}

export function entryOf(round: number): SignatureEntry {
  if (round % 3 !== 0) return { ...ENTRY, round, certificate: undefined }
  const block = { ...CERTIFICATE.block, accessList: new Uint8Array(LARGE_BYTES) }
  return { ...ENTRY, round, certificate: { ...CERTIFICATE, block } }
}
