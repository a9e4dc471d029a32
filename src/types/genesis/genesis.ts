/**
 * A genesis file in Besu's or geth's format as one value. Nothing is computed here: the state root and the hash of
 * block 0 come from the modules for tries and headers.
 */
import { Fault } from '#types/fault.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { type GenesisAlloc, readAlloc } from './genesis-alloc.ts'
import { type GenesisConfig, readGenesisConfig } from './genesis-config.ts'
import { type GenesisHeader, readGenesisHeader } from './genesis-header.ts'
import { type GenesisFinding, GenesisProblems } from './genesis-problems.ts'
import { describeJson, GenesisSection } from './genesis-section.ts'

export interface Genesis {
  readonly config: GenesisConfig
  readonly header: GenesisHeader
  readonly alloc: GenesisAlloc
}

export type GenesisVerdict =
  | { readonly ok: true; readonly genesis: Genesis; readonly warnings: readonly GenesisFinding[] }
  | { readonly ok: false; readonly problems: readonly GenesisFinding[] }

/** The values of a file, right or wrong: a value with an error has its default. */
export interface GenesisDraft {
  readonly genesis: Genesis
  readonly problems: GenesisProblems
  readonly root: GenesisSection
  readonly config: GenesisSection
}

const WITHDRAWAL_REQUEST_CONTRACT = '0x00000961ef480eb55e80d19ad83579a64c007002'
const CONSOLIDATION_REQUEST_CONTRACT = '0x0000bbddc7ce488642fb579f8b00f3a590007251'

/**
 * Returns the genesis, or every value that a node could not read. A well-formed file may still have no protocol that
 * can run (refuseConsensus), or be unwise in other ways (validateGenesis).
 */
export function parseGenesis(text: string): GenesisVerdict {
  const { genesis, problems } = draftGenesis(text)
  const errors = problems.errors
  return errors.length > 0
    ? { ok: false, problems: errors }
    : { ok: true, genesis, warnings: problems.findings }
}

export function draftGenesis(text: string): GenesisDraft {
  const problems = new GenesisProblems()
  const file = withoutGethFormat(parseFile(text, problems))
  const root = new GenesisSection('$', file, problems)
  const config =
    root.section('config') ?? new GenesisSection(root.pathOf('config'), new JsonObject(), problems)
  const genesisConfig = readGenesisConfig(config)
  const header = readGenesisHeader(root, genesisConfig.forks)
  const alloc = readAlloc(file, problems)
  return { genesis: { config: genesisConfig, header, alloc }, problems, root, config }
}

function parseFile(text: string, problems: GenesisProblems): JsonObject {
  try {
    const document = parseJson(text)
    if (document instanceof JsonObject) return document
    problems.add('$', `A genesis file must be an object in braces, and not ${describeJson(document)}.`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    problems.add('$', error.data.sentence)
  }
  return new JsonObject()
}

/**
 * A file with `mergeNetsplitBlock` (geth's spelling) and without `ethash` is geth's: it becomes an ethash file, the
 * marker of a proof-of-stake network, with the standard request contracts. Besu also adds a base fee, which the
 * default for London at block 0 provides here.
 */
function withoutGethFormat(file: JsonObject): JsonObject {
  const config = file.get('config')
  if (!(config instanceof JsonObject) || !config.has('mergeNetsplitBlock') || config.has('ethash'))
    return file
  const completed = new JsonObject([
    ['withdrawalRequestContractAddress', WITHDRAWAL_REQUEST_CONTRACT],
    ['consolidationRequestContractAddress', CONSOLIDATION_REQUEST_CONTRACT],
    ...config,
    ['ethash', new JsonObject()],
  ])
  return new JsonObject([...file, ['config', completed]])
}
