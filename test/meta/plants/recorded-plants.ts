import type { Plants } from './plant.ts'

const OWN_MESSAGE = 'src/consensus/bft/core/height.ts'
const CLI = 'conformance recorded/cli'
const REPLAY = 'conformance recorded/replay'
const FROZEN = 'conformance recorded/frozen'

/** Mistakes that only a comparison with another node's recordings shows. */
export const RECORDED_PLANTS: Plants = {
  'recorded-cli-other-sentence': {
    mistake: 'a sentence in which Cairn deviates on purpose says something else',
    file: 'src/fleet/plan-network.ts',
    from: 'blockchain.nodes.count must say how many key pairs to generate, a whole number',
    to: 'blockchain.nodes.count must be a whole number',
    caughtBy: CLI,
  },
  'recorded-cli-key-of-another': {
    mistake: 'the file of a private key holds another key than its folder says',
    file: 'src/cli/commands/operator-generate-blockchain-config.ts',
    from: 'formatData(privateKey), {',
    to: 'formatData(privateKey.toReversed()), {',
    caughtBy: CLI,
  },
  'recorded-round-change-unproven': {
    mistake: 'a round change is sent without its prepares, and nobody believes it',
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
    mistake: 'the proposer of IBFT 2.0 sends a prepare of its own',
    file: 'src/consensus/ibft2/rules.ts',
    from: 'proposerPrepares: false,',
    to: 'proposerPrepares: true,',
    caughtBy: REPLAY,
  },
  'recorded-commit-missing': {
    mistake: 'a validator that is prepared sends no commit',
    file: 'src/consensus/bft/core/agreement.ts',
    from: "    vote({ kind: 'commit', height, round, digest, sealed: this.#sealed().digest })\n",
    to: '',
    caughtBy: REPLAY,
  },
  'recorded-prestate-nonce': {
    mistake: 'the state before a transaction does not show the nonce of an account that has sent once',
    file: 'src/evm/trace/prestate-tracer.ts',
    from: 'if (before.nonce > 0n) members.push(',
    to: 'if (before.nonce > 1n) members.push(',
    caughtBy: FROZEN,
  },
  'recorded-call-tracer-gas': {
    mistake: 'callTracer shows the gas of the outermost call in the place of that of the transaction',
    file: 'src/evm/trace/call-tracer.ts',
    from: 'frame.depth === 0 ? totals : undefined',
    to: 'frame.depth < 0 ? totals : undefined',
    caughtBy: FROZEN,
  },
  'recorded-base-fee-unchecked': {
    mistake: 'a block with a wrong base fee is executed, and refused for what comes of it',
    file: 'src/chain/rules/validate-header.ts',
    from: "if (rules.feeMarket === 'fixed') return undefined",
    to: "if (baseFeePerGas !== undefined || !rules.has('london')) return undefined",
    caughtBy: 'conformance state-tests/eest-blockchain',
  },
}
