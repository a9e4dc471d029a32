/** Converts the sections `istanbul`, `ibft` and `qbft` of a GoQuorum genesis file, and its transitions. */
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'
import { migrationRefused, type Note } from './migration-notes.ts'

/** Lower-case names, because Go reads keys in any case. */
const SAME: ReadonlySet<string> = new Set([
  ...['epochlength', 'blockperiodseconds', 'requesttimeoutseconds', 'validatorcontractaddress'],
])
const RENAMED: Readonly<Record<string, string>> = {
  epoch: 'epochlength',
  emptyblockperiodseconds: 'xemptyblockperiodseconds',
}
const IGNORED: Readonly<Record<string, string>> = {
  policy: 'validators take turns here',
  ceil2nby3block: 'Cairn always asks for two thirds of the validators, rounded up',
  allowedfutureblocktime: 'Cairn applies its own rule',
  minergaslimit: 'give --target-gas-limit instead',
  gaspriceenabled: 'give --min-gas-price instead',
  enhancedpermissioningenabled: 'permissions in contracts are not read; use the permissions file',
  transactionsizelimit: 'it limits what a pool takes, not what a block may hold',
}
const PRIVATE = 'Cairn has no private transactions; see privacyEnhancementsBlock'
const REFUSED: Readonly<Record<string, string>> = {
  privacyenhancementsenabled: PRIVATE,
  privacyprecompileenabled: PRIVATE,
  contractsizelimit: 'the limit of contract code changes at a block; Cairn has one for the whole chain',
  '2fplus1enabled': 'fewer seals than two thirds are not enough here',
  blockreward: 'rewards of GoQuorum are not taken over',
  beneficiarymode: 'rewards of GoQuorum are not taken over',
  beneficiarylist: 'rewards of GoQuorum are not taken over',
  miningbeneficiary: 'rewards of GoQuorum are not taken over',
}
const NO_ADDRESS = /^(0x)?0*$/

interface Section {
  readonly values: JsonObject
  /** The first QBFT block, from section `istanbul`. */
  readonly testQbftBlock: bigint | undefined
}

export function bftSection(name: string, section: JsonObject, notes: Note[]): Section {
  const values = new JsonObject()
  let testQbftBlock: bigint | undefined
  for (const [key, value] of section) {
    const lower = key.toLowerCase()
    if (lower === 'testqbftblock') testQbftBlock = number(value, `${name}.${key}`)
    else take(lower, key, value, values, `${name}.${key}`, notes)
  }
  return { values, testQbftBlock }
}

export interface Transitions {
  /** The first QBFT block after IBFT. */
  readonly startBlock: bigint | undefined
  /** Values that apply from the first QBFT block on, so they belong in its section. */
  readonly qbft: JsonObject
  readonly transitions: JsonObject[]
}

export function readTransitions(value: JsonValue | undefined, notes: Note[]): Transitions {
  if (value === undefined) return { startBlock: undefined, qbft: new JsonObject(), transitions: [] }
  if (!Array.isArray(value)) throw migrationRefused('config.transitions is a list in GoQuorum.')
  let startBlock: bigint | undefined
  let qbft = new JsonObject()
  const transitions: JsonObject[] = []
  for (const [index, entry] of value.entries()) {
    const where = `transitions[${index}]`
    if (!(entry instanceof JsonObject)) throw migrationRefused(`config.${where} is not an object.`)
    const { block, algorithm, values } = readTransition(entry, where, notes)
    if (algorithm === 'qbft' && startBlock === undefined) startBlock = block
    // In GoQuorum, block 0 means from the start.
    if (block === 0n || block === startBlock) qbft = new JsonObject([...qbft, ...sectionOf(values, where)])
    else if (
      startBlock === undefined &&
      algorithm === undefined &&
      values.size > 0 &&
      value.some(goesToQbft)
    ) {
      throw migrationRefused(`config.${where}: a change within IBFT is not taken over.`)
    } else if (values.size > 0) transitions.push(new JsonObject([['block', JsonNumber.of(block)], ...values]))
  }
  return { startBlock, qbft, transitions }
}

function readTransition(entry: JsonObject, where: string, notes: Note[]) {
  const fields = new Map([...entry].map(([key, value]) => [key.toLowerCase(), { key, value }]))
  const first = fields.get('block')
  if (first === undefined) throw migrationRefused(`config.${where} says no block.`)
  const block = number(first.value, `${where}.block`)
  const algorithm = algorithmOf(fields.get('algorithm')?.value, where)
  const values = new JsonObject()
  for (const [lower, { key, value }] of fields) {
    if (lower === 'block' || lower === 'algorithm') continue
    const isOfWholeChain = lower === 'epochlength' || lower === 'requesttimeoutseconds'
    if (isOfWholeChain && block !== 0n && algorithm !== 'qbft') {
      throw migrationRefused(`config.${where}.${key}: Cairn has one for the whole chain.`)
    }
    if (lower === 'validators' || lower === 'validatorselectionmode') values.set(lower, value)
    else take(lower, key, value, values, `${where}.${key}`, notes)
  }
  return { block, algorithm, values }
}

function algorithmOf(value: JsonValue | undefined, where: string): string | undefined {
  if (value === undefined || value === '') return undefined
  if (value === 'qbft' || value === 'ibft') return value === 'qbft' ? value : undefined
  throw migrationRefused(`config.${where}.algorithm is qbft or ibft.`)
}

function goesToQbft(entry: JsonValue): boolean {
  return entry instanceof JsonObject && [...entry].some(([, value]) => value === 'qbft')
}

/** Converts a transition that applies from the start. The section has other keys for the validator selection. */
function sectionOf(values: JsonObject, where: string): JsonObject {
  if (values.has('validators')) {
    throw migrationRefused(
      `config.${where}.validators: the extra data already names the first validators. Remove it.`,
    )
  }
  return new JsonObject([...values].filter(([key]) => key !== 'validatorselectionmode'))
}

function take(
  lower: string,
  key: string,
  value: JsonValue,
  values: JsonObject,
  where: string,
  notes: Note[],
): void {
  if (value === null || value === false) return
  if (lower === 'validatorcontractaddress' && typeof value === 'string' && NO_ADDRESS.test(value)) return
  const refused = REFUSED[lower]
  if (refused !== undefined && !isNothing(value)) throw migrationRefused(`config.${where}: ${refused}.`)
  const ignored = IGNORED[lower]
  const renamed = RENAMED[lower]
  if (refused !== undefined) return
  if (ignored !== undefined) notes.push([where, 'ignored', ignored])
  else if (renamed !== undefined) {
    values.set(renamed, value)
    notes.push([where, 'renamed', renamed])
  } else if (SAME.has(lower)) {
    values.set(lower, value)
    notes.push([where, 'kept', ''])
  } else
    throw migrationRefused(
      `config.${where} is not known: remove it if it changes no rule of the chain (${key}).`,
    )
}

function isNothing(value: JsonValue): boolean {
  return (
    value === '' ||
    (value instanceof JsonNumber && value.toBigInt() === 0n) ||
    (typeof value === 'string' && NO_ADDRESS.test(value))
  )
}

function number(value: JsonValue, where: string): bigint {
  const whole = value instanceof JsonNumber ? value.toBigInt() : undefined
  if (whole === undefined || whole < 0n) throw migrationRefused(`config.${where} is a whole number.`)
  return whole
}
