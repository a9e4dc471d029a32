/**
 * Converts a GoQuorum genesis file to one that Besu and Cairn read, with the same block 0 and the same rules. A rule that
 * Cairn does not have is refused, because the chain would end in another state.
 */
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'
import { bftSection, readTransitions } from './goquorum-transitions.ts'
import { migrationRefused, type Note } from './migration-notes.ts'

export interface ConvertedGenesis {
  readonly genesis: JsonObject
  readonly notes: readonly Note[]
}

const PRIVATE =
  'Cairn has no private transactions: their effects exist only in the private GoQuorum and Tessera states, and would be lost. If none was ever sent, remove the key from the genesis file and try again; the import refuses a block that has one.'

/** Rules that GoQuorum has and Cairn does not. */
const REFUSED: Readonly<Record<string, string>> = {
  privacyenhancementsblock: PRIVATE,
  privacyprecompileblock: PRIVATE,
  ismps: PRIVATE,
  clique: 'Cairn does not support Clique. Migrate the network to QBFT first.',
  ethash: 'Cairn does not support proof of work.',
  yolov3block: 'Cairn does not have the rules of this test network.',
  ewasmblock: 'Cairn does not have these rules.',
}

const IGNORED: Readonly<Record<string, string>> = {
  isquorum: 'not needed; gas is free if min-gas-price is 0',
  txnsizelimit: 'it limits the pool, not blocks; the pool of Cairn has its own limits',
  eip150hash: 'it says nothing that the blocks do not',
  qip714block:
    'permissions in contracts are not read; permitted nodes and accounts belong into the permissions file',
  maxcodesizechangeblock: 'see maxCodeSize',
}

/** The forks of GoQuorum 24.4. It ignores later ones, so its chain does not have them. */
const FORKS: ReadonlySet<string> = new Set([
  ...['homesteadblock', 'daoforkblock', 'eip150block', 'eip155block', 'eip158block', 'byzantiumblock'],
  ...['constantinopleblock', 'petersburgblock', 'istanbulblock', 'muirglacierblock', 'berlinblock'],
])
const FORK_KEY = /(block|time)$/

export function convertGoQuorumGenesis(file: JsonValue): ConvertedGenesis {
  const config = file instanceof JsonObject ? file.get('config') : undefined
  if (!(file instanceof JsonObject) || !(config instanceof JsonObject)) {
    throw migrationRefused('This is not a genesis file: it has no config.')
  }
  const given = new Map([...config].map(([key, value]) => [key.toLowerCase(), { key, value }]))
  const notes: Note[] = []
  const converted = new JsonObject()
  for (const [lower, { key, value }] of given) {
    if (isAbsent(value)) continue
    const refused = REFUSED[lower]
    if (refused !== undefined) throw migrationRefused(`config.${key}: ${refused}`)
    const ignored = IGNORED[lower]
    if (ignored !== undefined) notes.push([key, 'ignored', ignored])
    else if (FORK_KEY.test(lower) && !FORKS.has(lower)) {
      notes.push([
        key,
        'ignored',
        'GoQuorum does not know it, and so its chain does not have it; add it for a block to come',
      ])
    } else if (!SECTIONS.has(lower)) {
      notes.push([key, 'kept', ''])
      converted.set(key, value)
    }
  }
  addPetersburg(given, converted, notes)
  addContractSize(given, converted, notes)
  addConsensus(given, converted, notes)
  const genesis = new JsonObject([...file].map(([key, value]) => [key, key === 'config' ? converted : value]))
  return { genesis, notes }
}

type Given = ReadonlyMap<string, { readonly key: string; readonly value: JsonValue }>

/** Converted separately below. */
const SECTIONS: ReadonlySet<string> = new Set([
  ...['istanbul', 'ibft', 'qbft', 'transitions', 'maxcodesize', 'maxcodesizeconfig'],
])

/** Go also writes values that are not set. */
function isAbsent(value: JsonValue): boolean {
  return value === null || value === false
}

/** If it is absent, GoQuorum uses Constantinople's block, and Cairn never activates it. */
function addPetersburg(given: Given, converted: JsonObject, notes: Note[]): void {
  const constantinople = given.get('constantinopleblock')
  if (constantinople === undefined || given.has('petersburgblock')) return
  converted.set('petersburgBlock', constantinople.value)
  notes.push(['petersburgBlock', 'replaced', 'it was absent; GoQuorum then uses constantinopleBlock'])
}

const KIB = 1024n

function addContractSize(given: Given, converted: JsonObject, notes: Note[]): void {
  const sizes = sizesOf(given)
  if (sizes.length === 0) return
  const [first] = sizes
  if (sizes.length > 1 || first!.block !== 0n) {
    throw migrationRefused(
      'config.maxCodeSizeConfig: the limit of contract code changes at a block; Cairn has one limit for the whole chain, and could come to another state.',
    )
  }
  converted.set('contractSizeLimit', JsonNumber.of(first!.size * KIB))
  notes.push([first!.key, 'renamed', `contractSizeLimit = ${first!.size * KIB} bytes`])
}

function sizesOf(given: Given): { readonly key: string; readonly block: bigint; readonly size: bigint }[] {
  const list = given.get('maxcodesizeconfig')
  if (list !== undefined && Array.isArray(list.value)) {
    return list.value.map((entry) => {
      const fields = entry instanceof JsonObject ? entry : new JsonObject()
      return {
        key: list.key,
        block: wholeNumber(fields, 'block', list.key),
        size: wholeNumber(fields, 'size', list.key),
      }
    })
  }
  const one = given.get('maxcodesize')
  const size = one?.value instanceof JsonNumber ? (one.value.toBigInt() ?? 0n) : 0n
  if (one === undefined || size === 0n) return []
  const change = given.get('maxcodesizechangeblock')?.value
  return [{ key: one.key, block: change instanceof JsonNumber ? (change.toBigInt() ?? 0n) : 0n, size }]
}

function addConsensus(given: Given, converted: JsonObject, notes: Note[]): void {
  const { startBlock, qbft, transitions } = readTransitions(given.get('transitions')?.value, notes)
  const legacy = given.get('istanbul') ?? given.get('ibft')
  const current = given.get('qbft')
  if (legacy === undefined && current === undefined) {
    throw migrationRefused(
      'config names neither qbft, ibft nor istanbul: a network of Raft cannot be taken over; move its contracts to a new one.',
    )
  }
  const source = legacy ?? current!
  if (!(source.value instanceof JsonObject)) throw migrationRefused(`config.${source.key} is not a section.`)
  const section = bftSection(source.key, source.value, notes)
  const begin = startBlock ?? section.testQbftBlock
  if (legacy === undefined || begin === 0n) {
    converted.set('qbft', merged(section.values, qbft))
  } else {
    if (begin === undefined) {
      throw migrationRefused(
        `config.${source.key}: Cairn reads blocks of IBFT and makes none; let the network go to QBFT at a block to come, by a transition with "algorithm": "qbft", and move when it has.`,
      )
    }
    converted.set('ibft', section.values)
    if (current !== undefined)
      notes.push([current.key, 'ignored', `GoQuorum reads ${source.key} and the transitions`])
    converted.set(
      'qbft',
      merged(merged(section.values, qbft), new JsonObject([['startblock', JsonNumber.of(begin)]])),
    )
    notes.push([source.key, 'replaced', `ibft, and qbft from block ${begin} on`])
  }
  if (transitions.length > 0) converted.set('transitions', new JsonObject([['qbft', transitions]]))
}

function merged(one: JsonObject, over: JsonObject): JsonObject {
  return new JsonObject([...one, ...over])
}

function wholeNumber(fields: JsonObject, name: string, where: string): bigint {
  const [, value] = [...fields].find(([key]) => key.toLowerCase() === name) ?? []
  const number = value instanceof JsonNumber ? value.toBigInt() : undefined
  if (number === undefined || number < 0n)
    throw migrationRefused(`config.${where}: "${name}" is a whole number.`)
  return number
}
