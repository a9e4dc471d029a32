/** Sections of a genesis file that configure consensus: config.qbft, config.ibft2 and others. */
import { type Address, parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { joinPath } from './genesis-problems.ts'
import { addressFromShortHex, describeJson, GenesisSection } from './genesis-section.ts'

export interface BftConfig {
  readonly epochLength: bigint
  readonly blockPeriodSeconds: number
  readonly requestTimeoutSeconds: number
  /** If 0, empty blocks have the normal period. */
  readonly emptyBlockPeriodSeconds: number
  /** If 0, the period in seconds applies. For tests only. */
  readonly blockPeriodMilliseconds: number
  readonly gossipedHistoryLimit: number
  readonly messageQueueLimit: number
  readonly duplicateMessageLimit: number
  readonly futureMessagesLimit: number
  readonly futureMessagesMaxDistance: number
  /** If undefined, rewards and fees go to the proposer. */
  readonly miningBeneficiary: Address | undefined
  readonly blockRewardWei: bigint
  /** QBFT: the contract that names the validators, instead of the block headers. */
  readonly validatorContractAddress: Address | undefined
  /** In ascending order of blocks. */
  readonly transitions: readonly BftTransition[]
}

/** The changes from a block on; undefined values stay. */
export interface BftTransition {
  /**
   * A block number, or a time if the rules at this value are reached by time (ForkSchedule.ruleSetAt(block,
   * block).trigger). For `validators` always a block number.
   */
  readonly block: bigint
  readonly blockPeriodSeconds: number | undefined
  readonly emptyBlockPeriodSeconds: number | undefined
  readonly blockPeriodMilliseconds: number | undefined
  readonly blockRewardWei: bigint | undefined
  readonly miningBeneficiary: Address | 'proposer' | undefined
  readonly validators: readonly Address[] | undefined
  /** QBFT: the source of validators. */
  readonly validatorSource: 'blockheader' | { readonly contract: Address } | undefined
}

/** Legacy IBFT, known only as the past of a network that migrated to QBFT. */
export interface LegacyIbftConfig {
  readonly epochLength: bigint
  readonly blockPeriodSeconds: number
}

export function readBftConfig(
  config: GenesisSection,
  protocol: BftProtocol,
  section: GenesisSection | undefined,
): BftConfig {
  if (section !== undefined) refuseTransactionCap(section)
  return {
    epochLength: section?.long('epochlength', 1n) ?? 30_000n,
    blockPeriodSeconds: section?.positiveInt('blockperiodseconds') ?? 1,
    requestTimeoutSeconds: section?.int('requesttimeoutseconds', 1n) ?? 1,
    emptyBlockPeriodSeconds: section?.int('xemptyblockperiodseconds') ?? 0,
    blockPeriodMilliseconds: section?.int('xblockperiodmilliseconds') ?? 0,
    gossipedHistoryLimit: section?.int('gossipedhistorylimit') ?? 1000,
    messageQueueLimit: section?.int('messagequeuelimit') ?? 1000,
    duplicateMessageLimit: section?.int('duplicatemessagelimit') ?? 100,
    futureMessagesLimit: section?.int('futuremessageslimit') ?? 1000,
    futureMessagesMaxDistance: section?.int('futuremessagesmaxdistance') ?? 10,
    miningBeneficiary: addressOnly(section === undefined ? undefined : readBeneficiary(section)),
    blockRewardWei: section?.wei('blockreward') ?? 0n,
    validatorContractAddress: protocol === 'qbft' ? section?.address('validatorcontractaddress') : undefined,
    transitions: readTransitions(config, protocol),
  }
}

export function readLegacyIbft(section: GenesisSection | undefined): LegacyIbftConfig {
  return {
    epochLength: section?.long('epochlength', 1n) ?? 30_000n,
    blockPeriodSeconds: section?.positiveInt('blockperiodseconds') ?? 1,
  }
}

function readTransitions(config: GenesisSection, protocol: BftProtocol): BftTransition[] {
  const parent = config.section('transitions')
  const blocks = new Set<bigint>()
  const transitions = parent?.list(protocol)?.flatMap((value, index) => {
    const path = joinPath(parent.pathOf(protocol), index)
    if (!(value instanceof JsonObject)) {
      config.problems.add(path, `A transition must be an object in braces, and not ${describeJson(value)}.`)
      return []
    }
    const transition = readTransition(new GenesisSection(path, value, config.problems), protocol)
    if (transition === undefined) return []
    if (blocks.has(transition.block)) {
      const sentence = `Block ${transition.block} already has a transition; put both into one entry.`
      config.problems.add(joinPath(path, 'block'), sentence)
    }
    blocks.add(transition.block)
    return [transition]
  })
  return (transitions ?? []).sort((a, b) => (a.block < b.block ? -1 : 1))
}

function readTransition(section: GenesisSection, protocol: BftProtocol): BftTransition | undefined {
  const isQbft = protocol === 'qbft'
  refuseTransactionCap(section)
  const transition = {
    blockPeriodSeconds: section.positiveInt('blockperiodseconds'),
    emptyBlockPeriodSeconds: isQbft ? section.int('xemptyblockperiodseconds') : undefined,
    blockPeriodMilliseconds: isQbft ? section.int('xblockperiodmilliseconds') : undefined,
    blockRewardWei: section.wei('blockreward'),
    miningBeneficiary: readBeneficiary(section),
    validators: section.strings('validators', 'an address of 20 bytes in hex', addressFromShortHex),
    validatorSource: isQbft ? readValidatorSource(section) : undefined,
  }
  const block = section.long('block', 1n)
  if (!section.has('block')) {
    section.refuse('block', 'A transition must say from which block it holds; add "block", a number above 0.')
  }
  return block === undefined ? undefined : { block, ...transition }
}

/** Besu caps the gas of a transaction with it and lifts the cap of Osaka, so blocks would differ. */
function refuseTransactionCap(section: GenesisSection): void {
  if (section.value('pertxgaslimit') === undefined) return
  section.refuse('pertxgaslimit', 'A gas limit for each transaction is not supported; remove pertxgaslimit.')
}

/** A key with a blank value returns rewards to the proposer, which only a transition needs. */
function readBeneficiary(section: GenesisSection): Address | 'proposer' | undefined {
  if (section.has('miningbeneficiary') && section.value('miningbeneficiary') === undefined) return 'proposer'
  // Unlike for other addresses, Besu requires all 20 bytes here.
  return section.string('miningbeneficiary', 'an address of 20 bytes in hex', (text) => {
    const trimmed = text.trim()
    if (trimmed === '') return 'proposer'
    return /^(0[xX])?[0-9a-fA-F]{40}$/.test(trimmed) ? parseAddress(trimmed) : undefined
  })
}

function addressOnly(beneficiary: Address | 'proposer' | undefined): Address | undefined {
  return beneficiary === 'proposer' ? undefined : beneficiary
}

function readValidatorSource(section: GenesisSection): BftTransition['validatorSource'] {
  const contract = section.address('validatorcontractaddress')
  const mode = section.string('validatorselectionmode', 'blockheader or contract', (text) =>
    /^(blockheader|contract)$/i.test(text) ? text.toLowerCase() : undefined,
  )
  if (mode === 'blockheader') {
    const given = section.list('validators') ?? []
    if (given.length > 0) return 'blockheader'
    return section.refuse(
      'validators',
      'Going to block headers needs a list of at least one validator; add it.',
    )
  }
  if (mode === 'contract') {
    if (contract !== undefined) return { contract }
    return section.refuse(
      'validatorcontractaddress',
      'Going to a validator contract needs its address; add "validatorcontractaddress".',
    )
  }
  if (contract !== undefined && !section.has('validatorselectionmode')) {
    section.problems.warn(
      section.pathOf('validatorcontractaddress'),
      'The address has no effect without "validatorselectionmode": "contract"; add that.',
    )
  }
  return undefined
}
