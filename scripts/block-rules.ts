// Every field of a block and its rule on BFT networks. block-rules-reference.ts generates docs/internals/block-rules.md
// from it.
import type { BlockBody } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'

/** The stage that applies a rule. All rules of a stage are applied on the same paths. */
export type Stage = 'decoding' | 'header' | 'BFT header' | 'seals' | 'body' | 'execution'

export const PATHS = ['own build', 'proposal', 'peer', 'file', 'snapshot', 'reuse'] as const
export type BlockPath = (typeof PATHS)[number]

export interface StageRow {
  /** The function that checks, as `file#function`. */
  readonly checkedBy: string
  readonly on: Readonly<Record<BlockPath, string>>
}

export const STAGES: Readonly<Record<Stage, StageRow>> = {
  decoding: {
    checkedBy: 'src/types/block/block.ts#decodeBlock',
    on: {
      'own build': 'encoded here',
      proposal: 'yes',
      peer: 'yes',
      file: 'yes',
      snapshot: 'yes',
      reuse: 'yes',
    },
  },
  header: {
    checkedBy: 'src/chain/rules/validate-header.ts#refuseHeader',
    on: {
      'own build': 'computed by the same functions',
      proposal: 'yes',
      peer: 'yes',
      file: 'yes',
      snapshot: 'every header; with a trusted hash the last',
      reuse: 'again',
    },
  },
  'BFT header': {
    checkedBy: 'src/consensus/bft/refuse-header.ts#refuseBftHeader',
    on: {
      'own build': 'written from the same values',
      proposal: 'yes',
      peer: 'yes',
      file: 'yes',
      snapshot: 'every header; with a trusted hash the last',
      reuse: 'again',
    },
  },
  seals: {
    checkedBy: 'src/consensus/bft/refuse-header.ts#refuseSeals',
    on: {
      'own build': 'collected from commits',
      proposal: 'no: it is not sealed yet',
      peer: 'yes',
      file: 'yes',
      snapshot: 'the last header of each validator set',
      reuse: 'again',
    },
  },
  body: {
    checkedBy: 'src/chain/rules/validate-body.ts#refuseBody',
    on: {
      'own build': 'built so',
      proposal: 'yes',
      peer: 'yes',
      file: 'yes',
      snapshot: 'the body of the head, which is the only one',
      reuse: 'byte for byte the executed body',
    },
  },
  execution: {
    checkedBy: 'src/chain/execute/execute.ts#refuseExecution',
    on: {
      'own build': 'computed',
      proposal: 'yes',
      peer: 'yes',
      file: 'yes',
      snapshot: 'state root and receipts root of the head; the rest is sealed',
      reuse: 'done before',
    },
  },
}

export interface BlockRule {
  readonly rule: string
  /** What Besu 26.8 does on QBFT and IBFT 2.0 networks; a row of docs/reference/compatibility.md explains each difference. */
  readonly besu: string
  readonly stage: Stage
}

const SAME = 'the same'

export const HEADER_RULES: Readonly<Record<keyof BlockHeader, BlockRule>> = {
  parentHash: { rule: 'the hash of the parent', besu: SAME, stage: 'header' },
  ommersHash: {
    rule: 'the hash of an empty list',
    besu: 'the same under IBFT 2.0; QBFT accepts sealed ommers (block-ommers)',
    stage: 'BFT header',
  },
  coinbase: { rule: 'a validator of this block', besu: SAME, stage: 'BFT header' },
  stateRoot: { rule: 'the root after execution', besu: SAME, stage: 'execution' },
  transactionsRoot: { rule: 'the root of the transactions in the body', besu: SAME, stage: 'body' },
  receiptsRoot: { rule: 'the root of the receipts', besu: SAME, stage: 'execution' },
  logsBloom: { rule: 'the bloom of all logs', besu: SAME, stage: 'execution' },
  difficulty: { rule: '1', besu: SAME, stage: 'BFT header' },
  number: { rule: 'one more than the parent', besu: SAME, stage: 'header' },
  gasLimit: {
    rule: '5000 to 2^63 - 1, and less than a 1024th from the parent (from twice the parent at `londonBlock`)',
    besu: 'the same; own blocks do not raise it again (block-gas-limit)',
    stage: 'header',
  },
  gasUsed: { rule: 'at most the limit, and what the transactions used', besu: SAME, stage: 'execution' },
  timestamp: {
    rule: 'at least one period after the parent, at most one second ahead of the clock; at sub-second periods at most one second before the parent',
    besu: 'the same; no lower bound at sub-second periods (block-time)',
    stage: 'BFT header',
  },
  extraData: {
    rule: 'canonical; a vanity of 32 bytes; the validators of this block (none if a contract names them); at most as many seals as validators',
    besu: 'further items, other vanities and encodings are accepted (block-extra-data)',
    stage: 'BFT header',
  },
  mixHash: { rule: 'the constant of BFT networks', besu: SAME, stage: 'BFT header' },
  nonce: {
    rule: '0',
    besu: 'the same under IBFT 2.0; not checked under QBFT (block-fields)',
    stage: 'BFT header',
  },
  baseFeePerGas: {
    rule: 'from London on; what the parent makes it; with `zeroBaseFee` 0 or the fee of the market; with `fixedBaseFee` any',
    besu: 'absent before London; the value is not checked (block-base-fee)',
    stage: 'header',
  },
  withdrawalsRoot: {
    rule: 'from Shanghai on; the root of an empty list',
    besu: 'not checked (block-withdrawals)',
    stage: 'body',
  },
  blobGasUsed: {
    rule: 'from Cancun on, unless `fixedBaseFee`; whole blobs, at most the maximum of the fork; what the transactions used',
    besu: 'what the transactions used, if present (block-blob-gas)',
    stage: 'header',
  },
  excessBlobGas: {
    rule: 'from Cancun on, unless `fixedBaseFee`; what the parent makes it',
    besu: 'not checked; computed from the parent (block-blob-gas)',
    stage: 'header',
  },
  parentBeaconBlockRoot: {
    rule: 'from Cancun on, unless `fixedBaseFee`; zero',
    besu: 'not checked; written as zero (block-fields)',
    stage: 'header',
  },
  requestsHash: {
    rule: 'from Prague on, unless `fixedBaseFee`; the hash of the requests, which are none unless the genesis file names all system contracts',
    besu: SAME,
    stage: 'execution',
  },
  blockAccessListHash: {
    rule: 'absent: Amsterdam is not supported',
    besu: 'from Amsterdam on',
    stage: 'header',
  },
  slotNumber: { rule: 'absent: Amsterdam is not supported', besu: 'from Amsterdam on', stage: 'header' },
}

export const BODY_RULES: Readonly<Record<keyof BlockBody, BlockRule>> = {
  transactions: {
    rule: 'each is canonical, of a type that the fork has, validly signed, and can be executed in its place',
    besu: SAME,
    stage: 'execution',
  },
  ommers: {
    rule: 'none',
    besu: 'QBFT accepts ommers that a quorum sealed (block-ommers)',
    stage: 'body',
  },
  withdrawals: {
    rule: 'an empty list from Shanghai on, absent before',
    besu: 'any; they are credited (block-withdrawals)',
    stage: 'body',
  },
}

/** Rules about more than one field. */
export const OTHER_RULES: Readonly<Record<string, BlockRule>> = {
  encoding: {
    rule: 'canonical RLP, 15 to 23 header fields of which the first absent one ends the header, 3 or 4 items in the block',
    besu: 'lenient about the extra data of QBFT (block-extra-data)',
    stage: 'decoding',
  },
  'block size': {
    rule: 'at most 9 MiB after the header',
    besu: 'not checked on BFT networks (block-size)',
    stage: 'body',
  },
  'commit seals': {
    rule: 'a quorum of different validators, at most one each',
    besu: SAME,
    stage: 'seals',
  },
}

/** A genesis option that changes the rules of blocks, Besu's class for it, and our test or recorded chain. */
export interface GenesisRule {
  readonly rule: string
  readonly besuClass: string
  readonly shownBy: string
}

const ENV_SUITE = 'test/conformance/suites/recorded-env.ts'
const EXECUTION_TEST = 'src/evm/block/execute-block.test.ts'
const GENESIS_TEST = 'src/types/genesis/genesis-config.test.ts'
const BFT_GENESIS_TEST = 'src/types/genesis/genesis-bft.test.ts'

export const GENESIS_RULES: Readonly<Record<string, GenesisRule>> = {
  zeroBaseFee: {
    rule: 'base fee and BLOBBASEFEE are 0; headers have the blob fields',
    besuClass: 'ZeroBlobFeeMarket',
    shownBy: ENV_SUITE,
  },
  fixedBaseFee: {
    rule: 'the base fee is `--min-gas-price` of the proposer, BLOBBASEFEE is 0; headers end before the blob fields',
    besuClass: 'FixedBaseFeeMarket',
    shownBy: ENV_SUITE,
  },
  londonBlock: {
    rule: 'the base fee begins and the gas limit doubles at this block; without it the base fee begins at 0 with a later fork',
    besuClass: 'LondonFeeMarket',
    shownBy: 'src/chain/rules/base-fee.test.ts',
  },
  contractSizeLimit: {
    rule: 'limits deployed code; the limit of init code stays',
    besuClass: 'ProtocolScheduleBuilder',
    shownBy: 'src/evm/rules.test.ts',
  },
  evmStackSize: {
    rule: '1024; any other value is refused when the file is read',
    besuClass: 'ProtocolScheduleBuilder',
    shownBy: GENESIS_TEST,
  },
  'depositContractAddress, withdrawalRequestContractAddress, consolidationRequestContractAddress': {
    rule: 'a BFT network that names all three makes the system calls of Cancun and Prague; others make none',
    besuClass: 'MainnetProtocolSpecs',
    shownBy: EXECUTION_TEST,
  },
  'blockreward, miningbeneficiary': {
    rule: 'the beneficiary gets reward and fees and is what COINBASE returns; the header keeps the proposer',
    besuClass: 'BaseBftProtocolScheduleBuilder',
    shownBy: EXECUTION_TEST,
  },
  pertxgaslimit: {
    rule: 'refused when the file is read (genesis-per-tx-gas)',
    besuClass: 'TransactionGasLimitOverrideGasLimitCalculator',
    shownBy: BFT_GENESIS_TEST,
  },
  transitions: {
    rule: 'period, reward, beneficiary and validators change from a block on, or from a time where forks go by time',
    besuClass: 'ForksSchedule',
    shownBy: 'src/evm/rules.test.ts',
  },
}
