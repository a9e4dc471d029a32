/** What headers of legacy IBFT have to keep: read as the past of a network that goes on with QBFT, never made here. */
import { legacyIbftCommitters, legacyIbftProposer } from '#consensus/validators/legacy-ibft-seals.ts'
import { toleratedFaults } from '#types/block/bft-quorum.ts'
import { decodeLegacyIbftExtraData } from '#types/block/legacy-ibft-extra-data.ts'
import { type BftHeaderContext, refuseConstants, refuseSigners, refuseTime } from './refuse-header.ts'

/** What is wrong, as a sentence; undefined: nothing. May fault where extra data or seals cannot be read. */
export function refuseLegacyIbftHeader(context: BftHeaderContext): string | undefined {
  return refuseConstants(context.header) ?? refuseTime(context) ?? refuseMakers(context)
}

function refuseMakers({ header, validators, hasSeals, crypto }: BftHeaderContext): string | undefined {
  const { validators: listed, commitSeals } = decodeLegacyIbftExtraData(header.extraData)
  if (listed.toSorted().join() !== validators.join()) {
    return `It lists the validators ${listed.join(', ')}, and they are ${validators.join(', ')}.`
  }
  const proposer = legacyIbftProposer(header, crypto)
  if (!validators.includes(proposer)) return `It is made by ${proposer}, who is no validator.`
  if (!hasSeals) return undefined
  // The makers of these blocks asked for more than twice the faults, which is fewer than a quorum today.
  const needed = 2 * toleratedFaults(validators.length) + 1
  if (commitSeals.length < needed) return `It has ${commitSeals.length} seals, and ${needed} are needed.`
  return refuseSigners(legacyIbftCommitters(header, crypto), validators)
}
