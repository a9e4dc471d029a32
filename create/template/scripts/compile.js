import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import solc from 'solc'

const ROOT = join(import.meta.dirname, '..')
/** The rules of a network by `cairn network new`. A newer version uses instructions that the network does not have. */
const EVM_VERSION = 'shanghai'
const OUTPUTS = { '*': { '*': ['abi', 'evm.bytecode.object'] } }

/** Compiles contracts/<name>.sol; returns the ABI and the bytecode of the contract <name>. */
export function compile(name) {
  const file = `${name}.sol`
  const sources = { [file]: { content: read(file).contents } }
  const settings = { evmVersion: EVM_VERSION, optimizer: { enabled: true }, outputSelection: OUTPUTS }
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const { contracts, errors = [] } = JSON.parse(solc.compile(input, { import: read }))
  const failures = errors.filter(({ severity }) => severity === 'error')
  if (failures.length > 0)
    throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const { abi, evm } = contracts[file][name]
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}

/** Solidity imports a file of this project or of an installed package. */
function read(path) {
  const found = ['contracts', 'node_modules'].map((folder) => join(ROOT, folder, path)).find(existsSync)
  return found ? { contents: readFileSync(found, 'utf8') } : { error: `${path} does not exist` }
}
