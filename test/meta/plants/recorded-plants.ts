import type { Plants } from './plant.ts'

const OWN_MESSAGE = 'src/consensus/bft/core/height.ts'
const CLI = 'conformance recorded/cli'
const REPLAY = 'conformance recorded/replay'
const FROZEN = 'conformance recorded/frozen'

/** Mistakes that only a comparison with another node's recordings shows. */
export const RECORDED_PLANTS: Plants = {
  'recorded-cli-other-sentence': {
    mistake: 'a text that deviates from Besu on purpose changes',
    file: 'src/fleet/plan-network.ts',
    from: 'blockchain.nodes.count must say how many key pairs to generate, a whole number',
    to: 'blockchain.nodes.count must be a whole number',
    caughtBy: CLI,
  },
  'recorded-cli-key-of-another': {
    mistake: 'a private key file contains a different key than its folder name says',
    file: 'src/cli/commands/operator-generate-blockchain-config.ts',
    from: 'formatData(privateKey), {',
    to: 'formatData(privateKey.toReversed()), {',
    caughtBy: CLI,
  },
  'recorded-round-change-unproven': {
    mistake: 'a round change is sent without its prepares, and validators ignore it',
    file: OWN_MESSAGE,
    from: 'certificate && certificate.proposal === undefined ? certificate.prepares : []',
    to: '[]',
    caughtBy: REPLAY,
  },
  'recorded-proposal-unproven': {
    mistake: 'a block is proposed again without the prepares that prove it',
    file: OWN_MESSAGE,
    from: 'prepares: reasons.best?.prepares ?? [],',
    to: 'prepares: [],',
    caughtBy: REPLAY,
  },
  'recorded-message-too-much': {
    mistake: 'the IBFT 2.0 proposer sends a prepare',
    file: 'src/consensus/ibft2/rules.ts',
    from: 'proposerPrepares: false,',
    to: 'proposerPrepares: true,',
    caughtBy: REPLAY,
  },
  'recorded-commit-missing': {
    mistake: 'a prepared validator sends no commit',
    file: 'src/consensus/bft/core/agreement.ts',
    from: "    sign({ kind: 'commit', height, round, digest, sealed: this.#sealed().digest })\n",
    to: '',
    caughtBy: REPLAY,
  },
  'recorded-prestate-nonce': {
    mistake: 'the state before a transaction lacks the nonce of an account that has sent once',
    file: 'src/evm/trace/prestate-tracer.ts',
    from: 'if (before.nonce > 0n) members.push(',
    to: 'if (before.nonce > 1n) members.push(',
    caughtBy: FROZEN,
  },
  'recorded-call-tracer-gas': {
    mistake: 'callTracer returns the gas of the outermost call instead of the gas of the transaction',
    file: 'src/evm/trace/call-tracer.ts',
    from: 'frame.depth === 0 ? totals : undefined',
    to: 'frame.depth < 0 ? totals : undefined',
    caughtBy: FROZEN,
  },
  'recorded-base-fee-unchecked': {
    mistake: 'a block with a wrong base fee is executed, and refused for a consequence',
    file: 'src/chain/rules/validate-header.ts',
    from: "if (rules.feeMarket === 'fixed') return undefined",
    to: "if (baseFeePerGas !== undefined || !rules.has('london')) return undefined",
    caughtBy: 'conformance state-tests/eest-blockchain',
  },
}
