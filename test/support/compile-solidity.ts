/** Compiles Solidity with solc. Takes seconds, because the compiler is WebAssembly. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'

export interface SolidityContract {
  // biome-ignore lint/suspicious/noExplicitAny: each library has a type of its own for it
  readonly abi: any
  readonly bytecode: `0x${string}`
  readonly deployedBytecode: `0x${string}`
}

const require = createRequire(import.meta.url)

/** Returns the contracts of a file by name. */
export function compileSolidity(path: string): Readonly<Record<string, SolidityContract>> {
  // The package has no types.
  const solc = require('solc') as { compile(input: string, callbacks: object): string }
  const file = basename(path)
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: readFileSync(path, 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'paris',
      outputSelection: { [file]: { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (imported: string) => ({ contents: readFileSync(require.resolve(imported), 'utf8') }),
    }),
  )
  for (const { severity, formattedMessage } of output.errors ?? []) {
    if (severity === 'error') throw new Error(formattedMessage)
  }
  const contracts = Object.entries<{ abi: unknown; evm: Record<string, { object: string }> }>(
    output.contracts[file],
  )
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode!.object}`,
        deployedBytecode: `0x${evm.deployedBytecode!.object}`,
      },
    ]),
  )
}
