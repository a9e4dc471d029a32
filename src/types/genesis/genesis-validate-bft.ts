/** The rules of QBFT and IBFT 2.0 networks. */
import { type Address, addressFromRlp } from '#types/address.ts'
import { type BftProtocol, decodeBftExtraData, VANITY_BYTES } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { Fault } from '#types/fault.ts'
import { JsonNumber, JsonObject } from '#types/json/json-value.ts'
import { decodeRlp, listFromRlp } from '#types/rlp.ts'
import type { GenesisDraft } from './genesis.ts'
import type { BftConfig } from './genesis-bft.ts'
import { protocolsOf } from './genesis-consensus.ts'
import { type GenesisProblems, joinPath } from './genesis-problems.ts'
import { addressFromShortHex, GenesisSection } from './genesis-section.ts'

const TRANSITION_KEYS = ['qbft', 'ibft2', 'clique']

export function validateBft(draft: GenesisDraft): void {
  const { consensus } = draft.genesis.config
  switch (consensus.protocol) {
    case 'qbft':
      validateProtocol(draft, 'qbft', consensus.qbft)
      validateBlockZero(draft, 'qbft', consensus.qbft)
      break
    case 'ibft2':
      validateProtocol(draft, 'ibft2', consensus.ibft2)
      validateBlockZero(draft, 'ibft2', consensus.ibft2)
      break
    case 'migration': {
      validateProtocol(draft, 'qbft', consensus.qbft)
      const { past } = consensus
      if (past.protocol === 'ibft2') validateProtocol(draft, 'ibft2', past.ibft2)
      validateBlockZero(draft, past.protocol, past.protocol === 'ibft2' ? past.ibft2 : undefined)
      break
    }
  }
  validateUnusedTransitions(draft)
}

function validateProtocol(draft: GenesisDraft, protocol: BftProtocol, bft: BftConfig): void {
  const { config, problems } = draft
  const section =
    config.section(protocol) ?? new GenesisSection(config.pathOf(protocol), new JsonObject(), problems)
  const defaults = {
    blockperiodseconds: 'a block is made every second',
    epochlength: 'votes are cleared every 30000 blocks',
    requesttimeoutseconds: 'a round ends after one second',
  }
  for (const [key, effect] of Object.entries(defaults)) {
    if (section.value(key) !== undefined) continue
    problems.warn(section.pathOf(key), `${key} is missing, so that ${effect}; say what you want.`)
  }
  const { blockPeriodSeconds, requestTimeoutSeconds } = bft
  const isPeriodBroken = problems.isBroken(section.pathOf('blockperiodseconds'))
  if (requestTimeoutSeconds < blockPeriodSeconds && !isPeriodBroken) {
    const sentence =
      `A round ends after ${requestTimeoutSeconds} s, sooner than the block period of ${blockPeriodSeconds} s; ` +
      'set it to twice the period.'
    problems.warn(section.pathOf('requesttimeoutseconds'), sentence)
  }
  validateContract(draft, section, bft)
  validateTransitions(draft, protocol)
}

function validateContract(draft: GenesisDraft, section: GenesisSection, bft: BftConfig): void {
  const { genesis, problems } = draft
  const contract = bft.validatorContractAddress
  if (contract === undefined || problems.isBroken('$.alloc')) return
  const path = section.pathOf('validatorcontractaddress')
  // A network that comes from another protocol may deploy the contract before QBFT starts.
  if (genesis.config.consensus.protocol === 'migration') return
  if ((genesis.alloc.get(contract)?.code.length ?? 0) > 0) return
  problems.add(path, `No account in alloc has code at ${contract}; put the validator contract there.`)
}

function validateTransitions({ config, problems }: GenesisDraft, protocol: BftProtocol): void {
  const parent = config.section('transitions')
  let previous = 0n
  parent?.list(protocol)?.forEach((value, index) => {
    if (!(value instanceof JsonObject)) return
    const section = new GenesisSection(joinPath(parent.pathOf(protocol), index), value, problems)
    const block = section.value('block')
    const number = block instanceof JsonNumber ? (block.toBigInt() ?? previous) : previous
    if (number < previous) {
      problems.warn(
        section.pathOf('block'),
        `Block ${number} stands after block ${previous}; sort the transitions.`,
      )
    }
    previous = number
    const validators = section.list('validators') ?? []
    const parsed = validators.map((item) =>
      typeof item === 'string' ? addressFromShortHex(item) : undefined,
    )
    validateValidators(problems, section.pathOf('validators'), parsed)
  })
}

function validateUnusedTransitions({ genesis, config, problems }: GenesisDraft): void {
  const used = protocolsOf(genesis.config.consensus)
  const transitions = config.section('transitions')
  for (const key of TRANSITION_KEYS) {
    if (!transitions?.has(key) || used.includes(key)) continue
    const sentence = `These transitions have no effect: the protocol of this network is ${used.join(' and ')}.`
    problems.warn(transitions.pathOf(key), sentence)
  }
}

function validateBlockZero(
  draft: GenesisDraft,
  protocol: BftProtocol | 'ibft',
  bft: BftConfig | undefined,
): void {
  const { genesis, root, problems } = draft
  if (genesis.header.mixHash !== BFT_MIX_HASH) {
    problems.add(root.pathOf('mixHash'), `The mixHash of a BFT network must be ${BFT_MIX_HASH}; set it.`)
  }
  if (genesis.header.difficulty !== 1n) {
    problems.warn(
      root.pathOf('difficulty'),
      'Every block of a BFT network has difficulty 1; write "0x1" here too.',
    )
  }
  const path = root.pathOf('extraData')
  if (problems.isBroken(path)) return
  const validators = decodeValidators(draft, protocol, path)
  if (validators === undefined) return
  const isContractMode = bft?.validatorContractAddress !== undefined
  if (isContractMode && validators.length > 0) {
    const sentence =
      'The validators named here have no effect, because a contract names them; leave the list empty.'
    problems.warn(path, sentence)
  }
  const namesFirstSet = bft?.transitions.some(
    ({ block, validators: next }) => block === 1n && next !== undefined,
  )
  if (!isContractMode && validators.length === 0 && namesFirstSet !== true) {
    problems.add(path, `No validator is named, so that no block can follow. ${HOW_TO_ENCODE}`)
  }
  validateValidators(problems, joinPath(path, 'validators'), validators)
}

const HOW_TO_ENCODE = "Make it with 'cairn rlp encode' from the list of validator addresses."

function decodeValidators(
  { genesis, problems }: GenesisDraft,
  protocol: BftProtocol | 'ibft',
  path: string,
): readonly Address[] | undefined {
  const { extraData } = genesis.header
  try {
    return protocol === 'ibft'
      ? legacyValidators(extraData)
      : decodeBftExtraData(protocol, extraData).validators
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    problems.add(path, `${error.data.sentence} ${HOW_TO_ENCODE}`)
    return undefined
  }
}

/** Legacy IBFT: 32 bytes of vanity, then a list of validators, proposer seal and commit seals. */
function legacyValidators(extraData: Uint8Array): Address[] {
  const [validators = []] = listFromRlp(decodeRlp(extraData.subarray(VANITY_BYTES)), 3)
  return listFromRlp(validators).map(addressFromRlp)
}

function validateValidators(
  problems: GenesisProblems,
  path: string,
  validators: readonly (Address | undefined)[],
): void {
  const seen = new Set<Address>()
  validators.forEach((validator, index) => {
    if (validator === undefined) return
    const itemPath = joinPath(path, index)
    if (BigInt(validator) === 0n) {
      problems.add(itemPath, 'The zero address has no key and cannot validate; remove it.')
    } else if (seen.has(validator)) {
      problems.add(itemPath, `${validator} is named twice; remove it or name the validator that was meant.`)
    }
    seen.add(validator)
  })
}
