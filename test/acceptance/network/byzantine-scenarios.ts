/** One of four validators is Byzantine and proposes mutated blocks, while another node follows the chain. */
import assert from 'node:assert/strict'
import { decodeBody } from '#types/block/block.ts'
import { parseData } from '#types/hex.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import { canonicalProblem } from '../../adversarial/block-mutator/canonical.ts'
import { ByzantineProposer } from './byzantine-proposer.ts'
import type { Lab } from './lab.ts'
import type { Member } from './member.ts'
import { requireSoon, type Scenario, seconds, watchLab } from './scenario.ts'

const PROPOSALS = { gate: 300, nightly: 20_000 }

const mutatedProposals: Scenario = {
  name: 'mutated-proposals',
  run: async (lab, form) => {
    const [byzantine, ...honest] = lab.members as [Member, ...Member[]]
    const follower = await lab.addObserver()
    await lab.untilAll(lab.watch.height + 1)
    await byzantine.stop()
    lab.expectEquivocation(byzantine)
    const before = lab.watch.height
    const proposer = await ByzantineProposer.open(byzantine, honest, lab.random)
    const machine = watchLab(lab)
    lab.watch.mark()
    try {
      await proposer.run(PROPOSALS[form], honest[0]!)
    } finally {
      await proposer.close()
    }
    const gapMs = lab.watch.longestGapMs
    requireSoon(lab, gapMs, machine)
    await byzantine.start()
    await lab.untilReady(byzantine)
    await lab.settle()
    const accepted = await requireCanonical(lab, follower, before, byzantine.network.validator)
    const blocks = lab.watch.height - before
    return `${proposer.sent} mutated proposals at ${blocks} heights, ${accepted} of its blocks in the chain; longest time without a block ${seconds(gapMs)}`
  },
}

export const BYZANTINE_SCENARIOS: readonly Scenario[] = [mutatedProposals]

/**
 * Requires one encoding of every block that the follower serves, and returns the number of blocks from
 * `author`.
 */
async function requireCanonical(lab: Lab, follower: Member, from: number, author: string): Promise<number> {
  let made = 0
  for (let number = from + 1; number <= lab.watch.height; number++) {
    const at = `0x${number.toString(16)}`
    const block = parseData((await follower.ask('debug_getRawBlock', at)) as string)
    const [header, ...lists] = [...encodedRlpItems(block)] as [Uint8Array, ...Uint8Array[]]
    const body = encodeRlpList(lists)
    assert.equal(canonicalProblem('qbft', header, body, decodeBody(body)), undefined, `block ${number}`)
    const shown = (await follower.ask('eth_getBlockByNumber', at, false)) as { readonly miner: string }
    if (shown.miner === author) made++
  }
  return made
}
