/** The token of contracts/TestToken.sol, compiled by solc on demand. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface CompiledContract {
  // biome-ignore lint/suspicious/noExplicitAny: each library has a type of its own for it
  readonly abi: any
  readonly bytecode: `0x${string}`
}

const require = createRequire(import.meta.url)
const FILE = 'TestToken.sol'

/** Takes seconds, because the compiler is WebAssembly. */
export function compileToken(): CompiledContract {
  // The package has no types.
  const solc = require('solc') as { compile(input: string, callbacks: object): string }
  const input = {
    language: 'Solidity',
    sources: { [FILE]: { content: readFileSync(join(import.meta.dirname, 'contracts', FILE), 'utf8') } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'paris',
      outputSelection: { [FILE]: { TestToken: ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') }),
    }),
  )
  for (const { severity, formattedMessage } of output.errors ?? []) {
    if (severity === 'error') throw new Error(formattedMessage)
  }
  const { abi, evm } = output.contracts[FILE].TestToken
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}
