/** Waits for a started node: until it is in sync, and until it takes part in consensus. */
import { type Clock, pause, systemClock } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import { type BftProtocol, decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { askNode } from './ask-node.ts'
import type { FleetNode } from './network-directory.ts'
import { reportNetwork } from './network-report.ts'
import { refusal } from './plan-network.ts'
import type { Member, Membership } from './validators.ts'

const LOOK_MS = 500
const SEAL_LIMIT_MS = 120_000
/** The other nodes continue while it catches up. */
const NEAR_BLOCKS = 1

/** Syncing may take long, so the limit applies only while there is no progress. */
const STUCK_LIMIT_MS = 120_000
/** A node that ends at its start is restarted a few times. */
export const DOWN_LIMIT_MS = 15_000

/** Reports progress to the operator. */
export type Say = (sentence: string) => void

export async function untilInSync(
  node: FleetNode,
  others: readonly FleetNode[],
  say: Say,
  clock: Clock = systemClock,
): Promise<void> {
  let best = -1
  let lastMs = clock.monotonicMs()
  for (;;) {
    const [own, ...rest] = await reportNetwork([node, ...others])
    const height = own!.height ?? -1
    const goal = Math.max(...rest.map((each) => each.height ?? 0))
    if (height >= 0 && height >= goal - NEAR_BLOCKS) return
    const nowMs = clock.monotonicMs()
    if (best < 0 && own!.state === 'down' && nowMs - lastMs > DOWN_LIMIT_MS) {
      throw refusal(
        `${node.name} does not stay up. ${own!.cause ?? `'cairn network logs ${node.name}' says more.`}`,
      )
    }
    if (height > best) {
      if (best >= 0) say(`${node.name} is at block ${height} of ${goal}.`)
      ;[best, lastMs] = [height, nowMs]
    }
    if (nowMs - lastMs > STUCK_LIMIT_MS) {
      throw refusal(
        `${node.name} stays at block ${best} while the others are at ${goal}; 'cairn network logs ${node.name}' says more.`,
      )
    }
    await pause(clock, LOOK_MS)
  }
}

/** Resolves when a new block carries the member's seal, as reported by another node. */
export async function untilSealed(
  { protocol, members }: Membership,
  member: Member,
  clock: Clock = systemClock,
): Promise<number> {
  const { endpoint } = members.find(({ node }) => node.name !== member.node.name) ?? member
  const heightOf = async () => Number((await askNode(endpoint, [{ method: 'eth_blockNumber' }]))[0]?.result)
  const first = (await heightOf()) + 1
  const endMs = clock.monotonicMs() + SEAL_LIMIT_MS
  for (let next = first; ; ) {
    for (const height = await heightOf(); next <= height; next += 1) {
      const params = [`0x${next.toString(16)}`]
      const [header] = await askNode(endpoint, [{ method: 'debug_getRawHeader', params }])
      if (sealersOf(protocol, parseData(String(header?.result))).includes(member.address)) return next
    }
    if (clock.monotonicMs() > endMs) throw await noSeal(member, first, next - 1)
    await pause(clock, LOOK_MS)
  }
}

async function noSeal({ node }: Member, first: number, last: number) {
  const [report] = await reportNetwork([node])
  const seen = last < first ? 'there was no block' : `blocks ${first} to ${last} do not have its seal`
  const why = report!.cause ?? `it is ${report!.state}`
  return refusal(`${node.name} does not take part again: ${seen}. It says: ${why}`)
}

/** The validators whose commit seals a header carries. */
export function sealersOf(protocol: BftProtocol, encodedHeader: Uint8Array): readonly Address[] {
  const header = decodeHeader(encodedHeader)
  const signed = hashToBytes(bftCommittedSealHash(protocol, header))
  const { seals } = decodeBftExtraData(protocol, header.extraData)
  return seals.map((seal) => addressFromPublicKey(recoverPublicKey(signed, seal)))
}
