/**
 * Contracts of a compiler's output folder: `out/` of Foundry and `artifacts/` of Hardhat. Both have one JSON file per
 * contract with its ABI and code, in folders named like the source files.
 */
import { join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import { fileStamp, kindOfPath, namesInDirectory, readTextBounded } from '#platform/files/files.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { printableLine } from '#types/printable.ts'
import { ContractAbi } from './contract-abi.ts'

export interface CompiledContract {
  readonly name: string
  readonly abi: ContractAbi
  readonly creationCode: Uint8Array
  readonly deployedCode: Uint8Array
}

const MAX_FILE_BYTES = 64 * 1024 * 1024
/** Links may lead back to a folder above, so folders count too. */
const MAX_ENTRIES = 20_000
const MAX_DEPTH = 12
const MAX_NAME_CHARACTERS = 80
/** Compiler input and output of entire projects; the contracts are in files of their own. */
const SKIPPED = new Set(['build-info', 'cache', 'node_modules'])

interface ReadFile {
  readonly stamp: string | undefined
  readonly contract: CompiledContract | undefined
}

/** The contracts of a folder. `refresh` reads files again that a compiler has changed meanwhile. */
export class Artifacts {
  readonly #folder: string | undefined
  #files = new Map<string, ReadFile>()
  #contracts: readonly CompiledContract[] = []
  #all = new ContractAbi()

  /** If `folder` is undefined, no name is known. */
  constructor(folder?: string) {
    this.#folder = folder
    if (folder === undefined) return
    if (kindOfPath(folder) !== 'directory') {
      throw usageFault(
        `${folder} is not a folder: give the folder that Foundry (out) or Hardhat (artifacts) writes.`,
      )
    }
    this.#read(folder)
  }

  /** While a compiler replaces the folder, the earlier names stay. */
  refresh(): void {
    if (this.#folder === undefined) return
    try {
      this.#read(this.#folder)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
    }
  }

  #read(folder: string): void {
    const before = this.#files
    const entries = entriesBelow(folder)
      .take(MAX_ENTRIES + 1)
      .toArray()
    if (entries.length > MAX_ENTRIES) {
      throw usageFault(
        `${this.#folder} has more than ${MAX_ENTRIES} JSON files and folders; give the folder of one project.`,
      )
    }
    const paths = entries.filter((path) => path.endsWith('.json'))
    const files = new Map(paths.map((path) => [path, readAgain(path, before.get(path))]))
    if (files.size === before.size && paths.every((path) => files.get(path) === before.get(path))) return
    this.#files = files
    this.#contracts = [...this.#files.values()].flatMap(({ contract }) => contract ?? [])
    this.#all = new ContractAbi()
    for (const { abi } of this.#contracts) this.#all.merge(abi)
  }

  /** The functions, errors and events of all contracts. */
  get abi(): ContractAbi {
    return this.#all
  }

  /** Finds the contract with this code at an address. */
  ofDeployedCode(code: Uint8Array): CompiledContract | undefined {
    return this.#contracts.find(
      ({ deployedCode }) => deployedCode.length === code.length && startsLike(code, deployedCode),
    )
  }

  /** Finds the contract that a creation deploys; the arguments of its constructor follow the code. */
  ofCreation(input: Uint8Array): CompiledContract | undefined {
    return this.#contracts.find(({ creationCode }) => startsLike(input, creationCode))
  }
}

/** Zeros match anything, because compilers leave them for immutables and for addresses of libraries. */
function startsLike(code: Uint8Array, artifact: Uint8Array): boolean {
  return (
    artifact.length > 0 &&
    artifact.length <= code.length &&
    artifact.every((byte, index) => byte === 0 || byte === code[index])
  )
}

/** Yields JSON files and folders. A pipe or a device is neither: reading it might never end. */
function* entriesBelow(folder: string, depth = 0): Generator<string, void, undefined> {
  for (const name of [...namesInDirectory(folder)].sort()) {
    const path = join(folder, name)
    const kind = SKIPPED.has(name) || name.endsWith('.dbg.json') ? undefined : kindOfPath(path)
    if (kind === 'file' && name.endsWith('.json')) yield path
    else if (kind === 'directory' && depth < MAX_DEPTH) {
      yield path
      yield* entriesBelow(path, depth + 1)
    }
  }
}

function readAgain(path: string, known: ReadFile | undefined): ReadFile {
  const stamp = fileStamp(path)
  return known !== undefined && known.stamp === stamp ? known : { stamp, contract: readContract(path) }
}

/** Returns undefined for other files, and for one that the compiler is writing. */
function readContract(path: string): CompiledContract | undefined {
  try {
    return parseArtifact(path, readTextBounded(path, MAX_FILE_BYTES))
  } catch {
    return undefined
  }
}

export function parseArtifact(path: string, text: string): CompiledContract | undefined {
  const file = JSON.parse(text) as Record<string, unknown> | null
  if (typeof file !== 'object' || file === null || !Array.isArray(file.abi)) return undefined
  const named = typeof file.contractName === 'string' ? file.contractName : nameOfFile(path)
  return {
    name: printableLine(named, MAX_NAME_CHARACTERS),
    abi: ContractAbi.parse(file.abi),
    creationCode: codeOf(file.bytecode),
    deployedCode: codeOf(file.deployedBytecode),
  }
}

/** Foundry adds the compiler's version if several compile one contract: `Token.0.8.30.json`. */
function nameOfFile(path: string): string {
  return path.replace(/^.*[\\/]/, '').replace(/\..*$/, '')
}

/** Hardhat writes a text, Foundry an object around it. Libraries that are not linked are placeholders. */
function codeOf(value: unknown): Uint8Array {
  const text = typeof value === 'object' && value !== null ? (value as { object?: unknown }).object : value
  if (typeof text !== 'string') return new Uint8Array(0)
  return parseDataLenient(text.replaceAll(/__.{36}__/g, '0'.repeat(40)))
}
