import type { Plants } from './plant.ts'

const BODY = 'src/chain/rules/validate-body.ts'
const HEADER = 'src/chain/rules/validate-header.ts'
const BFT_HEADER = 'src/consensus/bft/refuse-header.ts'
const PROPOSED = 'src/consensus/bft/wire/proposed-block.ts'
const MUTATING = 'simulate --mutating --seed 1 --heights 1000'

/** Block rules whose absence the simulator's mutating proposer must show. */
export const BLOCK_PLANTS: Plants = {
  'block-withdrawals-credited': {
    mistake: 'a proposer mints ether by a withdrawal',
    file: BODY,
    from: 'if (withdrawals.length === 0) return undefined',
    to: 'if (withdrawals.length >= 0) return undefined',
    caughtBy: MUTATING,
  },
  'block-base-fee-chosen': {
    mistake: 'a proposer chooses the base fee',
    file: HEADER,
    from: 'return refuseBaseFee(header, context) ?? refuseBlobGas(header, context)',
    to: 'return refuseBlobGas(header, context) ?? (refuseBaseFee === undefined ? "" : undefined)',
    caughtBy: MUTATING,
  },
  'block-excess-blob-gas-chosen': {
    mistake: 'a proposer chooses the excess blob gas',
    file: HEADER,
    from: 'if (excessBlobGas !== excess) {',
    to: 'if (excessBlobGas === undefined && excess > 0n) {',
    caughtBy: MUTATING,
  },
  'block-vanity-padded': {
    mistake: 'a proposer pads the vanity of its blocks',
    file: BFT_HEADER,
    from: 'if (length !== VANITY_BYTES) return',
    to: 'if (length > 1_000_000 && VANITY_BYTES > 0) return',
    caughtBy: MUTATING,
  },
  'block-time-without-lower-bound': {
    mistake: 'with periods below one second a proposer may write any earlier time',
    file: BFT_HEADER,
    from: 'if (header.timestamp >= earliest) return undefined',
    to: 'if (apart === 0 || header.timestamp >= earliest) return undefined',
    caughtBy: MUTATING,
  },
  'proposal-body-undecodable': {
    mistake: 'a proposal whose body cannot be decoded counts as a failure of the node itself',
    file: 'src/consensus/block-work.ts',
    from: "if (!(error instanceof Fault) || error.kind !== 'INVALID_BLOCK') throw error",
    to: "if (!(error instanceof Fault) || error.kind !== 'STORE_FAILED') throw error",
    caughtBy: 'src/consensus/block-work.test.ts',
  },
  'proposal-extra-data-padded': {
    mistake: 'a proposal with padded extra data is treated as the block that was validated before',
    file: PROPOSED,
    from: "throw invalid('The extra data of its block is not in canonical form.')",
    to: 'return proposedBlock(protocol, encoded, decoded, accessList, keccak)',
    caughtBy: 'src/consensus/bft/wire/proposed-block.test.ts',
  },
}
