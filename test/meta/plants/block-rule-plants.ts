/** Rules for the content of a block, each left out or applied on one path only. */
import type { Plants } from './plant.ts'

const BFT_HEADER = 'src/consensus/bft/refuse-header.ts'
const HEADER = 'src/chain/rules/validate-header.ts'
const BODY = 'src/chain/rules/validate-body.ts'
const BLOB_GAS = 'src/evm/block/blob-gas.ts'
const RULES_TEST = 'src/consensus/block-rules.test.ts'
const HEADER_TEST = 'src/chain/rules/validate-header.test.ts'
const BLOB_GAS_TEST = 'src/evm/block/blob-gas.test.ts'

export const BLOCK_RULE_PLANTS: Plants = {
  'block-withdrawals-credited': {
    mistake: 'a validator creates ether with withdrawals',
    file: BODY,
    from: 'if (withdrawals.length === 0) return undefined',
    to: 'if (withdrawals.length >= 0) return undefined',
    caughtBy: RULES_TEST,
  },
  'block-body-ommers': {
    mistake: 'the body of a BFT block may have ommers',
    file: BODY,
    from: 'if (ommers.length > 0) return',
    to: 'if (ommers.length > 2) return',
    caughtBy: RULES_TEST,
  },
  'block-ommers-hash': {
    mistake: 'the header of a BFT block may name ommers',
    file: BFT_HEADER,
    from: 'return ommersHash === EMPTY_OMMERS_HASH',
    to: "return ommersHash !== ('' as never)",
    caughtBy: RULES_TEST,
  },
  'block-nonce': {
    mistake: 'a BFT header may have any nonce',
    file: BFT_HEADER,
    from: 'return nonce === 0n ? undefined',
    to: 'return nonce >= 0n ? undefined',
    caughtBy: RULES_TEST,
  },
  'block-nonce-of-proposals': {
    mistake: 'validators accept a nonce that followers refuse',
    file: BFT_HEADER,
    from: 'refuseNonce(context.header) ??',
    to: '(context.hasSeals ? refuseNonce(context.header) : undefined) ??',
    caughtBy: RULES_TEST,
  },
  'block-validators-of-proposals': {
    mistake: 'validators accept a proposal that lists other validators, and followers refuse it',
    file: BFT_HEADER,
    from: 'refuseValidators(protocol, context) ??',
    to: '(context.hasSeals ? refuseValidators(protocol, context) : undefined) ??',
    caughtBy: 'src/consensus/light-and-full.test.ts',
  },
  'block-padded-header': {
    mistake: 'a peer pads headers, and every node stores and serves a megabyte for each block',
    file: BFT_HEADER,
    from: 'if (equalBytes(encodeBftExtraData(protocol, content), extraData)) return undefined',
    to: 'if (extraData.length > 0) return undefined',
    caughtBy: RULES_TEST,
  },
  'block-long-vanity': {
    mistake: 'a validator writes a megabyte of vanity into its header',
    file: BFT_HEADER,
    from: 'if (length !== VANITY_BYTES)',
    to: 'if (length < VANITY_BYTES)',
    caughtBy: RULES_TEST,
  },
  'block-many-seals': {
    mistake: 'a proposal may have any number of seals',
    file: BFT_HEADER,
    from: 'if (seals.length <= validators.length) return undefined',
    to: 'if (seals.length <= 25_000) return undefined',
    caughtBy: RULES_TEST,
  },
  'block-time-goes-back': {
    mistake: 'with periods below one second a validator sets the time back to before a fork',
    file: BFT_HEADER,
    from: 'apart === 0 ? -MAX_AHEAD_SECONDS : apart',
    to: 'apart === 0 ? -1_000_000_000 : apart',
    caughtBy: 'src/consensus/create-header-rules.test.ts',
  },
  'block-base-fee-of-validators': {
    mistake: 'a validator sets the base fee to any value',
    file: HEADER,
    from: "if (rules.feeMarket === 'fixed') return undefined",
    to: "if (rules.feeMarket === 'fixed' || rules.consensus === 'bft') return undefined",
    caughtBy: HEADER_TEST,
  },
  'block-excess-blob-gas': {
    mistake: 'a validator sets the price of blobs to any value',
    file: HEADER,
    from: 'if (excessBlobGas !== excess) {',
    to: "if (excessBlobGas !== excess && rules.consensus !== 'bft') {",
    caughtBy: HEADER_TEST,
  },
  'block-blob-gas-used': {
    mistake: 'a BFT header may claim more blob gas than a block can use',
    file: HEADER,
    from: 'if (rules.blobs === undefined || blobGasUsed === undefined) return undefined',
    to: "if (rules.blobs === undefined || rules.consensus === 'bft' || blobGasUsed === undefined) return undefined",
    caughtBy: HEADER_TEST,
  },
  'block-blob-gas-not-used': {
    mistake: 'a header may claim blob gas that no transaction used',
    file: 'src/chain/execute/execute.ts',
    from: 'if (hasBlobFields && blobGasUsed !== header.blobGasUsed) {',
    to: 'if (hasBlobFields && blobGasUsed > (header.blobGasUsed ?? 0n)) {',
    caughtBy: RULES_TEST,
  },
  'block-beacon-root': {
    mistake: 'a validator writes 32 bytes of its choice into every header',
    file: HEADER,
    from: "if (rules.consensus !== 'bft' || parentBeaconBlockRoot === ZERO_HASH) return undefined",
    to: 'if (parentBeaconBlockRoot !== undefined) return undefined',
    caughtBy: HEADER_TEST,
  },
  'block-form-of-fixed-fees': {
    mistake: 'blocks of Besu with fixedBaseFee are refused',
    file: 'src/chain/rules/header-form.ts',
    from: "if (rules.feeMarket !== 'fixed') return [full]",
    to: 'if (full.size >= 0) return [full]',
    caughtBy: HEADER_TEST,
  },
  'block-blob-price-of-zero-fees': {
    mistake: 'BLOBBASEFEE is 1 with zeroBaseFee, and the node splits from Besu',
    file: BLOB_GAS,
    from: "rules.blobs === undefined || rules.feeMarket !== 'market'",
    to: "rules.blobs === undefined || rules.feeMarket === 'fixed'",
    caughtBy: BLOB_GAS_TEST,
  },
  'block-blob-price-unbounded': {
    mistake: "the blob gas price exceeds the engine's largest number",
    file: BLOB_GAS,
    from: 'if (sum > end) return MAX_UINT256',
    to: 'if (sum > end) return sum / denominator',
    caughtBy: BLOB_GAS_TEST,
  },
  'block-excess-overflows': {
    mistake: 'the excess blob gas does not fit the header, and no block follows',
    file: BLOB_GAS,
    from: 'if (excess > MAX_UINT64) return MAX_UINT64',
    to: 'if (excess > MAX_UINT256) return MAX_UINT64',
    caughtBy: BLOB_GAS_TEST,
  },
  'block-london-without-its-block': {
    mistake: 'a network without londonBlock has a different base fee than in Besu',
    file: 'src/chain/rules/base-fee.ts',
    from: "return forks.scheduledFrom('london') === number",
    to: "return (forks.scheduledFrom('london') ?? number) === number",
    caughtBy: 'src/chain/rules/base-fee.test.ts',
  },
  'block-gas-limit-sinks': {
    mistake: 'a validator lowers the gas limit until no transaction fits',
    file: 'src/chain/build/build-block.ts',
    from: 'return parent.gasLimit < gasLimit ? gasLimit : undefined',
    to: 'return undefined',
    caughtBy: RULES_TEST,
  },
  'block-other-body': {
    mistake: 'a different body under the hash of an executed block is accepted',
    file: 'src/chain/write/block-executor.ts',
    from: 'if (equalBytes(known.stored.body, encodeBody(block))) return undefined',
    to: 'if (block.transactions.length === known.block.transactions.length) return undefined',
    caughtBy: RULES_TEST,
  },
  'block-known-not-judged': {
    mistake: 'a proposal with a known hash is accepted regardless of its header',
    file: 'src/chain/write/create-chain.ts',
    from: 'if (known !== undefined) return this.#judgeAgain(known, received, options)',
    to: 'if (known !== undefined) return { ok: true }',
    caughtBy: RULES_TEST,
  },
  'block-system-calls': {
    mistake: 'a BFT network that names the system contracts does not call them, and splits from Besu',
    file: 'src/evm/rules.ts',
    from: "consensusOf(config, held) !== 'bft' || namesSystemContracts(config)",
    to: "consensusOf(config, held) !== 'bft'",
    caughtBy: 'src/evm/block/execute-block.test.ts',
  },
  'block-transaction-cap-ignored': {
    mistake: 'pertxgaslimit is ignored, and the node splits from Besu',
    file: 'src/types/genesis/genesis-bft.ts',
    from: "if (section.value('pertxgaslimit') === undefined) return",
    to: "if (section.path !== '') return",
    caughtBy: 'src/types/genesis/genesis-bft.test.ts',
  },
}
